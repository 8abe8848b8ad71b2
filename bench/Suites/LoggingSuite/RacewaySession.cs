using Microsoft.Extensions.Logging;
using Raceway.Interop.Logging;

namespace Raceway.Suites.LoggingSuite;

/// <summary>Ours behind Microsoft.Extensions.Logging, with a message by its source generator.</summary>
internal sealed partial class RacewaySession : LogSession
{
    private readonly ILoggerFactory _factory;
    private readonly ILogger _logger;

    public RacewaySession(string path)
    {
        _factory = LoggerFactory.Create(builder => builder.AddRacewayFile(path, static options => options.Capacity = LoggingCases.Capacity));
        _logger = _factory.CreateLogger(LogEntryText.Category);
    }

    public override void Log(int thread, int id) => Packed(_logger, id, LogEntryText.CustomerOf(id), thread);

    public override void Dispose() => _factory.Dispose();

    [LoggerMessage(0, LogLevel.Information, LogEntryText.Template)]
    private static partial void Packed(ILogger logger, int id, int customer, int thread);
}

/// <summary>Ours alone: the entry is formatted as UTF-8, so that nothing is allocated for it.</summary>
internal sealed class LogFileSession(string path) : LogSession
{
    private readonly LogFile _file = new(path, new LogFileOptions { Capacity = LoggingCases.Capacity });

    public override void Log(int thread, int id) => _file.Write(LogLevel.Information, (thread, id), static (entry, writer) =>
    {
        writer.WriteTimestamp();
        writer.Advance(LogEntryText.Write(writer.GetSpan(LogEntryText.MostLength), entry.thread, entry.id));
    });

    public override void Dispose() => _file.Dispose();
}
