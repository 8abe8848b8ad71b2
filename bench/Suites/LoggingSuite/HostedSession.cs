using Microsoft.Extensions.Logging;
using NLog;
using NLog.Extensions.Logging;
using Raceway.Interop.Logging;
using ILogger = Microsoft.Extensions.Logging.ILogger;
using LogLevel = Microsoft.Extensions.Logging.LogLevel;

namespace Raceway.Suites.LoggingSuite;

/// <summary>A logger behind Microsoft.Extensions.Logging, as hosts have it, with a message by its source generator.</summary>
internal sealed partial class HostedSession : LogSession
{
    private readonly ILoggerFactory _factory;
    private readonly ILogger _logger;

    private readonly Action? _close;

    private HostedSession(Action<ILoggingBuilder> add, Action? close = null)
    {
        _close = close;
        _factory = LoggerFactory.Create(add);
        _logger = _factory.CreateLogger(LogEntryText.Category);
    }

    /// <summary>Into our file.</summary>
    public static HostedSession ToRaceway(string path) =>
        new(builder => builder.AddRacewayFile(path, static options => options.Capacity = LoggingCases.Capacity));

    /// <summary>Into NLog's file, by NLog's own provider.</summary>
    public static HostedSession ToNLog(string path)
    {
        LogFactory factory = NLogSession.OpenFactory(path);
        return new(builder => builder.AddNLog(_ => factory), () => NLogSession.Close(factory));
    }

    public override void Log(int thread, int id) => Packed(_logger, id, LogEntryText.CustomerOf(id), thread);

    public override void Dispose()
    {
        _factory.Dispose();
        _close?.Invoke();
    }

    [LoggerMessage(0, LogLevel.Information, LogEntryText.Template)]
    private static partial void Packed(ILogger logger, int id, int customer, int thread);
}
