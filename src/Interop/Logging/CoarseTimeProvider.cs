namespace Raceway.Interop.Logging;

/// <summary>The system's time as it was at the last tick of the system. For <see cref="LogFileOptions.Time"/>.</summary>
/// <remarks>
/// <para>A log call reads the clock, which takes some 25 ns. A look at the tick count (<see cref="Environment.TickCount64"/>) takes a
/// fraction of that. So a thread reads the clock again only when the tick count has changed. Serilog's events have a time of their own:
/// there it changes nothing.</para>
/// <para><b>Accuracy</b>: a time is up to a tick behind. A tick is 1 to 10 ms on Linux, mostly 4, and some 16 ms on Windows. Times of a
/// thread do not go back, unless the system's clock does; those of two threads may, by a tick. Timers and time stamps are exact.</para>
/// <para><b>Threads</b>: any. <b>Cost</b>: some nanoseconds; nothing is allocated.</para>
/// </remarks>
/// <example>
/// <code>
/// using var file = new LogFile("logs/app.log", new LogFileOptions { Time = CoarseTimeProvider.Instance });
/// </code>
/// </example>
public sealed class CoarseTimeProvider : TimeProvider
{
    [ThreadStatic]
    private static long t_tick;

    [ThreadStatic]
    private static DateTime t_time;

    private CoarseTimeProvider()
    {
    }

    /// <summary>The only one.</summary>
    public static CoarseTimeProvider Instance { get; } = new();

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow()
    {
        // The tick first: a time that is read behind it belongs to it, or to a later one.
        long tick = Environment.TickCount64;
        if (tick != t_tick) (t_tick, t_time) = (tick, DateTime.UtcNow);
        return new DateTimeOffset(t_time, TimeSpan.Zero);
    }
}
