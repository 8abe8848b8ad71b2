using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>Where an open loop has its time from; tests give it one that they move themselves.</summary>
internal interface IClock
{
    /// <summary>The time in ticks of <see cref="Stopwatch"/>.</summary>
    long Now { get; }
}

/// <summary>The clock of every measurement: <see cref="Stopwatch"/>, some 20 to 30 ns a reading.</summary>
internal readonly struct StopwatchClock : IClock
{
    /// <inheritdoc/>
    public long Now
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Stopwatch.GetTimestamp();
    }

    /// <summary>Ticks in nanoseconds.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long NanosecondsOf(long ticks) =>
        Stopwatch.Frequency == 1_000_000_000 ? ticks : (long)(ticks * 1e9 / Stopwatch.Frequency);
}
