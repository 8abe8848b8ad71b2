using System.Diagnostics.Metrics;

namespace Raceway.Interop.Journal;

/// <summary>The instruments of all journals: their names and units.</summary>
internal sealed class JournalInstruments
{
    private static readonly SharedMeter<JournalInstruments> s_shared =
        new(JournalMeter.MeterName, static meter => new JournalInstruments(meter));

    private JournalInstruments(Meter meter)
    {
        SyncTimes = meter.CreateHistogram<double>("raceway.journal.sync.time", "s", "How long a sync took.");
        Groups = meter.CreateHistogram<long>("raceway.journal.group.size", "{item}", "Items written at once.");
        Bytes = meter.CreateCounter<long>("raceway.journal.bytes", "By", "Bytes written.");
        meter.CreateObservableUpDownCounter(
            "raceway.journal.lag", () => Journals.Each(static one => one.Lag()), "{item}", "Items written that are not durable yet.");
    }

    /// <summary>The journals that they tell of.</summary>
    public Metered<JournalMeter> Journals { get; } = new();

    public Histogram<double> SyncTimes { get; }

    public Histogram<long> Groups { get; }

    public Counter<long> Bytes { get; }

    /// <summary>Those of a factory's meter, or of the process.</summary>
    public static JournalInstruments Of(IMeterFactory? factory) => s_shared.Of(factory);
}
