namespace Raceway.Measuring;

/// <summary>A contestant that also reports what the kernel's counters counted in each round, per operation.</summary>
/// <param name="inner">The contestant.</param>
/// <param name="counters">Opened by the thread that starts the rounds.</param>
public sealed class CountedContestant(IContestant inner, PerfCounters counters) : IContestant
{
    /// <inheritdoc/>
    public string Name => inner.Name;

    /// <inheritdoc/>
    public int BusyThreads => inner.BusyThreads;

    /// <inheritdoc/>
    public long MaxOperations => inner.MaxOperations;

    /// <inheritdoc/>
    public string? Note => inner.Note;

    /// <inheritdoc/>
    public IReadOnlyDictionary<string, string>? Knobs => inner.Knobs;

    /// <inheritdoc/>
    public Action<TimeSpan, CancellationToken>? Preparation => inner.Preparation;

    /// <summary>What is counted.</summary>
    public IContestant Inner => inner;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        long[] before = counters.Read();
        Sample sample = inner.Run(operations, cancellation);
        long[] after = counters.Read();
        return sample with
        {
            Counts =
            [
                .. sample.Counts,
                .. counters.Metrics.Select((metric, at) =>
                    new Count(metric, "1/operation", (double)(after[at] - before[at]) / sample.Operations)),
            ],
        };
    }
}
