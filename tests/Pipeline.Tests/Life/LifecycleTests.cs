using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>One life, seen through the pipeline, under every plan.</summary>
public sealed class LifecycleTests
{
    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Life_FromCreatedToStopped(Plan plan)
    {
        Graph graph = Graph.Of(Shape.Diamond);
        Work[] works = graph.CreateWork();
        await using Pipeline<Item> pipeline = Define(graph, works).Build(plan);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        Assert.Equal(RingState.Created, pipeline.State);
        // The ring gates from the beginning: it takes its capacity before anybody runs.
        for (long id = 0; id < 16; id++) producer.Publish(new Item { Id = id });
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(default));

        await pipeline.StartAsync().OrHang();
        Assert.Equal(RingState.Running, pipeline.State);
        await Assert.ThrowsAsync<InvalidOperationException>(pipeline.StartAsync);
        using Pump? pump = Pump.For(pipeline);
        Watchdog.Until(() => pipeline["s3"].Position == 15, "the last stage");
        Assert.False(pipeline.Completion.IsCompleted);

        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained);
        Assert.Equal("Drained", result.ToString());
        Assert.Equal(RingState.Stopped, pipeline.State);
        await pipeline.Completion.OrHang();
        Assert.Equal(graph.Folds(16), works.Select(work => work.Fold));
        Assert.Throws<RingStoppedException>(() => producer.Publish(default(Item)));
        Assert.Equal(0, pipeline.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Complete_LetsNothingMoreInAndHandlesTheRest(Plan plan)
    {
        var work = new Work(0);
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage(HandlerKind.Events, "work", work, Dispatch.Batch(min: 8))
            .Run(plan);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (long id = 0; id < 3; id++) producer.Publish(new Item { Id = id });

        pipeline.Complete();
        pipeline.Complete();

        Assert.Equal(RingState.Draining, pipeline.State);
        Assert.Equal(ClaimStatus.Stopped, producer.TryPublish(default));
        using Pump? pump = Pump.For(pipeline);
        Watchdog.Until(() => pipeline["work"].Position == 2, "what was published before");
        // Nobody has asked for the end yet.
        Assert.Equal(RingState.Draining, pipeline.State);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Equal([0, 1, 2], work.Ids);
    }

    [Fact]
    public async Task DrainAsync_TimeIsUp_SaysWhereEverybodyIsAndGoesOn()
    {
        Graph graph = Graph.Of(Shape.Diamond);
        await using Pipeline<Item> pipeline = Define(graph, graph.CreateWork()).Run(Plan.Manual);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (long id = 0; id < 10; id++) producer.Publish(new Item { Id = id });
        pipeline["s0"].Step(7);
        pipeline["s1"].Step(5);
        pipeline["s2"].Step(6);
        pipeline["s3"].Step(2);

        DrainResult result = await pipeline.DrainAsync(TimeSpan.Zero).OrHang();

        Assert.Equal(DrainStatus.TimedOut, result.Status);
        Assert.Equal(9, result.Target);
        Assert.Equal([new("s0", 6), new("s1", 4), new("s2", 5), new("s3", 1)], result.Positions);
        Assert.Equal("TimedOut: s0 at 6 of 9, s1 at 4 of 9, s2 at 5 of 9, s3 at 1 of 9", result.ToString());
        Assert.Equal(RingState.Draining, pipeline.State);

        Task<DrainResult> drain = pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        new ManualDriver(pipeline.Stages).RunUntilIdle();
        Assert.Equal(DrainStatus.Drained, (await drain.OrHang()).Status);
    }

    [Fact]
    public async Task DrainAsync_Cancelled_EndsTheWaitingNotTheDrain()
    {
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("work", static (ref Item _) => { })
            .Run(Plan.Manual);
        pipeline.CreateProducer().Publish(default(Item));
        using var cancellation = new CancellationTokenSource();
        Task<DrainResult> drain = pipeline.DrainAsync(Timeout.InfiniteTimeSpan, cancellation.Token);

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => drain.OrHang());
        Assert.Equal(RingState.Draining, pipeline.State);
        pipeline["work"].Step();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
    }

    [Fact]
    public async Task DrainAsync_NegativeTimeout_IsRefusedAndChangesNothing()
    {
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16).HaltOnDispose()
            .Stage("work", static (ref Item _) => { })
            .Run(Plan.Manual);

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => pipeline.DrainAsync(TimeSpan.FromTicks(-2)));

        Assert.Equal(RingState.Running, pipeline.State);
    }

    [Fact]
    public async Task HaltAsync_ItemsLeft_AreCountedAndOfferedInOrder()
    {
        List<long> left = [];
        Graph graph = Graph.Of(Shape.Chain);
        await using Pipeline<Item> pipeline = Define(graph, graph.CreateWork())
            .Configure(options => options with { OnUnprocessed = (ref Item item) => left.Add(item.Id) })
            .Run(Plan.Manual);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (long id = 0; id < 10; id++) producer.Publish(new Item { Id = id });
        pipeline["s0"].Step(8);
        pipeline["s1"].Step(6);
        pipeline["s2"].Step(4);

        await pipeline.HaltAsync().OrHang();
        await pipeline.HaltAsync().OrHang();

        // What the first stages have done is not undone: an item counts until the last stage has passed it.
        Assert.Equal([4, 5, 6, 7, 8, 9], left);
        Assert.Equal(6, pipeline.Unprocessed);
        Assert.Equal(RingState.Stopped, pipeline.State);
        Assert.Equal(StepKind.Stopped, pipeline["s0"].Step().Kind);
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
        Assert.Equal(DrainStatus.Halted, result.Status);
        Assert.Equal([new("s0", 7), new("s1", 5), new("s2", 3)], result.Positions);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task HaltAsync_WhileRunning_EndsEveryStageAndLosesCountOfNothing(Plan plan)
    {
        long left = 0;
        Graph graph = Graph.Of(Shape.Chain);
        Work[] works = graph.CreateWork();
        await using Pipeline<Item> pipeline = Define(graph, works)
            .Configure(options => options with { OnUnprocessed = (ref Item _) => left++ })
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        long published = 0;
        Task publishing = Task.Run(() =>
        {
            while (true)
            {
                producer.Publish(new Item { Id = published });
                published++;
            }
        });
        Watchdog.Until(() => pipeline["s2"].Position > 200, "some items");

        await pipeline.HaltAsync().OrHang();

        await Assert.ThrowsAsync<RingStoppedException>(() => publishing.OrHang());
        Assert.Equal(RingState.Stopped, pipeline.State);
        Assert.Equal(works[2].Ids.Count, pipeline["s2"].Position + 1);
        Assert.Equal(left, pipeline.Unprocessed);
        // Refused is the call, which may have come to that after its item was in.
        Assert.InRange(works[2].Ids.Count + left - published, 0, 1);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task DisposeAsync_HandlesWhatWasPublishedAndIsIdempotent(Plan plan)
    {
        var work = new Work(0);
        Pipeline<Item> pipeline = Pipeline.Of<Item>(16)
            .Configure(options => options with { DrainTimeout = Timeout.InfiniteTimeSpan })
            .Stage(HandlerKind.Events, "work", work)
            .Run(plan);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (long id = 0; id < 10; id++) producer.Publish(new Item { Id = id });
        using Pump? pump = Pump.For(pipeline);

        await pipeline.DisposeAsync().OrHang();
        await pipeline.DisposeAsync().OrHang();

        Assert.Equal(10, work.Ids.Count);
        Assert.Equal(RingState.Stopped, pipeline.State);
        Assert.Throws<ObjectDisposedException>(() => producer.Publish(default(Item)));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task DisposeAsync_NeverStarted_Ends(Plan plan)
    {
        Pipeline<Item> pipeline = Pipeline.Of<Item>(16).Stage("work", static (ref Item _) => { }).Build(plan);

        await pipeline.DisposeAsync().OrHang();

        Assert.Equal(RingState.Stopped, pipeline.State);
        await pipeline.Completion.OrHang();
    }

    private static PipelineBuilder<Item, Item> Define(Graph graph, Work[] works)
    {
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(16).HaltOnDispose();
        for (int i = 0; i < works.Length; i++)
            builder.Stage(HandlerKind.Events, Graph.Name(i), works[i], after: graph.After(i));
        return builder;
    }
}
