namespace Raceway.Rings;

/// <summary>Why a thread or a unit waits, as far as its time is told apart.</summary>
internal enum Stall
{
    /// <summary>A stage: for items.</summary>
    Starved,

    /// <summary>For room: a producer, or a stage that gives on what it takes.</summary>
    Blocked,

    /// <summary>For its thread: what it waited for is there.</summary>
    Waking,

    /// <summary>For its own handler's task, or for the pause before a retry: that is work.</summary>
    Own,
}

/// <summary>Where the time has gone so far, in <see cref="MachineClock"/> ticks.</summary>
internal readonly record struct StallTimes(long Working, long Starved, long Blocked, long Waking)
{
    public static StallTimes operator +(StallTimes one, StallTimes other) => new(
        one.Working + other.Working, one.Starved + other.Starved, one.Blocked + other.Blocked, one.Waking + other.Waking);

    public static StallTimes operator -(StallTimes one, StallTimes other) => new(
        one.Working - other.Working, one.Starved - other.Starved, one.Blocked - other.Blocked, one.Waking - other.Waking);
}
