using System.Diagnostics;
using System.Runtime.CompilerServices;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>One round's work: what the producers publish, and where the stages hand in their checks.</summary>
public sealed class RingLoad
{
    private readonly HashSet<int> _reported = [];
    private bool _agreed = true;
    private int _producing;
    private long _lapStart;

    internal RingLoad(RingShape shape, long operations, long? corrupt, int round = 1)
    {
        Shape = shape;
        Operations = operations;
        CorruptItem = corrupt;
        Round = round;
        _producing = shape.Producers;
    }

    /// <summary>Producers, stages and their work.</summary>
    public RingShape Shape { get; }

    /// <summary>Items of all producers together.</summary>
    public long Operations { get; }

    /// <summary>The number of the contestant's round, from 1.</summary>
    public int Round { get; }

    /// <summary>Mean items per handler call, for a contestant that knows it.</summary>
    public double MeanBatch { get; set; }

    /// <summary>The latencies, where the case records them.</summary>
    public LatencyHistogram? Latency { get; private set; }

    /// <summary>True once every stage that checks has handed in its check, and all agreed.</summary>
    public bool Verified { get; private set; }

    /// <summary>
    /// Whether the stages check the value and the place of every item. Otherwise they only add the items up.
    /// </summary>
    public bool ChecksOrder { get; init; } = true;

    /// <summary>The index of an item to publish wrongly.</summary>
    internal long? CorruptItem { get; }

    /// <summary>How many items one producer publishes.</summary>
    public long ShareOf(int producer) => Body.ShareOf(producer, Shape.Producers, Operations);

    /// <summary>The items of one producer.</summary>
    public Feed FeedOf(int producer = 0) => new(producer, ShareOf(producer), producer == 0 ? CorruptItem : null);

    /// <summary>A fresh check for a stage.</summary>
    public Check NewCheck(int stage) => new(Shape, stage);

    /// <summary>A fresh check for the last stage.</summary>
    public Check NewCheck() => NewCheck(Shape.Stages);

    /// <summary>Hands in the check of a stage, once, when the last item was taken. Any thread.</summary>
    public void Report(Check check, int stage) => Report(check.Agrees(Shape, stage, Operations), stage);

    /// <summary>Hands in the sum of all items that a stage has seen, once, when the last item was taken. Any thread.</summary>
    public void Report(long sum, int stage) => Report(sum == Body.SumOf(Shape, stage, Operations), stage);

    /// <summary>Hands in the check of the last stage.</summary>
    public void Report(Check check) => Report(check, Shape.Stages);

    /// <summary>Hands in the verdict of a case that does not check with <see cref="Check"/>, and its latencies.</summary>
    internal void Report(bool verified, LatencyHistogram latency) => (Verified, Latency) = (verified, latency);

    private void Report(bool agrees, int stage)
    {
        lock (_reported)
        {
            _agreed &= _reported.Add(stage) & agrees;
            Verified = _agreed && _reported.Count == Shape.Checks;
        }
    }

    /// <summary>
    /// Says that one producer is done; <see langword="true"/> for the last of them, which closes the queue.
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
