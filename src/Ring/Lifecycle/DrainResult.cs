namespace Raceway.Rings;

/// <summary>How a drain ended.</summary>
public enum DrainStatus
{
    /// <summary>Every stage has handled everything that was published, and has ended.</summary>
    Drained,

    /// <summary>The time was up; the stages go on.</summary>
    TimedOut,

    /// <summary>A stage failed for good meanwhile, or before.</summary>
    Faulted,

    /// <summary>The ring was halted with items left over.</summary>
    Halted,
}

/// <summary>What a drain came to.</summary>
/// <param name="Status">How it ended.</param>
/// <param name="Target">The last claimed sequence: where every stage had to get to.</param>
/// <param name="Positions">Where each stage is.</param>
/// <param name="Fault">Why it failed, where it did.</param>
public sealed record DrainResult(
    DrainStatus Status, long Target, IReadOnlyList<StagePosition> Positions, Exception? Fault = null)
{
    /// <summary>True where everything was handled.</summary>
    public bool IsDrained => Status == DrainStatus.Drained;

    /// <summary>The status, and who lags where somebody does.</summary>
    public override string ToString()
    {
        var lagging = Positions.Where(stage => stage.Sequence < Target).ToList();
        return IsDrained || lagging.Count == 0
            ? Status.ToString()
            : $"{Status}: {string.Join(", ", lagging.Select(stage => $"{stage.Stage} at {stage.Sequence} of {Target}"))}";
    }
}

/// <summary>Where a stage is.</summary>
/// <param name="Stage">Its name.</param>
/// <param name="Sequence">The last sequence it has passed.</param>
public readonly record struct StagePosition(string Stage, long Sequence);
