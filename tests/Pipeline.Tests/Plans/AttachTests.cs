using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>Stages join and leave a pipeline that runs, under every plan, without a gap.</summary>
public sealed class AttachTests
{
    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Attach_WhileRunning_SeesTheRestWithoutAGap_AndLeavesAgain(Plan plan)
    {
        List<long> joined = [];
        List<long> last = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Stage("first", static (ref long _) => { })
            .Stage("last", (ref long item) => last.Add(item))
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<long> producer = pipeline.CreateProducer();
        using var stop = new CancellationTokenSource();
        Task<long> publishing = Task.Run(() =>
        {
            long item = 0;
            for (; !stop.IsCancellationRequested; item++) producer.Publish(item);
            return item;
        });
        Watchdog.Until(() => pipeline["last"].Position > 100, "some items");

        Stage tap = Assert.Single(pipeline.Attach(more => more.After("last").Stage("tap", (ref long item) => joined.Add(item))));
        using Pump? second = Pump.For(pipeline, tap);
        Watchdog.Until(() => tap.GetStatistics().Items > 100, "some items of the new one");
        Assert.Same(tap, pipeline["tap"]);
        await pipeline.DetachAsync("tap").OrHang();
        int seen = joined.Count;
        Assert.DoesNotContain(tap, pipeline.Stages);
        await stop.CancelAsync();
        long published = await publishing.OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(published, last.Count);
        Assert.Equal(seen, joined.Count);
        Assert.Equal(Enumerable.Range((int)joined[0], seen).Select(item => (long)item), joined);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Attach_BeforeTheStart_SeesEverything(Plan plan)
    {
        List<long> joined = [];
        await using Pipeline<long> pipeline =
            Pipeline.Of<long>(64).HaltOnDispose().Stage("only", static (ref long _) => { }).Build(plan);
        pipeline.Attach(more => more.Stage("a", static (ref long item) => item++).Stage("b", (ref long item) => joined.Add(item)));
        await pipeline.StartAsync();

        Assert.True((await ExpandTests.PublishAndDrainAsync(pipeline, 200)).IsDrained);

        Assert.Equal(Enumerable.Range(1, 200).Select(item => (long)item), joined);
    }

    [Fact]
    public void Attach_Mistakes_AreReportedTogether()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8).Stage("a", Nothing).Stage("b", Nothing).Build(Plan.RingPerStage);

