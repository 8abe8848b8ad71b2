namespace Raceway.Rings;

/// <summary>What a step did.</summary>
public enum StepKind
{
    /// <summary>Items were handled.</summary>
    Progressed,

    /// <summary>Nothing to do: what the stage waits for is not there.</summary>
    Idle,

    /// <summary>A handler has not returned or completed, or a retry is not due.</summary>
    Pending,

    /// <summary>The stage has ended; it will never do anything again.</summary>
    Stopped,
}

/// <summary>What a step did, and whether more is known to be there.</summary>
/// <param name="Kind">What it did.</param>
/// <param name="Count">Items handled.</param>
/// <param name="More">Further items are known already: step again without waiting.</param>
public readonly record struct StepResult(StepKind Kind, int Count = 0, bool More = false)
{
    internal static StepResult Idle => new(StepKind.Idle);

    internal static StepResult Pending => new(StepKind.Pending);

    internal static StepResult Stopped => new(StepKind.Stopped);
}
