namespace Raceway.Rings.Tests;

/// <summary>What has been told of a time that a test has moved.</summary>
internal static class Meeting
{
    /// <summary>
    /// Until what waits by this clock has met the time as it is now: it has a timer that has not rung, or has looked and gone on
    /// (a look under way is one, the next is of now, and with a third its answer was not that it is over), or it
    /// <paramref name="isOver"/>.
    /// </summary>
    public static Task IsMet(this WatchedTime time, Func<bool> isOver, Ring ring)
    {
        long before = time.Looks;
        return Watchdog.UntilAsync(() => isOver() || time.SetTimers > 0 || time.Looks >= before + 3, ring);
    }
}
