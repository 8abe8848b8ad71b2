using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Many producers publish as fast as they can into one queue, until its consumer has seen so many items: what each of them
/// got, and how long one of them waited for a single publish.
/// </summary>
/// <remarks>An item holds its producer and its number, so the consumer checks that none is lost, doubled or out of order.</remarks>
/// <param name="name">The name in the result rows.</param>
/// <param name="shape">The producers, and the room of the queue.</param>
/// <param name="open">Builds a peer's queue and starts its consumer, which gives each item to <see cref="Take"/>.</param>
internal sealed class FairContestant(string name, RingShape shape, Func<FairContestant, FairQueue> open) : ScenarioContestant(name)
{
    private const int NumberBits = 48;

    private long[] _next = [];
    private long[] _longest = [];
    private long _left;
    private bool _inOrder;
    private bool _stop;
    private ManualResetEventSlim _enough = new();
    private FairQueue? _queue;

    /// <inheritdoc/>
    public override int BusyThreads => shape.BusyThreads;

    /// <summary>The case.</summary>
    public RingShape Shape => shape;

    /// <summary>The consumer has an item.</summary>
    public void Take(long item)
    {
        long producer = item >> NumberBits;
        // What comes after the number that is asked for only makes room for the producers to end.
        if (_next[producer]++ != (item & ((1L << NumberBits) - 1))) _inOrder = false;
        if (--_left != 0) return;
        Volatile.Write(ref _stop, true);
        _enough.Set();
    }

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        _next = new long[shape.Producers];
        _longest = new long[shape.Producers];
        _left = operations;
        _inOrder = true;
        _stop = false;
        _enough = new();
        _queue = open(this);
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        long[] published = new long[shape.Producers];
        Thread[] threads = [.. Enumerable.Range(0, shape.Producers).Select(own => new Thread(() => published[own] = Publish(own)))];
        using CancellationTokenRegistration stop = cancellation.Register(() =>
        {
            Volatile.Write(ref _stop, true);
            _enough.Set();
        });
        foreach (Thread thread in threads) thread.Start();
        _enough.Wait(CancellationToken.None);
        foreach (Thread thread in threads) thread.Join();
        _queue!.End();
        cancellation.ThrowIfCancellationRequested();
        _inOrder &= published.AsSpan().SequenceEqual(_next);
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further =
        [
            new Count("least-share", "of mean", _next.Min() / _next.Average()),
            new Count("longest-publish", "ms", Stopwatch.GetElapsedTime(0, _longest.Max()).TotalMilliseconds),
        ];
        return _inOrder;
    }

    private long Publish(int own)
    {
        Action<long> publish = _queue!.CreateProducer();
        long first = (long)own << NumberBits;
        long number = 0;
        long last = Stopwatch.GetTimestamp();
        while (!Volatile.Read(ref _stop))
        {
            publish(first + number++);
            long now = Stopwatch.GetTimestamp();
            _longest[own] = Math.Max(_longest[own], now - last);
            last = now;
        }

        return number;
    }
}

/// <summary>The queue of a peer that several producers publish to.</summary>
/// <param name="CreateProducer">How a further producer publishes an item, waiting for room; called on the thread that will.</param>
/// <param name="End">No item comes any more: returns when the consumer has handled all.</param>
internal sealed record FairQueue(Func<Action<long>> CreateProducer, Action End);
