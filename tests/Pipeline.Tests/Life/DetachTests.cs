using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Side branches that leave: by call, or by their fault policy.</summary>
public sealed class DetachTests
{
    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Detach_SideBranchFails_TheOthersGoOn(Plan plan)
    {
        var main = new Work(0);
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .After().Stage("side", static (ref Item item) => ThrowAt(item, 5), new() { OnFault = FaultPolicy.Detach })
            .Stage(HandlerKind.Events, "main", main, after: [])
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        // More than the ring holds: the branch that left must hold nothing back.
        await Task.Run(() =>
        {
            for (long id = 0; id < 1_000; id++) producer.Publish(new Item { Id = id });
        }).OrHang();

        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained);
        Assert.Equal("no item 5", pipeline["side"].Fault?.Message);
        Assert.Equal(4, pipeline["side"].Position);
        Assert.Equal(1_000, main.Ids.Count);
        Assert.Equal([new StagePosition("main", 999)], result.Positions);
    }

    [Fact]
    public async Task Detach_SideBranchFailsWhileDraining_TheDrainGoesOn()
    {
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("side", static (ref Item item) => ThrowAt(item, 2), new() { OnFault = FaultPolicy.Detach })
            .After().Stage("main", static (ref Item _) => { })
            .Run(Plan.Manual);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (long id = 0; id < 4; id++) producer.Publish(new Item { Id = id });
        Task<DrainResult> drain = pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        Assert.Equal(RingState.Draining, pipeline.State);

        pipeline["side"].Step();
        pipeline["main"].Step();

        DrainResult result = await drain.OrHang();
        Assert.Equal(DrainStatus.Drained, result.Status);
        Assert.Equal(RingState.Stopped, pipeline.State);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task DetachAsync_Completes_AfterTheStopHook(Plan plan)
    {
        var hooks = new Hooks();
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("main", static (ref Item _) => { })
            .After().Stage("side", hooks)
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(default(Item));
        Watchdog.Until(() => pipeline["side"].Position == 0, "the item");

        await pipeline.Ring.DetachAsync(pipeline["side"]).OrHang();
        int stopped = hooks.Stopped;
        await pipeline.HaltAsync().OrHang();

        Assert.Equal(1, stopped);
        Assert.Equal(1, hooks.Stopped);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task StopHook_OfADetachedStage_RunsOnce(Plan plan)
    {
        var hooks = new Hooks();
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("main", static (ref Item _) => { })
            .After().Stage("side", hooks)
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(default(Item));
        Watchdog.Until(() => pipeline["side"].Position == 0, "the item");

        await pipeline.Ring.DetachAsync(pipeline["side"]).OrHang();
        await pipeline.HaltAsync().OrHang();

        Assert.Equal(1, hooks.Stopped);
    }

    [Fact]
    public async Task Step_OfAManualStageThatHasLeft_CallsNoHook()
    {
        var hooks = new Hooks();
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("main", static (ref Item _) => { })
            .After().Stage("side", hooks)
            .Run(Plan.Manual);
        pipeline["side"].Step();
        await pipeline.Ring.DetachAsync(pipeline["side"]).OrHang();

        for (int i = 0; i < 3; i++) Assert.Equal(StepKind.Stopped, pipeline["side"].Step().Kind);
        await pipeline.HaltAsync().OrHang();

        Assert.Equal((1, 1), (hooks.Started, hooks.Stopped));
    }

    [Fact]
    public async Task DetachAsync_FromTheBranchesOwnCall_KeepsItsSlotsUntilTheCallEnds()
    {
        var leaving = new LeaveAndPublish();
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(4).HaltOnDispose()
            .Stage("main", static (ref Item _) => { })
            .After().Stage("side", leaving)
            .Run(Plan.Manual);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        leaving.Pipeline = pipeline;
        leaving.Producer = producer;
        for (long id = 0; id < 4; id++) producer.Publish(new Item { Id = id });
        pipeline["main"].Step();

        pipeline["side"].Step();

        // The call still reads its batch: room may be given to the producer only after it.
        Assert.Equal(ClaimStatus.Full, leaving.During);
        Assert.Equal([0, 1, 2, 3], leaving.Read);
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(default));
    }

    [Fact]
    public async Task NextTarget_FirstStageOfAGroupHasLeft_IsThatOfTheOthers()
    {
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("side", static (ref Item _) => { })
            .After().Stage("main", static (ref Item _) => { })
            .Run(Plan.Manual);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        var group = new FusedStages(pipeline.Stages);
        Task left = pipeline.Ring.DetachAsync(pipeline["side"]);
        producer.Publish(default(Item));
        Assert.Equal(StepKind.Progressed, group.StepOnce().Kind);
        await left.OrHang();
        Assert.Equal(StepKind.Idle, group.StepOnce().Kind);

        // What the one that left never took must not keep the others awake.
        Assert.Equal((1, false), (group.NextTarget().Awaited, group.NextTarget().IsOver));
        producer.Publish(default(Item));
        Assert.True(group.NextTarget().IsOver);
        Assert.Equal(StepKind.Progressed, group.StepOnce().Kind);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task DetachAsync_NotStarted_CallsNoHook(Plan plan)
    {
        var hooks = new Hooks();
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("main", static (ref Item _) => { })
            .After().Stage("side", hooks)
            .Build(plan);
        await pipeline.DetachAsync("side").OrHang();

        await pipeline.StartAsync();
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(default(Item));
        Watchdog.Until(() => pipeline["main"].Position == 0, "the item");
        await pipeline.HaltAsync().OrHang();

        Assert.Equal((0, 0), (hooks.Started, hooks.Stopped));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Detach_StageThatFeedsARing_FaultsThePipeline(Plan plan)
    {
        PipelineBuilder<Item, Item> source = Pipeline.Of<Item>(16).HaltOnDispose().Stage("first", static (ref Item _) => { });
        source.Expand<long>("parts", 8, static (ref Item item, Emitter<long> _) => ThrowAt(item, 1), new() { OnFault = FaultPolicy.Detach })
            .Stage("see", static (ref long _) => { });
        source.After("first").Stage("side", static (ref Item _) => { });
        await using Pipeline<Item> pipeline = source.Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(new Item { Id = 1 });

        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.Equal(DrainStatus.Faulted, result.Status);
        var fault = Assert.IsType<RingFaultedException>(result.Fault);
        Assert.Equal(("parts", "no item 1"), (fault.Stage, fault.InnerException?.Message));
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.RingPerStage)]
    public async Task DetachAsync_OfARing_StageThatFeedsAnother_IsRefused(Plan plan)
    {
        PipelineBuilder<Item, Item> source = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("first", static (ref Item _) => { }).Stage("second", static (ref Item _) => { });
        source.Expand<long>("parts", 8, static (ref Item _, Emitter<long> _) => { }).Stage("see", static (ref long _) => { });
        await using Pipeline<Item> pipeline = source.Run(plan);

        foreach (Ring ring in pipeline.Rings.SkipLast(1))
        {
            // Of a ring that is passed on it is the link, which is no stage of the pipeline.
            Stage feeds = ring.Stages[^1];
            var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => ring.DetachAsync(feeds));
            Assert.Contains($"feeds a further ring cannot leave: stage='{feeds.Name}'", refused.Message, StringComparison.Ordinal);
        }
    }

    private static void ThrowAt(in Item item, long id)
    {
        if (item.Id == id) throw new InvalidOperationException($"no item {id}");
    }

    private sealed class Hooks : IBatchHandler<Item>, IStageLifetime
    {
        private int _started;
        private int _stopped;

        public int Started => Volatile.Read(ref _started);

        public int Stopped => Volatile.Read(ref _stopped);

        public void OnStart() => Interlocked.Increment(ref _started);

        public void OnStop() => Interlocked.Increment(ref _stopped);

        public void OnBatch(Batch<Item> batch)
        {
        }
    }

    private sealed class LeaveAndPublish : IBatchHandler<Item>
    {
        public Pipeline<Item>? Pipeline { get; set; }

        public SingleProducer<Item>? Producer { get; set; }

        public ClaimStatus During { get; private set; }

        public List<long> Read { get; } = [];

        public void OnBatch(Batch<Item> batch)
        {
            _ = Pipeline!.Ring.DetachAsync(Pipeline["side"]);
            During = Producer!.TryPublish(new Item { Id = 99 });
            foreach (ref Item item in batch) Read.Add(item.Id);
        }
    }
}
