namespace Raceway.Measuring;

/// <summary>One system under measurement in one case: it runs a whole round and says what came out of it.</summary>
/// <remarks>
/// A contestant is built once, warmed up, and then run in rounds interleaved with its rivals in the same process.
/// Threads it needs are started and stopped inside <see cref="Run"/>, outside the timed part where it can.
/// </remarks>
public interface IContestant
{
    /// <summary>The name in the result rows: <c>raceway/default</c>, <c>channel-bounded</c>, <c>raw</c>, …</summary>
    string Name { get; }

    /// <summary>Threads that spin or work at the same time; more than the cores marks the row oversubscribed.</summary>
    int BusyThreads { get; }

    /// <summary>The most operations of one round, for a contestant that needs more memory for more of them.</summary>
    long MaxOperations => long.MaxValue;

    /// <summary>What a reader of its rows must know of it, where there is something.</summary>
    string? Note => null;

    /// <summary>
    /// The settings that its case varies, by knob; <see langword="null"/> where the name says all. Those of a case that lie
    /// along a knob make its curve (<see cref="SuiteCase.Along"/>).
    /// </summary>
    IReadOnlyDictionary<string, string>? Knobs => null;

    /// <summary>
    /// Finds out what its rounds go by, within about the time that it is given, before anything else of it runs; <see langword="null"/>
    /// where there is nothing to find out. A first round without it does the same in a time of its own.
    /// </summary>
    Action<TimeSpan, CancellationToken>? Preparation => null;

    /// <summary>Runs one round of <paramref name="operations"/> operations and verifies what it computed.</summary>
    Sample Run(long operations, CancellationToken cancellation);
}

/// <summary>What one round gave.</summary>
/// <param name="Operations">Operations done.</param>
/// <param name="Seconds">Wall-clock time of the timed part.</param>
/// <param name="Verified">Count, sum and order agreed with values computed without the contestant.</param>
/// <param name="CpuSeconds">Processor time of the process over the timed part.</param>
/// <param name="AllocatedBytes">Bytes allocated by all threads over the timed part.</param>
public readonly record struct Sample(
    long Operations, double Seconds, bool Verified, double CpuSeconds = 0, long AllocatedBytes = 0)
{
    /// <summary>Operations a second.</summary>
    public double Rate => Operations / Seconds;

    /// <summary>Latencies in nanoseconds, where the round recorded them.</summary>
    public LatencyHistogram? Latency { get; init; }

    /// <summary>Mean items per handler call over the stages, where the contestant knows it.</summary>
    public double MeanBatch { get; init; }

    /// <summary>Whether operations came at a rate that it did not keep up with, and the round was cut.</summary>
    public bool FellBehind { get; init; }

    /// <summary>What the suite counts beside that: work items, lock contentions, the highest concurrency, …</summary>
    public IReadOnlyList<Count> Counts { get; init; } = [];

    /// <summary>Several runs as one round: what adds up is added, latencies are merged, and of the rest it is the median.</summary>
    /// <exception cref="ArgumentException">There are none.</exception>
    public static Sample Of(IReadOnlyList<Sample> runs)
    {
        if (runs.Count == 0)
            throw new ArgumentException("A round must have a run: runs.Count=0. Merge those that there are.", nameof(runs));
        if (runs.Count == 1) return runs[0];
        return new Sample(
            runs.Sum(static one => one.Operations), runs.Sum(static one => one.Seconds), runs.All(static one => one.Verified),
            runs.Sum(static one => one.CpuSeconds), runs.Sum(static one => one.AllocatedBytes))
        {
            Latency = runs.Any(static one => one.Latency is not null)
                ? LatencyHistogram.Merged(runs.Select(static one => one.Latency).OfType<LatencyHistogram>())
                : null,
            MeanBatch = Statistics.Median(runs.Select(static one => one.MeanBatch)),
            FellBehind = 2 * runs.Count(static one => one.FellBehind) > runs.Count,
            Counts =
            [
                .. runs.SelectMany(static one => one.Counts ?? []).GroupBy(static count => (count.Metric, count.Unit)).Select(
                    static all => new Count(all.Key.Metric, all.Key.Unit, Statistics.Median(all.Select(static one => one.Value)))),
            ],
        };
    }
}

/// <summary>One further figure of a round. Less is better if an aim is made of it, unless the aim says otherwise.</summary>
/// <param name="Metric">The name in the result rows.</param>
/// <param name="Unit">Its unit; <c>count</c> where it has none.</param>
/// <param name="Value">The figure.</param>
public readonly record struct Count(string Metric, string Unit, double Value);
