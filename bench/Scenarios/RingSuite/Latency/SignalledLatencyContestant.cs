namespace Raceway.Scenarios.RingSuite;

/// <summary>The least that wakes a sleeping thread: an array, and a signal for each item.</summary>
/// <remarks>The array has a place for every item of the round, so the producer never waits.</remarks>
internal abstract class SignalledLatencyContestant(string name, RingShape shape, Arrivals arrivals)
    : LatencyContestant(name, shape, arrivals)
{
    protected sealed override void Prepare(LatencyRound round, Crew crew)
    {
        var slots = new long[round.Items];
        ISignal signal = NewSignal(crew);
        crew.Add(() => round.Send(new Sender(slots, signal)));
        crew.Add(() =>
        {
            Receiver receiver = round.NewReceiver();
            foreach (ref long item in slots.AsSpan())
            {
                signal.Await(crew.Cancellation);
                Body.Work(ref item, Shape.Increments);
                receiver.Take(item);
            }

            round.Report(receiver);
        });
    }

    /// <summary>Creates what one thread sleeps on and the other gives.</summary>
    protected abstract ISignal NewSignal(Crew crew);

    /// <summary>Counts up and wakes; waits and counts down.</summary>
    protected interface ISignal
    {
        void Give();

        void Await(CancellationToken cancellation);
    }

    private struct Sender(long[] slots, ISignal signal) : ISender
    {
        private int _next;

        public void Send(long item)
        {
            slots[_next++] = item;
            signal.Give();
        }
    }
}

/// <summary>A bare monitor: <c>Enter</c>, <c>Pulse</c>, <c>Exit</c> against <c>Wait</c>. The floor of every wake-up.</summary>
internal sealed class MonitorLatencyContestant(RingShape shape, Arrivals arrivals)
    : SignalledLatencyContestant("monitor", shape, arrivals)
{
    protected override ISignal NewSignal(Crew crew)
    {
        var signal = new Signal();
        crew.OnCancel(signal.Give);
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
    protected override ISignal NewSignal(Crew crew) => new Signal();

    private sealed class Signal : ISignal
    {
        // Its wait handle is never asked for, so there is nothing to dispose of.
        private readonly SemaphoreSlim _semaphore = new(0);

        public void Give() => _semaphore.Release();

        public void Await(CancellationToken cancellation) => _semaphore.Wait(cancellation);
    }
}
