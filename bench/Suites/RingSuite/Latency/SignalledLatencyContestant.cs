namespace Raceway.Suites.RingSuite;

/// <summary>The least that wakes a sleeping thread: an array, and a signal for each item.</summary>
/// <remarks>The array has a place for every item of the round, so the producer never waits.</remarks>
internal abstract class SignalledLatencyContestant(string name, RingShape shape, Arrivals arrivals)
    : LatencyContestant(name, shape, arrivals)
{
    private Number[] _slots = [];
    private ISignal? _signal;

    protected sealed override void Prepare(LatencyRound round, RoundThreads roundThreads)
    {
        Number[] slots = _slots = new Number[round.Items];
        ISignal signal = _signal = NewSignal(roundThreads);
        roundThreads.Add(() => round.Send(new Sender(slots, signal)));
        AddStages(round.Load, roundThreads);
    }

    protected sealed override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work)
    {
        (Number[] slots, ISignal signal) = (_slots, _signal!);
        roundThreads.Add(() =>
        {
            foreach (ref Number item in slots.AsSpan())
            {
                signal.Await(roundThreads.Cancellation);
                work.Take(ref item);
            }

            work.Report(load, stage);
        });
    }

    /// <summary>Creates what one thread sleeps on and the other gives.</summary>
    protected abstract ISignal NewSignal(RoundThreads roundThreads);

    /// <summary>Counts up and wakes; waits and counts down.</summary>
    protected interface ISignal
    {
        void Give();

        void Await(CancellationToken cancellation);
    }

    private struct Sender(Number[] slots, ISignal signal) : ISender
    {
        private int _next;

        public void Send(long item)
        {
            Number.Write(ref slots[_next++], item);
            signal.Give();
        }
    }
}

/// <summary>A bare monitor: <c>Enter</c>, <c>Pulse</c>, <c>Exit</c> against <c>Wait</c>. The floor of every wake-up.</summary>
internal sealed class MonitorLatencyContestant(RingShape shape, Arrivals arrivals)
    : SignalledLatencyContestant("monitor", shape, arrivals)
{
    protected override ISignal NewSignal(RoundThreads roundThreads)
    {
        var signal = new Signal();
        roundThreads.OnCancel(signal.Give);
        return signal;
    }

    private sealed class Signal : ISignal
    {
        private readonly object _monitor = new();
        private long _given;

        public void Give()
        {
            lock (_monitor)
            {
                _given++;
                Monitor.Pulse(_monitor);
            }
        }

        public void Await(CancellationToken cancellation)
        {
            lock (_monitor)
            {
                while (_given == 0) Monitor.Wait(_monitor);
                _given--;
            }

            cancellation.ThrowIfCancellationRequested();
        }
    }
}

/// <summary>A <see cref="SemaphoreSlim"/>, which spins a little before it sleeps.</summary>
internal sealed class SemaphoreLatencyContestant(RingShape shape, Arrivals arrivals)
    : SignalledLatencyContestant("semaphore-slim", shape, arrivals)
{
    protected override ISignal NewSignal(RoundThreads roundThreads) => new Signal();

    private sealed class Signal : ISignal
    {
        // Its wait handle is never asked for, so there is nothing to dispose of.
        private readonly SemaphoreSlim _semaphore = new(0);

        public void Give() => _semaphore.Release();

        public void Await(CancellationToken cancellation) => _semaphore.Wait(cancellation);
    }
}
