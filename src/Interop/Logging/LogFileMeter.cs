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
    /// <summary>The name of every such meter: what a listener or an exporter asks for.</summary>
    public const string MeterName = "Raceway.Logging";

    private const string ReasonTag = "raceway.log.reason";

    private readonly Meter _meter;

    internal LogFileMeter(string name, Func<LogFileStatistics> read, IMeterFactory? factory)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        KeyValuePair<string, object?> tag = new("raceway.log.name", name);
        var options = new MeterOptions(MeterName) { Version = typeof(LogFileMeter).Assembly.GetName().Version?.ToString(3) };
        _meter = factory?.Create(options) ?? new Meter(options);
        Add("entries", "{entry}", static done => done.Entries, "Entries written.");
        Add("bytes", "By", static done => done.Bytes, "Bytes written.");
        Add("writes", "{write}", static done => done.Writes, "Writes of the file.");
        Add("cut", "{entry}", static done => done.Cut, "Entries cut to the longest length.");
        Add("faults", "{fault}", static done => done.Faults, "Errors of the file.");
        _meter.CreateObservableCounter("raceway.log.dropped", () => Dropped(read(), tag), "{entry}", "Entries that are not in the file.");
        _meter.CreateObservableUpDownCounter(
            "raceway.log.backlog", () => new Measurement<long>(read().Backlog, tag), "{entry}", "Entries that wait in memory.");

        void Add(string figure, string unit, Func<LogFileStatistics, long> of, string description) =>
            _meter.CreateObservableCounter($"raceway.log.{figure}", () => new Measurement<long>(of(read()), tag), unit, description);
    }

    /// <summary>Takes the instruments back. Idempotent.</summary>
    public void Dispose() => _meter.Dispose();

    private static Measurement<long>[] Dropped(LogFileStatistics done, KeyValuePair<string, object?> tag) =>
    [
        new(done.Dropped, tag, new(ReasonTag, "full")),
        new(done.Failed, tag, new(ReasonTag, "file")),
        new(done.Unformatted, tag, new(ReasonTag, "format")),
        new(done.Refused, tag, new(ReasonTag, "disposed")),
    ];
}
