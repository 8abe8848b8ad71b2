using System.Diagnostics;
using System.Runtime.CompilerServices;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>One round's work: what the producers publish, and where the last stage hands in its check.</summary>
public sealed class RingLoad
{
    private readonly long? _corrupt;
    private bool _reported;
    private int _producing;
    private long _lapStart;

    internal RingLoad(RingShape shape, long operations, long? corrupt)
    {
        Shape = shape;
        Operations = operations;
        _corrupt = corrupt;
        _producing = shape.Producers;
    }

    /// <summary>Producers, stages and their work.</summary>
    public RingShape Shape { get; }

    /// <summary>Items of all producers together.</summary>
    public long Operations { get; }

    /// <summary>Mean items per handler call, for a contestant that knows it.</summary>
    public double MeanBatch { get; set; }

    /// <summary>The latencies of the round-trip case.</summary>
    public LatencyHistogram? Latency { get; private set; }

    /// <summary>True once a check was handed in and it agreed.</summary>
    public bool Verified { get; private set; }

    /// <summary>The items of one producer.</summary>
    public Feed FeedOf(int producer = 0) =>
        new(producer, Body.ShareOf(producer, Shape.Producers, Operations), producer == 0 ? _corrupt : null);

    /// <summary>A fresh check for the last stage.</summary>
    public Check NewCheck() => new(Shape);

    /// <summary>Hands in the check, once, when the last item was taken.</summary>
    public void Report(Check check)
    {
        Verified = !_reported && check.Agrees(Shape, Operations);
        _reported = true;
    }

    /// <summary>
    /// Says that one producer is done; <see langword="true"/> for the last of them, who closes the queue.
    /// </summary>
    public bool IsLastProducer() => Interlocked.Decrement(ref _producing) == 0;

    /// <summary>Starts the clock of the round trips; call it before the first message is sent.</summary>
    public void StartLaps()
    {
        Latency = new LatencyHistogram();
        _lapStart = Stopwatch.GetTimestamp();
    }

    /// <summary>
    /// Records one round trip; the next begins now. One reading of the clock a trip, the same for everyone.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Lap()
    {
        long now = Stopwatch.GetTimestamp();
        long ticks = now - _lapStart;
        Latency!.Record(Stopwatch.Frequency == 1_000_000_000 ? ticks : (long)(ticks * 1e9 / Stopwatch.Frequency));
        _lapStart = now;
    }
}
