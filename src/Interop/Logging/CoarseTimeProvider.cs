namespace Raceway.Interop.Logging;

/// <summary>The system's time as of the last tick of its counter, some milliseconds ago at most. For <see cref="LogFileOptions.Time"/>.</summary>
/// <remarks>
/// <para>A log call reads the clock, which is a quarter of a short call. A look at the tick count
/// (<see cref="Environment.TickCount64"/>) costs a fraction of that. So a thread reads the clock again only when the tick count has changed.</para>
/// <para><b>Accuracy</b>: a tick is 1 to 4 ms on Linux, some 16 ms on Windows. A time is never in the future. It does not go back within
/// a thread, unless the system's clock does; between threads it may, by a tick.</para>
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
