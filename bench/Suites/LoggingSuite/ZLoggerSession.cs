using Microsoft.Extensions.Logging;
using ZLogger;

namespace Raceway.Suites.LoggingSuite;

/// <summary>ZLogger's file, with a message by its source generator.</summary>
internal sealed partial class ZLoggerSession : LogSession
{
    private readonly ILoggerFactory _factory;
    private readonly ILogger _logger;

    public ZLoggerSession(string path)
    {
        _factory = LoggerFactory.Create(builder => builder.AddZLoggerFile(path, static options =>
        {
            options.FullMode = BackgroundBufferFullMode.Block;
            options.BackgroundBufferCapacity = LoggingCases.Capacity;
            options.UsePlainTextFormatter(static formatter => formatter.SetPrefixFormatter(
                $"{0:utc-longdate}Z {1:short} {2}: ",
                static (in MessageTemplate template, in LogInfo info) => template.Format(info.Timestamp, info.LogLevel, info.Category)));
        }));
        _logger = _factory.CreateLogger(LogEntryText.Category);
    }

    public override void Log(int thread, int id) => Packed(_logger, id, LogEntryText.CustomerOf(id), thread);

    public override void Dispose() => _factory.Dispose();

    [ZLoggerMessage(LogLevel.Information, LogEntryText.Template)]
    private static partial void Packed(ILogger logger, int id, int customer, int thread);
}
