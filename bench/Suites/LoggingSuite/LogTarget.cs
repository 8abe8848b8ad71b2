namespace Raceway.Suites.LoggingSuite;

/// <summary>A logger that writes a file, set up as its own documentation advises for speed.</summary>
/// <param name="Name">In the rows.</param>
/// <param name="Open">Opens it on a file.</param>
internal sealed record LogTarget(string Name, Func<string, LogSession> Open);

/// <summary>An open logger. Disposal writes all that was logged.</summary>
internal abstract class LogSession : IDisposable
{
    /// <summary>Logs the entry of that thread and number.</summary>
    public abstract void Log(int thread, int id);

    public abstract void Dispose();
}

/// <summary>The contestants.</summary>
internal static class LogTargets
{
    public static IReadOnlyList<LogTarget> All { get; } =
    [
        new("raceway/default", HostedSession.ToRaceway),
        new("raceway/serilog", static path => new SerilogSession(path, SerilogSession.ToRaceway)),
        new("raceway/log-file", static path => new LogFileSession(path)),
        new("serilog-async", static path => new SerilogSession(path, SerilogSession.ToAsyncFile)),
        new("nlog-async", static path => new NLogSession(path)),
        new("nlog-ilogger", HostedSession.ToNLog),
        new("zlogger", static path => new ZLoggerSession(path)),
    ];
}