        AssertProblem(pipeline, more => more.After().Stage("a", Nothing), "must be unique: name='a'");
        AssertProblem(pipeline, more => more.After("x").Stage("c", Nothing), "after='x'. Known: a, b");
        AssertProblem(pipeline, more => more.After("a").Stage("c", Nothing), "passes its items on: stages=c");
        AssertProblem(pipeline, more => more.Stage("c", Nothing), "passes its items on: stages=c");
        AssertProblem(pipeline, more => more.After("a", "b").Stage("c", Nothing), "belong to one ring: stages=c");
        AssertProblem(pipeline, more => more.Map<long>("c", static (ref int _, ref long _) => { }), "writes no other type: stage='c'");
        AssertProblem(pipeline, static _ => { }, "must be a stage to attach: stages=0");
        Assert.Equal(["a", "b"], pipeline.Stages.Select(stage => stage.Name));
        Assert.Equal("c", Assert.Single(pipeline.Attach(more => more.After("b").Stage("c", Nothing))).Name);
    }

    [Fact]
    public async Task Attach_SecondOfTwoIsWrongForItsRing_NeitherJoins()
    {
        await using Pipeline<int> pipeline = Pipeline.Of<int>(8).HaltOnDispose().Stage("a", Nothing).Run();

        AssertProblem(
            pipeline, more => more.After().Stage("good", Nothing).Stage("bad", Nothing, Dispatch.Batch(min: 5)), "min=5, capacity=8");

        Assert.Equal(["a"], pipeline.Ring.Stages.Select(stage => stage.Name));
        Assert.Equal("good", Assert.Single(pipeline.Attach(more => more.After().Stage("good", Nothing))).Name);
    }

    [Fact]
    public async Task Detach_OfWhatOthersNeed_IsRefused()
    {
        PipelineBuilder<int, int> source = Pipeline.Of<int>(8).Stage("a", Nothing).Stage("b", Nothing);
        source.Expand<long>("parts", 8, static (ref int _, Emitter<long> _) => { }).Stage("c", static (ref long _) => { });
        Pipeline<int> pipeline = source.Build();

        await Assert.ThrowsAsync<InvalidOperationException>(() => pipeline.DetachAsync("a"));
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => pipeline.DetachAsync("parts"));
        Assert.Contains("stage='parts'", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<KeyNotFoundException>(() => pipeline.DetachAsync("x"));
        AssertProblem(pipeline, more => more.After("c").Stage("d", Nothing), "Follow stages of the first segment");
        Assert.Equal(["a", "b", "parts", "c"], pipeline.Stages.Select(stage => stage.Name));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task StageHasLeftByItsPolicy_PollersStandWithoutIt_AndItsNameIsFree(Plan plan)
    {
        await using Pipeline<int> pipeline = Pipeline.Of<int>(8).HaltOnDispose()
            .Stage("main", Nothing)
            .After().Stage("side", static (ref int _) => throw new FormatException(), new() { OnFault = FaultPolicy.Detach })
            .After().Stage("other", static (ref int _) => throw new FormatException(), new() { OnFault = FaultPolicy.Detach })
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(1);
        Watchdog.Until(() => pipeline["side"].Fault is not null && pipeline["other"].Fault is not null, "the branches to leave");

        Poller<int> poller = pipeline.AttachPoller("asked");
        Assert.Equal(["main"], pipeline["asked"].Upstream.Select(stage => stage.Name));
        Assert.Same(poller, pipeline.GetPoller<int>("asked"));
        AssertProblem(pipeline, more => more.After("side").Stage("c", Nothing), "after='side'. Known: main, asked");
        Stage again = Assert.Single(pipeline.Attach(more => more.After().Stage("side", Nothing)));
        Assert.Same(again, pipeline["side"]);
        Assert.IsType<FormatException>(pipeline["other"].Fault);
        await pipeline.DetachAsync("other").OrHang();
        await Assert.ThrowsAsync<KeyNotFoundException>(() => pipeline.DetachAsync("other"));
    }

    [Fact]
    public async Task Name_TakenAgainByTheStopHook_StaysWithTheNewStage()
    {
        Pipeline<int>? known = null;
        Stage? again = null;
        Task? second = null;
        var leaves = new Leaves(() =>
        {
            second = known!.DetachAsync("side");
            again = Assert.Single(known.Attach(static more => more.After().Stage("side", Nothing)));
        });
        await using Pipeline<int> pipeline = known = Pipeline.Of<int>(8).HaltOnDispose()
            .Stage("main", Nothing)
            .After().Stage("side", leaves)
            .Run(Plan.Manual);
        pipeline["side"].Step();

        await pipeline.DetachAsync("side").OrHang();

        Assert.NotNull(again);
        Assert.Same(again, pipeline["side"]);
        // Its stop hook had not returned: that it has left would not have been true.
        await Assert.ThrowsAsync<ArgumentException>(() => second!);
    }

    private sealed class Leaves(Action stop) : IBatchHandler<int>, IStageLifetime
    {
        public void OnBatch(Batch<int> batch)
        {
        }

        public void OnStart()
        {
        }

        public void OnStop() => stop();
    }

    private static void AssertProblem(Pipeline<int> pipeline, Action<PipelineBuilder<int, int>> define, string part)
    {
        var fault = Assert.Throws<PipelineBuildException>(() => pipeline.Attach(define));
        Assert.Contains(part, Assert.Single(fault.Problems), StringComparison.Ordinal);
    }

    private static void Nothing(ref int item)
    {
    }
}
