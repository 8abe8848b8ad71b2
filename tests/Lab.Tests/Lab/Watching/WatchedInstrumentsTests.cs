using Raceway.Lab.Reporting;
using Raceway.Lab.Watching;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Lab.Watching;

public sealed class WatchedInstrumentsTests
{
    [Theory]
    [InlineData("raceway.pipeline.name=orders,raceway.stage.name=parse", "orders", "parse")]
    [InlineData("raceway.pipeline.name=a,b=c,raceway.stage.name=x=y,z", "a,b=c", "x=y,z")]
    [InlineData("raceway.pipeline.name=,raceway.stage.name=", "", "")]
    public void ParseTags_AsTheRuntimeWritesThem_AreTakenApart(string text, string pipeline, string stage)
    {
        IReadOnlyDictionary<string, string> tags = WatchedInstruments.ParseTags(text);

        Assert.Equal(2, tags.Count);
        Assert.Equal((pipeline, stage), (tags["raceway.pipeline.name"], tags["raceway.stage.name"]));
    }

    [Fact]
    public void ParseTags_None_IsEmpty() => Assert.Empty(WatchedInstruments.ParseTags(""));

    [Fact]
    public async Task PipelinesOf_ThisProcess_SayWhatTheStatisticsSay()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).Configure(static options => options with { DrainTimeout = TimeSpan.Zero })
            .Stage("parse", new Wide(), Dispatch.Batch(16))
            .Stage("store", static (ref long item) => item++, Dispatch.Each(max: 3))
            .Run(Plan.Manual);
        const string Name = "PipelinesOf, one";
        using PipelineMeter meter = pipeline.CreateMeter(Name);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < 40; i++) producer.Publish(i);
        for (int i = 0; i < 3; i++) pipeline["parse"].Step();
        pipeline["store"].Step();
        using var feed = new LocalMeterFeed("tests", Task.Delay(Timeout.Infinite), TimeSpan.FromSeconds(1));

        MeterFrame frame = feed.Next(default)!;
        PipelineSnapshot seen = WatchedInstruments.PipelinesOf(frame)[Name];

        PipelineSnapshot own = pipeline.TakeSnapshot();
        Assert.Equal((Plan.Manual, own.PlanReason), (seen.Plan, seen.PlanReason));
        Assert.Equal(own.Rings, seen.Rings);
        Assert.Equal(own.Stages.Select(static stage => stage.Done.Name), seen.Stages.Select(static stage => stage.Done.Name));
        foreach ((StageStatistics expected, StageStatistics actual) in own.Stages.Zip(seen.Stages, static (one, two) => (one.Done, two.Done)))
        {
            Assert.Equal(expected.CloseReasons, actual.CloseReasons);
            Assert.Equal(expected.BatchSizes, actual.BatchSizes);
            Assert.Equal(expected with { CloseReasons = [], BatchSizes = [] }, actual with { CloseReasons = [], BatchSizes = [] });
        }

        Assert.Equal([8, 1], seen.Stages.Select(static stage => stage.Done.Width));
        Assert.Equal(0, seen.Stages[0].Ring);
        Assert.Equal(Environment.ProcessorCount, seen.Processors);
        Assert.True(seen.Processor > TimeSpan.Zero);
    }

    [Fact]
    public void PipelinesOf_StagesInAnyOrder_AreInTheirPlaces()
    {
        var frame = new MeterFrame(
            TimeSpan.Zero, [PlanOf("orders"), Lag("store"), Lag("parse"), Lag("price"), Place("store", 2), Place("parse", 0), Place("price", 1)]);

        Assert.Equal(
            ["parse", "price", "store"], WatchedInstruments.PipelinesOf(frame)["orders"].Stages.Select(static stage => stage.Done.Name));
    }

    // Of a pipeline or a stage that is gone, the runtime repeats the counters, without the gauges.
    [Fact]
    public void PipelinesOf_CountersWithoutTheirGauges_AreOfWhatHasEnded()
    {
        var frame = new MeterFrame(
            TimeSpan.Zero, [PlanOf("orders"), Lag("parse"), Lag("left"), Place("parse", 0), Lag("parse", "ended"), Place("parse", 0, "ended")]);

        (string name, PipelineSnapshot pipeline) = Assert.Single(WatchedInstruments.PipelinesOf(frame));
        Assert.Equal(("orders", "parse"), (name, Assert.Single(pipeline.Stages).Done.Name));
    }

    private static MeterFigure PlanOf(string pipeline) => new(
        "raceway.pipeline.plan", new Dictionary<string, string> { ["raceway.pipeline.name"] = pipeline, ["raceway.plan"] = "SharedRing" }, 1);

    private static MeterFigure Lag(string stage, string pipeline = "orders") => OfStage("raceway.stage.lag", stage, 7, pipeline);

    private static MeterFigure Place(string stage, int place, string pipeline = "orders") => OfStage("raceway.stage.index", stage, place, pipeline);

    private static MeterFigure OfStage(string instrument, string stage, double value, string pipeline) => new(
        instrument, new Dictionary<string, string> { ["raceway.pipeline.name"] = pipeline, ["raceway.stage.name"] = stage }, value);

    [Fact]
    public void Next_TheJobHasEnded_IsNullAndSaysSo()
    {
        using var feed = new LocalMeterFeed("tests", Task.FromException(new TimeoutException("too late")), TimeSpan.FromSeconds(1));
        Assert.Null(feed.Next(default));
        Assert.Contains("too late", feed.Ending, StringComparison.Ordinal);
    }

    [Fact]
    public void Tables_OfAnInterval_FitThreeWidthsAndBarsAddUp()
    {
        PipelineSnapshot before = Snapshot(0, 0, 0, 0, 0), now = Snapshot(1, 1_000, 0.31, 0.45, 0.24);

        IReadOnlyList<ReportTable> tables = WatchTables.Stages("p", before, now);

        Assert.Equal(3, tables.Count);
        Assert.Equal([false, true, true], tables.Select(static table => ConsoleTable.Fits(table, 80)));
        Assert.Equal([false, false, true], tables.Select(static table => ConsoleTable.Fits(table, 60)));
        Assert.All(tables, static table => Assert.All(table.Rows, row => Assert.Equal(table.Columns.Count, row.Count)));
        Assert.Equal(["a", "1,000", "10.0", "3", "31 %", "45 %", "0 %", "24 %", "wwwwwwssssssssskkkkk"], tables[0].Rows[0]);
        Assert.Equal("starved 45 %", tables[2].Rows[0][^1]);
        Assert.Equal("ring 0: [##########..........] 32 of 64 slots; producers waited 50 %", Assert.Single(WatchTables.Rings(before, now)));
    }

    [Fact]
    public void Pipeline_ANewOneOfTheSameName_BeginsAnew()
    {
        var watched = new WatchedPipeline("p", Snapshot(1, 1_000, 0.5, 0.5, 0));
        watched.Add(Snapshot(2, 2_000, 1, 1, 0));
        Assert.Equal(1_000, watched.First.Stages[0].Done.Items);
        watched.Add(Snapshot(3, 10, 0.1, 0.1, 0));
        Assert.Equal(10, watched.First.Stages[0].Done.Items);
        Assert.Equal(watched.Now, watched.Before);
        Assert.Empty(watched.Findings.Findings);
    }

    private static PipelineSnapshot Snapshot(double at, long items, double working, double starved, double waking) => new()
    {
        At = TimeSpan.FromSeconds(at),
        Rings = [new RingStatistics { Capacity = 64, Backlog = 32, Blocked = TimeSpan.FromSeconds(at / 2) }],
        Stages =
        [
            new StageSnapshot
            {
                Done = new StageStatistics
                {
                    Name = "a",
                    Items = items,
                    Batches = items / 10,
                    Lag = 3,
                    Working = TimeSpan.FromSeconds(working),
                    Starved = TimeSpan.FromSeconds(starved),
                    Waking = TimeSpan.FromSeconds(waking),
                    CloseReasons = [],
                    BatchSizes = [],
                },
            },
        ],
    };

    private sealed class Wide : IBatchHandler<long>, IWideHandler
    {
        public int Width => 8;

        public void OnBatch(Batch<long> batch)
        {
        }
    }
}
