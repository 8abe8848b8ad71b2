namespace Raceway.Measuring;

/// <summary>A curve of one contestant in one case, as written by <c>--json</c>.</summary>
public sealed record ResultCurve
{
    /// <summary>The case.</summary>
    public required string Case { get; init; }

    /// <summary>The contestant that was measured.</summary>
    public required string Contestant { get; init; }

    /// <summary>What it shows: <c>percentiles</c>, <c>latency-against-load</c>, <c>stride</c>, …</summary>
    public required string Kind { get; init; }

    /// <summary>What is along, with its unit: <c>percentile</c>, <c>events/s</c>, <c>bytes</c>, …</summary>
    public required string X { get; init; }

    /// <summary>What is upwards, with its unit: <c>ns</c>, <c>ns/event</c>, …</summary>
    public required string Y { get; init; }

    /// <summary>The points, each an x and a y, by rising x.</summary>
    public required IReadOnlyList<IReadOnlyList<double>> Points { get; init; }
}
