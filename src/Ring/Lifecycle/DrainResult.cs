namespace Raceway.Rings;

/// <summary>How a drain ended.</summary>
public enum DrainStatus
{
    /// <summary>Every stage has handled everything that was published, and has ended.</summary>
    Drained,

    /// <summary>The time was up before the ring had ended; the stages go on, or end after a halt or fault.</summary>
    TimedOut,

    /// <summary>A stage failed for good meanwhile, or before, and the ring has ended.</summary>
    Faulted,

    /// <summary>The ring was halted with items left over, and has ended.</summary>
    Halted,
}

/// <summary>What a drain came to.</summary>
/// <param name="Status">How it ended.</param>
/// <param name="Target">The last claimed sequence: where every stage had to get to.</param>
/// <param name="Positions">Where each stage is.</param>
/// <param name="Fault">Why the ring failed, if it did; also where the time was up before it had ended.</param>
public sealed record DrainResult(
    DrainStatus Status, long Target, IReadOnlyList<StagePosition> Positions, Exception? Fault = null)
{
    /// <summary>True where everything was handled.</summary>
    public bool IsDrained => Status == DrainStatus.Drained;

    /// <summary>If the time was up: the stages that may still call their handler or its stop hook.</summary>
    public IReadOnlyList<string> NotEnded { get; init; } = [];

    /// <summary>The status, the fault where the time was up after it, and the stages that lag or have not ended.</summary>
    public override string ToString()
    {
        string status = Status == DrainStatus.TimedOut && Fault is not null ? $"{Status} ({Fault.Message})" : Status.ToString();
        if (IsDrained) return status;
        // What has ended is not what the time was up for.
        string[] lagging =
        [
            .. Positions.Where(stage => stage.Sequence < Target && (NotEnded.Count == 0 || NotEnded.Contains(stage.Stage)))
                .Select(stage => $"{stage.Stage} at {stage.Sequence} of {Target}"),
        ];
        if (lagging.Length > 0) return $"{status}: {string.Join(", ", lagging)}";
        return NotEnded.Count == 0 ? status : $"{status}: {string.Join(", ", NotEnded)} not ended";
    }
}

/// <summary>Where a stage is.</summary>
/// <param name="Stage">Its name.</param>
/// <param name="Sequence">The last sequence it has passed.</param>
public readonly record struct StagePosition(string Stage, long Sequence);
