using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>The monotone clock of this machine, in <see cref="Stopwatch"/> ticks, and the pauses that go by it.</summary>
/// <remarks>
/// For what threads and processors do: spin budgets, time slices, turns, stall times, and looks at what nothing signals.
/// Limits that a user sets go by a <see cref="Clock"/>, which has the same ticks.
/// </remarks>
internal static class MachineClock
{
    public static long Now => Stopwatch.GetTimestamp();

    /// <summary>The point <paramref name="span"/> from now; never if it is infinite.</summary>
    public static long In(TimeSpan span) => span == Timeout.InfiniteTimeSpan ? Clock.Never : Clock.After(Now, span);

    /// <summary>Whole milliseconds until <paramref name="deadline"/>, rounded down; infinite if it never comes.</summary>
    public static int MillisecondsUntil(long deadline)
    {
        if (deadline == Clock.Never) return Timeout.Infinite;
        long left = deadline - Now;
        return left <= 0 ? 0 : (int)Math.Min(int.MaxValue, left * 1000 / Stopwatch.Frequency);
    }

    /// <summary>A millisecond's pause before another look at something that signals no change.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static Task PauseAsync(CancellationToken cancellation = default) =>
        Task.Delay(TimeSpan.FromMilliseconds(1), cancellation);

    /// <summary>A pause before another look at something that may never change: so long that looking costs nothing that shows.</summary>
    public static Task LongPauseAsync() => Task.Delay(TimeSpan.FromMilliseconds(50));
}
