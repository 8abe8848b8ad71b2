namespace Raceway.Rings;

/// <summary>Where a ring is in its one life. There is no way back.</summary>
public enum RingState
{
    /// <summary>Built, not started. Producers may publish up to the capacity: gating holds from construction on.</summary>
    Created,

    /// <summary>Its stages run.</summary>
    Running,

    /// <summary>No new claims; what was published is still handled.</summary>
    Draining,

    /// <summary>Every stage has ended.</summary>
    Stopped,

    /// <summary>A stage failed for good. Terminal.</summary>
    Faulted,
}
