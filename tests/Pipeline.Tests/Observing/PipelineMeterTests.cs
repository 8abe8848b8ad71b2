using System.Diagnostics.Metrics;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>A pipeline's figures as instruments: what they say, that nobody reads them unasked, and that they go.</summary>
[Collection(AloneCollection.Name)]
public sealed class PipelineMeterTests
{
    [Fact]
    public async Task Instruments_OfAManualRun_SayWhatTheStatisticsSay()
    {
        await using Pipeline<long> pipeline = Define().Run(Plan.Manual);
        using PipelineMeter meter = pipeline.CreateMeter("orders");
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < 40; item++) producer.Publish(item);
        pipeline["parse"].Step();
        for (int i = 0; i < 3; i++) pipeline["store"].Step();

        Dictionary<string, double> seen = Collect();

        const string Parse = "raceway.pipeline.name=orders, raceway.stage.name=parse";
        const string Store = "raceway.pipeline.name=orders, raceway.stage.name=store";
        Assert.Equal(64, seen["raceway.ring.capacity [raceway.pipeline.name=orders, raceway.ring.index=0]"]);
        Assert.Equal(pipeline.Backlog, seen["raceway.ring.backlog [raceway.pipeline.name=orders, raceway.ring.index=0]"]);
        Assert.Equal(64 - pipeline.Backlog, seen["raceway.ring.remaining [raceway.pipeline.name=orders, raceway.ring.index=0]"]);
        Assert.Equal((0, 1), (seen[$"raceway.stage.index [{Parse}]"], seen[$"raceway.stage.index [{Store}]"]));
        Assert.Equal(40, seen[$"raceway.stage.items [{Parse}]"]);
        Assert.Equal(0, seen[$"raceway.stage.lag [{Parse}]"]);
        StageStatistics store = pipeline["store"].GetStatistics();
        Assert.Equal(store.Items, seen[$"raceway.stage.items [{Store}]"]);
        Assert.Equal(store.Lag, seen[$"raceway.stage.lag [{Store}]"]);
        Assert.Equal(1, store.Faults);
        Assert.Equal(store.Faults, seen[$"raceway.stage.faults [{Store}]"]);
        Assert.Equal(store.Skipped, seen[$"raceway.stage.skipped [{Store}]"]);
        Assert.Equal(store.MeanBatch, seen[$"raceway.stage.batch.mean [{Store}]"]);
        foreach (CloseReason reason in Enum.GetValues<CloseReason>())
        {
            Assert.Equal(
                store.CloseReasons[(int)reason],
                seen[$"raceway.stage.batches [{Store}, raceway.batch.close_reason={reason.ToString().ToLowerInvariant()}]"]);
        }

