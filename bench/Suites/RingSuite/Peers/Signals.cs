namespace Raceway.Suites.RingSuite;

/// <summary>The least that wakes a sleeping thread: an array, and for each stage a signal for each item.</summary>
/// <remarks>The array has a place for every item of the round, so the producer never waits.</remarks>
internal sealed class Signals : Transport<Number>
{
    private readonly Number[] _slots;
    private readonly ISignal[] _signals;

    private Signals(RingLoad load, RoundThreads threads, Func<ISignal> create)
        : base(load, threads)
    {
        _slots = new Number[load.Operations];
        _signals = [.. Enumerable.Range(0, Shape.Stages).Select(_ => create())];
        foreach (ISignal signal in _signals) threads.OnCancel(signal.Give);
    }

    /// <summary>A bare monitor: <c>Enter</c>, <c>Pulse</c>, <c>Exit</c> against <c>Wait</c>. The floor of every wake-up.</summary>
    public static Peer<Number> Monitors { get; } = Of("monitor", static () => new Pulse());

    /// <summary>A <see cref="SemaphoreSlim"/>, which spins a little before it sleeps.</summary>
    public static Peer<Number> Semaphores(string name) => Of(name, static () => new Semaphore());

    public override void AddSender(LatencyRound round) => Threads.Add(() => round.Send(new Sender(_slots, _signals[0])));

    public override void AddStage<TWork>(int stage, TWork work)
    {
        ISignal signal = _signals[stage - 1];
        ISignal? next = stage < Shape.Stages ? _signals[stage] : null;
        Threads.Add(() =>
        {
            foreach (ref Number item in _slots.AsSpan())
            {
                signal.Await(Threads.Cancellation);
                work.Take(ref item);
                next?.Give();
            }

            work.Report(Load, stage);
        });
    }

    private static Peer<Number> Of(string name, Func<ISignal> create) => new(name, (load, threads) => new Signals(load, threads, create));

    /// <summary>Counts up and wakes; waits and counts down.</summary>
    private interface ISignal
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

    private sealed class Pulse : ISignal
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

    private sealed class Semaphore : ISignal
    {
        // Its wait handle is never asked for, so there is nothing to dispose of.
        private readonly SemaphoreSlim _semaphore = new(0);

        public void Give() => _semaphore.Release();

        public void Await(CancellationToken cancellation) => _semaphore.Wait(cancellation);
    }
}
