using System.Diagnostics.Metrics;

namespace Raceway.Interop.Logging;

/// <summary>A log file's figures as instruments of <see cref="System.Diagnostics.Metrics"/>, until it is disposed.</summary>
/// <remarks><b>Threads</b>: every member by any thread. <b>Cost</b>: none until a listener reads them.</remarks>
/// <example>
/// <code>
/// await using var file = new LogFile("logs/audit.log");
/// using LogFileMeter meter = file.CreateMeter("audit");
/// </code>
/// </example>
public sealed class LogFileMeter : IDisposable
{
    /// <summary>The meter's name: what a listener or an exporter asks for.</summary>
    public const string MeterName = "Raceway.Logging";

    private readonly LogFileInstruments _instruments;
    private readonly KeyValuePair<string, object?> _tag;
    private readonly Func<LogFileStatistics> _read;

    internal LogFileMeter(string name, Func<LogFileStatistics> read, IMeterFactory? factory)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        _tag = new("raceway.log.name", name);
        _read = read;
        _instruments = LogFileInstruments.Of(factory);
        _instruments.Files.Add(this);
    }

    /// <summary>Takes the file's figures back: no listener reads them any more. Idempotent. The instruments stay, for other files.</summary>
    public void Dispose() => _instruments.Files.Remove(this);

    internal Measurement<long> Of(Func<LogFileStatistics, long> figure) => new(figure(_read()), _tag);

    internal IEnumerable<Measurement<long>> Dropped()
    {
        LogFileStatistics done = _read();
        return
        [
            new(done.Dropped, _tag, new("raceway.log.reason", "full")),
            new(done.Failed, _tag, new("raceway.log.reason", "file")),
            new(done.Unformatted, _tag, new("raceway.log.reason", "format")),
            new(done.Refused, _tag, new("raceway.log.reason", "disposed")),
        ];
    }
}
