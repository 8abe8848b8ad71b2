using Microsoft.Extensions.Logging;
using Raceway.Interop.Logging;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;
using Serilog.Parsing;

namespace Raceway.Interop.Serilog;

/// <summary>Formats an event on the thread that logs it, and hands the bytes to the file's writer.</summary>
internal sealed class RacewayFileSink : ILogEventSink, IDisposable, IAsyncDisposable
{
    private static readonly MessageTemplate s_notice = new MessageTemplateParser().Parse("{Loss:l}");

    private readonly ITextFormatter _formatter;
    private readonly EntryFormat<LogEvent> _format;
    private readonly LogFile _file;

    public RacewayFileSink(ITextFormatter formatter, string path, LogFileOptions options)
    {
        _formatter = formatter;
        _format = (entry, writer) => _formatter.Format(entry, writer);
        _file = new LogFile(path, options, WriteNotice);
    }

    public void Emit(LogEvent logEvent)
    {
        ArgumentNullException.ThrowIfNull(logEvent);
        _file.Write(LevelOf(logEvent.Level), logEvent, _format);
    }

    public void Dispose() => _file.Dispose();

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    // Verbose to Fatal are Trace to Critical, in the same order.
    private static LogLevel LevelOf(LogEventLevel level) => (LogLevel)Math.Clamp((int)level, (int)LogLevel.Trace, (int)LogLevel.Critical);

    // An event like any other, so that what reads the file can read it.
    private void WriteNotice(LogLoss loss, EntryWriter writer)
    {
        LogEventProperty[] properties =
        [
            new("Loss", new ScalarValue(loss.ToString())),
            new(Constants.SourceContextPropertyName, new ScalarValue(typeof(LogFile).Namespace)),
        ];
        _formatter.Format(new LogEvent(writer.Timestamp, LogEventLevel.Warning, null, s_notice, properties), writer);
    }
}
