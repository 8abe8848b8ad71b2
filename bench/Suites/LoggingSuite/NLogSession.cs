using NLog;
using NLog.Config;
using NLog.Layouts;
using NLog.Targets;
using NLog.Targets.Wrappers;

namespace Raceway.Suites.LoggingSuite;

/// <summary>NLog by its own interface: its file behind its async wrapper, which writes as soon as there is something and flushes when it has to.</summary>
internal sealed class NLogSession : LogSession
{
    private readonly LogFactory _factory;
    private readonly Logger _logger;

    public NLogSession(string path)
    {
        _factory = OpenFactory(path);
        _logger = _factory.GetLogger(LogEntryText.Category);
    }

    /// <summary>What it writes by; also behind another front.</summary>
    public static LogFactory OpenFactory(string path)
    {
        var file = new FileTarget("file")
        {
            FileName = Layout.FromLiteral(path),
            Layout = @"${date:universalTime=true:format=yyyy-MM-dd HH\:mm\:ss.fff}Z ${level:uppercase=true:truncate=3} ${logger}: ${message}",
            LineEnding = LineEndingMode.LF,
            KeepFileOpen = true,
            AutoFlush = false,
        };
        var wrapper = new AsyncTargetWrapper("async", file)
        {
            QueueLimit = LoggingCases.Capacity,
            OverflowAction = AsyncTargetWrapperOverflowAction.Block,
        };
        var factory = new LogFactory();
        var configuration = new LoggingConfiguration(factory);
        configuration.AddRuleForAllLevels(wrapper);
        factory.Configuration = configuration;
        return factory;
    }

    /// <summary>Writes what was logged, and ends it.</summary>
    public static void Close(LogFactory factory)
    {
        factory.Shutdown();
        factory.Dispose();
    }

    public override void Log(int thread, int id) => _logger.Info(LogEntryText.Template, id, LogEntryText.CustomerOf(id), thread);

    public override void Dispose() => Close(_factory);
}
