using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>What is particular to stages that share a thread: whom they wait for, and limits of each.</summary>
public sealed class FusedTests
{
    [Fact]
    public async Task Min_OfFirstBranch_DoesNotHoldTheOtherBranchBack()
    {
        var handled = new TaskCompletionSource();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Stage("four", static (ref long _) => { }, Dispatch.Batch(min: 4))
            .After().Stage("one", (ref long _) => handled.TrySetResult())
            .Run(Plan.Fused);
        // The group must be asleep: one that still spins looks at all of its stages.
        Watchdog.Until(() => pipeline.GetStatistics()[0].Parks > 0, "the group to park");

        pipeline.CreateProducer().Publish(1);

        await handled.Task.OrHang();
        Assert.Equal(-1, pipeline["four"].Position);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    public async Task Min_AboveTheSizeOfAFusedBatch_IsKept(Plan plan)
    {
        var work = new Work(0);
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(8192).HaltOnDispose()
            .Stage(HandlerKind.Batches, "big", work, Dispatch.Batch(min: 2000, max: 2500))
            .Build(plan);
        using (Claim<Item> claim = pipeline.CreateProducer().Claim(4700)) claim.Commit();

        await pipeline.StartAsync();
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained);
        Assert.Equal(4700, work.Batches.Sum());
        // The last is what the drain let go of.
        Assert.All(work.Batches.SkipLast(1), size => Assert.InRange(size, 2000, 2500));
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    [InlineData(Plan.Pooled)]
    public async Task Fused_AsyncStageWithALargeMaximum_IsGivenIt(Plan plan)
    {
        var work = new Work(0);
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(16_384).HaltOnDispose()
            .Stage(HandlerKind.AsyncLater, "store", work, Dispatch.Batch(max: 10_000))
            .Build(plan);
        using (Claim<Item> claim = pipeline.CreateProducer().Claim(12_000)) claim.Commit();

        await pipeline.StartAsync();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal([10_000, 2_000], work.Batches);
    }

    [Theory]
    [InlineData(Plan.SharedRing, 0)]
    [InlineData(Plan.SharedRing, 1)]
    [InlineData(Plan.SharedRing, 2)]
    [InlineData(Plan.Fused, 0)]
    [InlineData(Plan.Fused, 1)]
    [InlineData(Plan.Fused, 2)]
    public async Task MaxAge_OfAnyStageAsleep_ClosesTheBatchBelowTheMinimum(Plan plan, int aged)
    {
        var works = new Work[3];
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(64).HaltOnDispose();
        for (int i = 0; i < 3; i++)
        {
            works[i] = new Work(i);
            Dispatch? dispatch = i == aged ? Dispatch.Batch(min: 32, maxAge: TimeSpan.FromMilliseconds(2)) : null;
            builder.Stage(HandlerKind.Batches, Graph.Name(i), works[i], dispatch);
        }

        await using Pipeline<Item> pipeline = builder.Run(plan);
        // Asleep with nothing there, so that its age limit can begin with the first item only.
        Watchdog.Until(() => pipeline[Graph.Name(aged)].GetStatistics().Parks > 0, "the stage to park");
        using (Claim<Item> claim = pipeline.CreateProducer().Claim(3)) claim.Commit();
        Watchdog.Until(() => pipeline["s2"].Position == 2, "the last stage");

        Assert.All(works, work => Assert.Equal([3], work.Batches));
        // A stage wakes the next one before it counts its batch.
        Watchdog.Until(() => pipeline.GetStatistics().All(static done => done.Batches == 1), "the statistics");
        Assert.Equal(
            Enumerable.Range(0, 3).Select(i => i == aged ? 1L : 0L),
            pipeline.GetStatistics().Select(done => done.CloseReasons[(int)CloseReason.Age]));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Min_OfAnyStage_IsLetGoByADrain(int waiting)
    {
        var works = new Work[3];
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(64).HaltOnDispose();
        for (int i = 0; i < 3; i++)
        {
            works[i] = new Work(i);
            builder.Stage(HandlerKind.Batches, Graph.Name(i), works[i], i == waiting ? Dispatch.Batch(min: 4) : null);
        }

        await using Pipeline<Item> pipeline = builder.Build(Plan.Fused);
        using (Claim<Item> claim = pipeline.CreateProducer().Claim(3)) claim.Commit();
        await pipeline.StartAsync();
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained);
        Assert.All(works, work => Assert.Equal([3], work.Batches));
        Assert.Equal(1, pipeline.GetStatistics()[waiting].CloseReasons[(int)CloseReason.Stop]);
    }

    [Fact]
    public async Task AsyncStage_Pending_LetsTheOthersRestAndGoesOnWhenItCompletes()
    {
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = new Work(0);
        var last = new Work(1);
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(8).HaltOnDispose()
            .Stage(HandlerKind.Batches, "first", first)
            .Stage("await", new Gated(entered, gate.Task))
            .Stage(HandlerKind.Batches, "last", last)
            .Run(Plan.Fused);
        SingleProducer<Item> producer = pipeline.CreateProducer();

        producer.Publish(new Item { Id = 0 });
        await entered.Task.OrHang();
        Assert.Equal(0, pipeline["first"].Position);
        Assert.Equal(-1, pipeline["await"].Position);
        Assert.Empty(last.Ids);

        gate.SetResult();
        for (long id = 1; id < 100; id++) producer.Publish(new Item { Id = id });
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained);
        Assert.Equal(Enumerable.Range(0, 100).Select(id => (long)id), first.Ids);
        Assert.Equal(first.Ids, last.Ids);
    }

    [Fact]
    public async Task Group_OnTheThreadPool_HandlesEverythingInOrder()
    {
        var works = new Work[] { new(0), new(1, 0), new(2, 1) };
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(32).HaltOnDispose()
            .WaitWith(Wait.Async())
            .Stage(HandlerKind.Events, "s0", works[0])
            .Stage(HandlerKind.AsyncLater, "s1", works[1])
            .Stage(HandlerKind.StructBatches, "s2", works[2])
            .Run(Plan.Fused);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            for (long id = 0; id < 5_000; id++) producer.Publish(new Item { Id = id });
        }).OrHang();

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(Graph.Of(Shape.Chain).Folds(5_000), works.Select(work => work.Fold));
    }

    private sealed class Gated(TaskCompletionSource entered, Task gate) : IAsyncBatchHandler<Item>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation)
        {
            entered.TrySetResult();
            await gate.WaitAsync(cancellation);
        }
    }
}
