using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>A stage that throws: what its policy makes of it, under every plan.</summary>
public sealed class FaultTests
{
    private const int Count = 100;

    public static TheoryData<Plan, DispatchLevel> Runs =>
        Cross.Of(Enum.GetValues<Plan>(), Enum.GetValues<DispatchLevel>());

    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Stop_FaultsThePipelineAtTheItem(Plan plan, DispatchLevel level)
    {
        var last = new Work(1);
        await using Pipeline<Item> pipeline = Define(FaultPolicy.Stop, level, last).Build(plan);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (long id = 0; id < Count; id++) producer.Publish(new Item { Id = id });
        // The fault may come before the last stage has started: then it is told here already.
        await Record.ExceptionAsync(pipeline.StartAsync);
        using Pump? pump = Pump.For(pipeline);

        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.Equal(("faulty", "bad 50"), (fault.Stage, fault.InnerException?.Message));
        Assert.Equal(DrainStatus.Faulted, result.Status);
        Assert.False(result.IsDrained);
        Assert.Same(fault.InnerException, result.Fault?.InnerException);
        Assert.Equal(Count - 1, result.Target);
        Assert.Equal(new StagePosition("faulty", 49), result.Positions.Single(stage => stage.Stage == "faulty"));
        Assert.Equal(RingState.Faulted, pipeline.State);
        Assert.Equal(49, pipeline["faulty"].Position);
        // Nothing that failed, and nothing behind it, has gone on.
        Assert.Equal(Enumerable.Range(0, last.Ids.Count).Select(id => (long)id), last.Ids);
        Assert.InRange(last.Ids.Count, 0, 50);
        Assert.Equal(Count - last.Ids.Count, pipeline.Unprocessed);
        Assert.Same(
            fault.InnerException,
            Assert.Throws<RingFaultedException>(() => producer.Publish(default(Item))).InnerException);
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Skip_PassesOverTheItem_LaterStagesSeeIt(Plan plan, DispatchLevel level)
    {
        var last = new Work(1);
        await using Pipeline<Item> pipeline = Define(FaultPolicy.Skip, level, last).Run(plan);

        await PublishAndDrain(pipeline);

        Assert.Equal(Enumerable.Range(0, Count).Select(id => (long)id), last.Ids);
        Assert.Equal((1L, 0L, Count - 1L), Figures(pipeline));
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task DeadLetter_HandsTheItemOver(Plan plan, DispatchLevel level)
    {
        List<(long Id, FaultContext Context)> letters = [];
        var last = new Work(1);
        FaultPolicy policy = FaultPolicy.DeadLetter(
            (ref Item item, in FaultContext context) => letters.Add((item.Id, context)));
        await using Pipeline<Item> pipeline = Define(policy, level, last).Run(plan);

        await PublishAndDrain(pipeline);

        (long id, FaultContext context) = Assert.Single(letters);
        Assert.Equal((50, "faulty", 50, "bad 50"), (id, context.Stage, context.Sequence, context.Fault.Message));
        Assert.Equal(Count, last.Ids.Count);
        Assert.Equal(1, pipeline["faulty"].GetStatistics().DeadLettered);
        Assert.Equal((1L, 0L, Count - 1L), Figures(pipeline));
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Decide_MayPassOver(Plan plan, DispatchLevel level)
    {
        List<long> asked = [];
        var last = new Work(1);
        FaultPolicy policy = FaultPolicy.Decide((ref Item item, in FaultContext context) =>
        {
            asked.Add(item.Id);
            return context.Attempt < 3 ? FaultAction.Retry : FaultAction.Skip;
        });
        await using Pipeline<Item> pipeline = Define(policy, level, last).Run(plan);

        await PublishAndDrain(pipeline);

        Assert.Equal(50, asked.Distinct().Single());
        Assert.Equal(Count, last.Ids.Count);
        Assert.Equal((1L, 2L, Count - 1L), Figures(pipeline));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Retry_WithAPause_HandlesTheItemInTheEnd(Plan plan)
    {
        int failures = 0;
        var last = new Work(1);
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(128).HaltOnDispose()
            .OnFault(FaultPolicy.Retry(3, TimeSpan.FromMilliseconds(1)))
            .Stage("faulty", (ref Item item) =>
            {
                if (item.Id == 50 && failures++ < 3) throw new InvalidOperationException("not yet");
            })
            .Stage(HandlerKind.Batches, "last", last)
            .Run(plan);

        await PublishAndDrain(pipeline);

        Assert.Equal(4, failures);
        Assert.Equal(Count, last.Ids.Count);
        Assert.Equal((0L, 3L, (long)Count), Figures(pipeline));
        Assert.Equal(3, pipeline["faulty"].GetStatistics().Faults);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Retry_UsedUp_DoesWhatComesThen(Plan plan)
    {
        var last = new Work(1);
        FaultPolicy policy = FaultPolicy.Retry(2, TimeSpan.Zero, FaultPolicy.Skip);
        await using Pipeline<Item> pipeline = Define(policy, DispatchLevel.Each, last).Run(plan);

        await PublishAndDrain(pipeline);

        Assert.Equal(Count, last.Ids.Count);
        Assert.Equal((1L, 2L, Count - 1L), Figures(pipeline));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task OnFault_OfAStage_GoesBeforeThePipelines(Plan plan)
    {
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(128).HaltOnDispose()
            .OnFault(FaultPolicy.Skip)
            .Stage("skips", ThrowAt50)
            .Stage(
                "stops", static (ref Item item) => throw new InvalidOperationException($"{item.Id}"), new() { OnFault = FaultPolicy.Stop })
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        producer.Publish(new Item { Id = 50 });

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());

        Assert.Equal(("stops", "50"), (fault.Stage, fault.InnerException?.Message));
        Assert.Equal(1, pipeline["skips"].GetStatistics().Skipped);
    }

    [Theory]
    [InlineData(HandlerKind.Batches)]
    [InlineData(HandlerKind.StructBatches)]
    [InlineData(HandlerKind.Async)]
    [InlineData(HandlerKind.AsyncLater)]
    public async Task Stop_WholeBatchFails_FaultsWithTheHandlersOwnException(HandlerKind kind)
    {
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            // An index outside of the marks: the work itself throws.
            .Stage(kind, "faulty", new Work(99))
            .Stage("after", static (ref Item _) => { })
            .Run(Plan.Fused);
        pipeline.CreateProducer().Publish(default(Item));

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());

        Assert.Equal("faulty", fault.Stage);
        Assert.Equal([-1L, -1L], pipeline.Stages.Select(stage => stage.Position));
    }

    private static void ThrowAt50(ref Item item)
    {
        if (item.Id == 50) throw new InvalidOperationException("bad 50");
    }

    private static PipelineBuilder<Item, Item> Define(FaultPolicy policy, DispatchLevel level, Work last) =>
        Pipeline.Of<Item>(128).HaltOnDispose()
            .Stage("before", static (ref Item _) => { })
            .Stage("faulty", ThrowAt50, new() { Dispatch = PlanEquivalenceTests.DispatchOf(level), OnFault = policy })
            .Stage(HandlerKind.Batches, "last", last);

    private static async Task PublishAndDrain(Pipeline<Item> pipeline)
    {
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (long id = 0; id < Count; id++) producer.Publish(new Item { Id = id });
        Assert.Equal(DrainStatus.Drained, (await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).Status);
    }

    private static (long Skipped, long Retries, long Items) Figures(Pipeline<Item> pipeline)
    {
        StageStatistics done = pipeline["faulty"].GetStatistics();
        return (done.Skipped, done.Retries, done.Items);
    }
}
