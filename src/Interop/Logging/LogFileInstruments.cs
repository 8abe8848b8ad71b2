using System.Diagnostics.Metrics;

namespace Raceway.Interop.Logging;

/// <summary>The instruments of all log files: their names, units and what they ask each <see cref="LogFileMeter"/>.</summary>
internal sealed class LogFileInstruments
{
    private static readonly SharedMeter<LogFileInstruments> s_shared =
        new(LogFileMeter.MeterName, static meter => new LogFileInstruments(meter));

    private LogFileInstruments(Meter meter)
    {
        Add("entries", "{entry}", static done => done.Entries, "Entries written.");
        Add("bytes", "By", static done => done.Bytes, "Bytes written.");
        Add("writes", "{write}", static done => done.Writes, "Writes of the file.");
        Add("cut", "{entry}", static done => done.Cut, "Entries cut to the longest length.");
        Add("faults", "{fault}", static done => done.Faults, "Errors of the file.");
        meter.CreateObservableCounter(
            "raceway.log.dropped", () => Files.Each(static one => one.Dropped()), "{entry}", "Entries that are not in the file.");
        meter.CreateObservableUpDownCounter(
            "raceway.log.backlog", () => Files.Each(static one => one.Of(static done => done.Backlog)), "{entry}",
            "Entries that wait in memory.");

        void Add(string figure, string unit, Func<LogFileStatistics, long> of, string description) =>
            meter.CreateObservableCounter($"raceway.log.{figure}", () => Files.Each(one => one.Of(of)), unit, description);
    }

    /// <summary>The files that they tell of.</summary>
    public Metered<LogFileMeter> Files { get; } = new();

    /// <summary>Those of a factory's meter, or of the process.</summary>
    public static LogFileInstruments Of(IMeterFactory? factory) => s_shared.Of(factory);
}
