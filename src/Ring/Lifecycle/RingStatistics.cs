namespace Raceway.Rings;

/// <summary>How full a ring is, and how its producers have waited for room; a snapshot, its figures taken one after another.</summary>
public sealed record RingStatistics
{
    /// <summary>Number of slots.</summary>
    public required int Capacity { get; init; }

    /// <summary>Items published that not every last stage has passed; clamped to 0..capacity.</summary>
    public long Backlog { get; init; }

    /// <summary>Waits for room entered, over all producers there have been.</summary>
    public long Waits { get; init; }

    /// <summary>Those that put a thread to sleep, or held none from the start.</summary>
    public long Parks { get; init; }

    /// <summary>Time in which producers waited for room, summed over all there have been; that of the waits under way included.</summary>
    public TimeSpan Blocked { get; init; }

    /// <summary>Time from when a sleeping producer was signalled until it ran, summed over all.</summary>
    public TimeSpan Waking { get; init; }
}
