using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>The one monotone clock: <see cref="Stopwatch"/> ticks.</summary>
internal static class Clock
{
    /// <summary>A point in time that never comes.</summary>
    public const long Never = long.MaxValue;

    public static long Now => Stopwatch.GetTimestamp();

    public static long Ticks(TimeSpan span) => (long)(span.TotalSeconds * Stopwatch.Frequency);

    /// <summary>The point <paramref name="span"/> from now; never, where it is infinite.</summary>
    public static long In(TimeSpan span) => span == Timeout.InfiniteTimeSpan ? Never : After(Now, span);

    /// <summary>How long <paramref name="ticks"/> take.</summary>
    public static TimeSpan Span(long ticks) => new((long)(ticks * ((double)TimeSpan.TicksPerSecond / Stopwatch.Frequency)));

    /// <summary>The point <paramref name="span"/> behind another; never, where it is infinite or as good as that.</summary>
    public static long After(long start, TimeSpan span) =>
        span == Timeout.InfiniteTimeSpan ? Never : After(start, Ticks(span));

    /// <summary>The same in ticks.</summary>
    public static long After(long start, long ticks) => ticks > long.MaxValue / 2 ? Never : start + ticks;

    /// <summary>Whole milliseconds until <paramref name="deadline"/>, rounded down; infinite where it never comes.</summary>
    public static int MillisecondsUntil(long deadline)
    {
        if (deadline == Never) return Timeout.Infinite;
        long left = deadline - Now;
        return left <= 0 ? 0 : (int)Math.Min(int.MaxValue, left * 1000 / Stopwatch.Frequency);
    }
}
