using NLog;
using NLog.Config;
using NLog.Layouts;
using NLog.Targets;
using NLog.Targets.Wrappers;

namespace Raceway.Suites.LoggingSuite;

/// <summary>NLog's file behind its async wrapper, which writes as soon as there is something and flushes when it has to.</summary>
internal sealed class NLogSession : LogSession
{
    private readonly LogFactory _factory = new();
    private readonly Logger _logger;

    public NLogSession(string path)
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
        var configuration = new LoggingConfiguration(_factory);
        configuration.AddRuleForAllLevels(wrapper);
        _factory.Configuration = configuration;
        _logger = _factory.GetLogger(LogEntryText.Category);
    }

    public override void Log(int thread, int id) => _logger.Info(LogEntryText.Template, id, LogEntryText.CustomerOf(id), thread);

    public override void Dispose()
    {
        _factory.Shutdown();
        _factory.Dispose();
    }
}
