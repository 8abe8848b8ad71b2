namespace Raceway.Measuring;

/// <summary>A contestant that runs one piece of work: what is timed, counted and judged is the same for everyone.</summary>
/// <remarks>A round: <see cref="Prepare"/>, then <see cref="Work"/> timed, then <see cref="Finish"/>.</remarks>
public abstract class ScenarioContestant(string name) : IContestant
{
    /// <inheritdoc/>
    public string Name { get; } = name;

    /// <inheritdoc/>
    public virtual int BusyThreads => 1;

    /// <inheritdoc/>
    public virtual long MaxOperations => long.MaxValue;

    /// <inheritdoc/>
    public virtual string? Note { get; init; }

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        operations = Rounded(operations);
        Prepare(operations);
        RuntimeCounts counts = RuntimeCounts.Start();
        Usage usage = Usage.Start();
        Work(operations, cancellation);
        UsageReading used = usage.Stop();
        Count[] counted = counts.Stop();
        bool verified = Finish(operations, out IReadOnlyList<Count> further);
        return new Sample(operations, used.Seconds, verified, used.CpuSeconds, used.AllocatedBytes)
        {
            Latency = Latency,
            Counts = [.. counted, .. further],
        };
    }

    /// <summary>The latencies of the round, where it records them.</summary>
    protected LatencyHistogram? Latency { get; set; }

    /// <summary>The operations of a round where not every number can be had; 1 or more.</summary>
    protected virtual long Rounded(long operations) => operations;

    /// <summary>Builds what the round needs; not timed.</summary>
    protected virtual void Prepare(long operations)
    {
    }

    /// <summary>The timed part: all operations are done when it returns.</summary>
    protected abstract void Work(long operations, CancellationToken cancellation);

    /// <summary>Cleans up, and says whether count, sum and order are what they must be.</summary>
    /// <param name="operations">As given to <see cref="Work"/>.</param>
    /// <param name="further">Figures of this suite's own.</param>
    protected abstract bool Finish(long operations, out IReadOnlyList<Count> further);
}
