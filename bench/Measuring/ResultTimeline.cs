namespace Raceway.Measuring;

/// <summary>Where a stage's time went during one run, as written by <c>--json</c>.</summary>
public sealed record ResultTimeline
{
    /// <summary>The case.</summary>
    public required string Case { get; init; }

    /// <summary>The contestant that was measured.</summary>
    public required string Contestant { get; init; }

    /// <summary>The stage.</summary>
    public required string Stage { get; init; }

    /// <summary>What was seen, by rising time.</summary>
    public required IReadOnlyList<TimelineSample> Samples { get; init; }
}

/// <summary>What a stage did since the sample before.</summary>
/// <param name="At">Seconds since the run began, at the end of what the sample covers.</param>
/// <param name="Working">Seconds of work.</param>
/// <param name="Starved">Seconds of waiting for items.</param>
/// <param name="Blocked">Seconds of waiting for room.</param>
/// <param name="Waking">Seconds between a signal and running.</param>
/// <param name="Items">Items handled.</param>
/// <param name="Batches">Batches they came in.</param>
/// <param name="Lag">Items published and not yet passed by the stage, at the end.</param>
public sealed record TimelineSample(
    double At, double Working, double Starved, double Blocked, double Waking, long Items, long Batches, long Lag);
