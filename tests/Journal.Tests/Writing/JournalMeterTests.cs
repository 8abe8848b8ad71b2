using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

public sealed class JournalMeterTests
{
    [Fact]
    public void Instruments_NamesAndUnits_AreThoseOfTheDocument()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        // Journals of other tests have meters as well.
        ConcurrentQueue<Instrument> published = [];
        using var listener = new MeterListener { InstrumentPublished = (instrument, _) => published.Enqueue(instrument) };
        listener.Start();
        using JournalMeter meter = journal.CreateMeter("documented");
        string[] rows =
        [
            .. File.ReadAllLines(Path.Combine(Tree.Root, "docs", "observing.md"))
                .Where(static line => line.StartsWith("| `raceway.journal.", StringComparison.Ordinal)),
        ];

        Instrument[] ours = [.. published.Where(static instrument => instrument.Meter.Name == JournalMeter.MeterName).DistinctBy(static one => one.Name)];

        Assert.Equal(
            rows.Select(static row => row.Split('|')).Select(static cells => $"{cells[1].Trim(' ', '`')} {cells[2].Trim()} {cells[3].Trim(' ', '`')}").Order(),
            ours.Select(static instrument => $"{instrument.Name} {Kind(instrument)} {instrument.Unit}").Order());
        Assert.All(ours, static instrument => Assert.True(instrument.Description?.Length > 0, instrument.Name));
    }

    private static string Kind(Instrument instrument) => instrument switch
    {
        Counter<long> => "counter",
        ObservableUpDownCounter<long> => "up-down counter",
        _ => "histogram",
    };
}
