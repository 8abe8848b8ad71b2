using System.Diagnostics;
using System.Runtime.CompilerServices;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>One round's work: what the producers publish, and where the last stage hands in its check.</summary>
public sealed class RingLoad
{
    private bool _reported;
    private int _producing;
    private long _lapStart;

    internal RingLoad(RingShape shape, long operations, long? corrupt)
    {
        Shape = shape;
        Operations = operations;
        CorruptItem = corrupt;
        _producing = shape.Producers;
    }

    /// <summary>Producers, stages and their work.</summary>
    public RingShape Shape { get; }

    /// <summary>Items of all producers together.</summary>
    public long Operations { get; }

    /// <summary>Mean items per handler call, for a contestant that knows it.</summary>
    public double MeanBatch { get; set; }

    /// <summary>The latencies, where the case records them.</summary>
    public LatencyHistogram? Latency { get; private set; }

    /// <summary>True once a check was handed in and it agreed.</summary>
    public bool Verified { get; private set; }

    /// <summary>The index of an item to publish wrongly.</summary>
    internal long? CorruptItem { get; }

    /// <summary>The items of one producer.</summary>
    public Feed FeedOf(int producer = 0) =>
        new(producer, Body.ShareOf(producer, Shape.Producers, Operations), producer == 0 ? CorruptItem : null);

    /// <summary>A fresh check for the last stage.</summary>
    public Check NewCheck() => new(Shape);

    /// <summary>Hands in the check, once, when the last item was taken.</summary>
    public void Report(Check check)
    {
        Verified = !_reported && check.Agrees(Shape, Operations);
        _reported = true;
    }

    /// <summary>Hands in the verdict of a case that does not check with <see cref="Check"/>, and its latencies.</summary>
    internal void Report(bool verified, LatencyHistogram latency) => (Verified, Latency) = (verified, latency);

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
        Latency!.Record(StopwatchClock.NanosecondsOf(ticks));
        _lapStart = now;
    }
}