        Assert.Equal(
            store.Batches,
            seen.Where(pair => pair.Key.StartsWith($"raceway.stage.batch.sizes [{Store}", StringComparison.Ordinal)).Sum(pair => pair.Value));
        Assert.Equal(1, seen[$"raceway.stage.batch.sizes [{Parse}, raceway.batch.size=32-63]"]);
        foreach (string state in (string[])["working", "starved", "blocked", "waking"])
            Assert.Equal(0, seen[$"raceway.stage.time [{Store}, raceway.stage.state={state}]"]);
        foreach (string counter in (string[])["dead_lettered", "dropped", "retries", "tombstones", "waits", "parks"])
            Assert.Equal(0, seen[$"raceway.stage.{counter} [{Store}]"]);
        foreach (string counter in (string[])["waits", "parks", "blocked", "waking"])
            Assert.Equal(0, seen[$"raceway.ring.producer.{counter} [raceway.pipeline.name=orders, raceway.ring.index=0]"]);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.RingPerStage)]
    [InlineData(Plan.Pooled)]
    public async Task Times_OfADrivenRun_NeverGoBack(Plan plan)
    {
        await using Pipeline<long> pipeline = Define().Run(plan);
        using PipelineMeter meter = pipeline.CreateMeter("p");
        SingleProducer<long> producer = pipeline.CreateProducer();
        Dictionary<string, double> before = [];
        for (long item = 0; item < 2_000; item++)
        {
            producer.Publish(item);
            if (item % 20 != 0) continue;
            Dictionary<string, double> now = Collect();
            foreach ((string series, double value) in now.Where(pair => pair.Key.Contains(".time [", StringComparison.Ordinal)))
                Assert.True(value >= before.GetValueOrDefault(series), $"{series}: {value} after {before.GetValueOrDefault(series)}");
            before = now;
        }

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.True(Collect()["raceway.stage.time [raceway.pipeline.name=p, raceway.stage.name=parse, raceway.stage.state=working]"] > 0);
        Assert.Equal(pipeline.Rings.Count, Collect().Keys.Count(series => series.StartsWith("raceway.ring.capacity", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("parse", "store")]
    [InlineData("store", "parse")]
    public async Task Times_StageBeforeItHasLeft_AreItsOwn(string leaves, string stays)
    {
        await using Pipeline<long> pipeline = Define().Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < 100; item++) producer.Publish(item);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Stage[] stages = [pipeline[leaves], pipeline[stays]];
        using var meter = new PipelineMeter("p", Plan.Manual, "", () => stages, static () => []);
        Collect();

        stages = [pipeline[stays]];

        Dictionary<string, double> seen = Collect();
        StageStatistics own = pipeline[stays].GetStatistics();
        string of = $"raceway.stage.time [raceway.pipeline.name=p, raceway.stage.name={stays}, raceway.stage.state=";
        Assert.Equal(own.Working.TotalSeconds, seen[$"{of}working]"]);
        Assert.Equal(own.Starved.TotalSeconds, seen[$"{of}starved]"]);
        Assert.Equal(own.Waking.TotalSeconds, seen[$"{of}waking]"]);
    }

    [Fact]
    public async Task Dump_OfADrivenRun_SaysWhereTheTimeWent()
    {
        await using Pipeline<long> pipeline = Define().Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < 100; item++) producer.Publish(item);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Matches(
            @"\ntimes\n  parse: working \d+\.\d %, starved \d+\.\d %, blocked 0\.0 %, waking \d+\.\d % of [\d.]+ s\n  store: working ", pipeline.Dump());
    }

    [Fact]
    public async Task Dispose_Listened_ItsFiguresAreGoneAndTheInstrumentsStay()
    {
        await using Pipeline<long> pipeline = Define().Run(Plan.Manual);
        PipelineMeter meter = pipeline.CreateMeter("gone");
        PipelineMeter other = pipeline.CreateMeter("stays");
        int completed = 0;
        Dictionary<string, double> seen = [];
        using MeterListener listener = Listen(seen);
        listener.MeasurementsCompleted = (_, _) => completed++;
        listener.RecordObservableInstruments();
        Assert.Contains(seen.Keys, static series => series.Contains("=gone", StringComparison.Ordinal));

        meter.Dispose();
        meter.Dispose();

        Assert.NotEmpty(SeenNow());
        Assert.All(SeenNow().Keys, static series => Assert.Contains("=stays", series, StringComparison.Ordinal));
        other.Dispose();
        Assert.Empty(SeenNow());
        Assert.Equal(0, completed);
        // A listener that is there hears of the next pipeline.
        using PipelineMeter next = pipeline.CreateMeter("next");
        Assert.NotEmpty(SeenNow());

        Dictionary<string, double> SeenNow()
        {
            seen.Clear();
            listener.RecordObservableInstruments();
            return seen;
        }
    }

    [Fact]
    public async Task CreateMeter_OfAFactory_IsToldThroughItsMeterAlone()
    {
        await using Pipeline<long> pipeline = Define().Run(Plan.Manual);
        using var meters = new Meters();
        using PipelineMeter first = pipeline.CreateMeter("first", meters);
        using PipelineMeter second = pipeline.CreateMeter("second", meters);
        Dictionary<string, double> seen = [];
        using MeterListener listener = Listen(seen, meters.Made);
        listener.RecordObservableInstruments();
        Assert.Equal(64, seen["raceway.ring.capacity [raceway.pipeline.name=first, raceway.ring.index=0]"]);
        Assert.Equal(64, seen["raceway.ring.capacity [raceway.pipeline.name=second, raceway.ring.index=0]"]);

        first.Dispose();

        seen.Clear();
        listener.RecordObservableInstruments();
        Assert.NotEmpty(seen);
        Assert.All(seen.Keys, static series => Assert.Contains("=second", series, StringComparison.Ordinal));
    }

    [Fact]
    public async Task CreateMeter_AListenerThrows_TheNextOneIsToldInFull()
    {
        await using Pipeline<long> pipeline = Define().Run(Plan.Manual);
        using var meters = new Meters();
        int published = 0;
        using (var fails = new MeterListener())
        {
            fails.InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter == meters.Made && ++published == 5) throw new NotSupportedException("a listener's error");
            };
            fails.Start();
            Assert.Throws<NotSupportedException>(() => pipeline.CreateMeter("first", meters));
        }

        using PipelineMeter next = pipeline.CreateMeter("next", meters);

        Dictionary<string, double> seen = [];
        using MeterListener listener = Listen(seen, meters.Made);
        listener.RecordObservableInstruments();
        Assert.Contains(seen.Keys, static series => series.StartsWith("raceway.stage.time [raceway.pipeline.name=next", StringComparison.Ordinal));
        Assert.All(seen.Keys, static series => Assert.Contains("=next", series, StringComparison.Ordinal));
    }

    [Fact]
    public void Figures_NobodyCollects_AreNotRead()
    {
        int reads = 0;
        using (new PipelineMeter("p", Plan.Manual, "", Read<Stage>, Read<Ring>))
        {
            Assert.Equal(0, reads);
            Dictionary<string, double> none = [];
            using MeterListener listener = Listen(none);
            Assert.Equal(0, reads);
            listener.RecordObservableInstruments();
            Assert.True(reads > 10);
        }

        IReadOnlyList<TThing> Read<TThing>()
        {
            reads++;
            return [];
        }
    }

    [Fact]
    public async Task Instruments_NamesAndUnits_AreThoseOfTheDocument()
    {
        await using Pipeline<long> pipeline = Define().Run(Plan.Manual);
        List<Instrument> published = [];
        using var listener = new MeterListener { InstrumentPublished = (instrument, _) => published.Add(instrument) };
        listener.Start();
        using PipelineMeter meter = pipeline.CreateMeter("documented");
        // Those of a journal are of another meter: JournalMeterTests.
        string[] rows =
        [
            .. File.ReadAllLines(Path.Combine(Tree.Root, "docs", "observing.md")).Where(static line =>
                line.StartsWith("| `raceway.", StringComparison.Ordinal) && !line.StartsWith("| `raceway.journal.", StringComparison.Ordinal)),
        ];

        Instrument[] ours = [.. published.Where(instrument => instrument.Meter.Name == PipelineMeter.MeterName)];

        Assert.Equal(
            rows.Select(row => row.Split('|')).Select(cells => $"{cells[1].Trim(' ', '`')} {cells[2].Trim()} {cells[3].Trim(' ', '`')}").Order(),
            ours.Select(instrument => $"{instrument.Name} {Kind(instrument)} {instrument.Unit}").Order());
        Assert.All(ours, instrument => Assert.True(instrument.IsObservable && instrument.Description?.Length > 0, instrument.Name));
    }

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    public async Task CreateMeter_NoName_IsRefused(string name)
    {
        await using Pipeline<long> pipeline = Define().Run(Plan.Manual);
        Assert.Throws<ArgumentException>(() => pipeline.CreateMeter(name));
    }

    private static string Kind(Instrument instrument) => instrument.GetType().Name.Split('`')[0] switch
    {
        "ObservableCounter" => "counter",
        "ObservableUpDownCounter" => "up-down counter",
        _ => "gauge",
    };

    private static Dictionary<string, double> Collect()
    {
        Dictionary<string, double> seen = [];
        using MeterListener listener = Listen(seen);
        listener.RecordObservableInstruments();
        return seen;
    }

    private static MeterListener Listen(Dictionary<string, double> seen, Meter? ofFactory = null)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                bool isSought = ofFactory is null ? instrument.Meter.Name == PipelineMeter.MeterName : instrument.Meter == ofFactory;
                if (isSought) listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => seen.Add(Series(instrument, tags), value));
        listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => seen.Add(Series(instrument, tags), value));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => seen.Add(Series(instrument, tags), value));
        listener.Start();
        return listener;
    }

    private static string Series(Instrument instrument, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        $"{instrument.Name} [{string.Join(", ", tags.ToArray().Select(tag => $"{tag.Key}={tag.Value}"))}]";

    private static PipelineBuilder<long, long> Define() => Pipeline.Of<long>(64).HaltOnDispose()
        .Stage("parse", static (ref long _) => { })
        .Stage(
            "store", static (ref long item) =>
            {
                if (item == 13) throw new InvalidOperationException("13");
            }, new() { Dispatch = Dispatch.Each(max: 8), OnFault = FaultPolicy.Skip });

    // As the platform's: one meter for equal options, for as long as it is there itself.
    private sealed class Meters : IMeterFactory
    {
        public Meter? Made { get; private set; }

        public Meter Create(MeterOptions options) => Made ??= new Meter(options);

        public void Dispose() => Made?.Dispose();
    }
}
