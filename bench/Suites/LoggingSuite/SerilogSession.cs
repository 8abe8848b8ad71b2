using System.Globalization;
using Raceway.Interop.Logging;
using Serilog;
using Serilog.Configuration;
using Serilog.Core;

namespace Raceway.Suites.LoggingSuite;

/// <summary>Serilog, into its own file behind its async wrapper or into ours.</summary>
internal sealed class SerilogSession : LogSession
{
    private const string Template = "{Timestamp:yyyy-MM-dd HH:mm:ss.fff}Z {Level:u3} {SourceContext}: {Message:lj}{NewLine}";

    private readonly Logger _logger;
    private readonly ILogger _orders;

    public SerilogSession(string path, Func<LoggerSinkConfiguration, string, LoggerConfiguration> to)
    {
        _logger = to(new LoggerConfiguration().WriteTo, path).CreateLogger();
        _orders = _logger.ForContext(Constants.SourceContextPropertyName, LogEntryText.Category);
    }

    /// <summary>Its async wrapper round its file, which collects what it writes.</summary>
    public static LoggerConfiguration ToAsyncFile(LoggerSinkConfiguration to, string path) => to.Async(
        file => file.File(
            path, outputTemplate: Template, formatProvider: CultureInfo.InvariantCulture, buffered: true, fileSizeLimitBytes: null,
            flushToDiskInterval: TimeSpan.FromSeconds(1)),
        LoggingCases.Capacity, blockWhenFull: true);

    /// <summary>Our sink, with the same template.</summary>
    public static LoggerConfiguration ToRaceway(LoggerSinkConfiguration to, string path) => to.RacewayFile(
        path, new LogFileOptions { Capacity = LoggingCases.Capacity }, Template, CultureInfo.InvariantCulture);

    public override void Log(int thread, int id) => _orders.Information(LogEntryText.Template, id, LogEntryText.CustomerOf(id), thread);

    public override void Dispose() => _logger.Dispose();
}
