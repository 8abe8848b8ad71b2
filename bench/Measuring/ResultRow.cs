namespace Raceway.Measuring;

/// <summary>One figure of one contestant in one case, as written by <c>--json</c>.</summary>
public sealed record ResultRow
{
    /// <summary>The case, such as <c>1p-1c</c>.</summary>
    public required string Case { get; init; }

    /// <summary>The contestant that was measured.</summary>
    public required string Contestant { get; init; }

    /// <summary><c>throughput</c>, <c>time</c>, <c>latency-p50</c>, <c>allocated</c>, <c>cpu</c>, …</summary>
    public required string Metric { get; init; }

    /// <summary><c>events/s</c>, <c>ns</c>, <c>B/event</c>, <c>s</c>, …</summary>
    public required string Unit { get; init; }

    /// <summary>Median over the rounds; absent where nothing was measured.</summary>
    public double? Median { get; init; }

    /// <summary>Lower end of the 95 % interval of the median.</summary>
    public double? Low { get; init; }

    /// <summary>Upper end of the 95 % interval of the median.</summary>
    public double? High { get; init; }

    /// <summary>Smallest round.</summary>
    public double? Min { get; init; }

    /// <summary>Largest round.</summary>
    public double? Max { get; init; }

    /// <summary>Rounds counted.</summary>
    public int Rounds { get; init; }

    /// <summary>True only where every round's count, sum and order were right.</summary>
    public bool Verified { get; init; }

    /// <summary>More busy threads than cores.</summary>
    public bool Oversubscribed { get; init; }

    /// <summary>What a reader must know: <c>not built in</c>, the line class, …</summary>
    public string? Note { get; init; }

    /// <summary>
    /// The settings that were varied, by knob: <c>dispatch</c>, <c>batch</c>, <c>wait</c>, <c>capacity</c>, <c>plan</c>, …
    /// Absent where the contestant's name says all.
    /// </summary>
    public IReadOnlyDictionary<string, string>? Knobs { get; init; }
}
