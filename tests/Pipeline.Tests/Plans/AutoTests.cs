using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>What Auto comes to, and that the stages do not notice.</summary>
public sealed class AutoTests
{
    [Fact]
    public void OtherPlans_AreAskedFor() =>
        Assert.Equal(
            (Plan.Fused, "asked for"), Of(Pipeline.Of<int>(8).Stage("a", static (ref int _) => { }).Build(Plan.Fused)));

    [Fact]
    public void HandlersThatAwait_ArePooled()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", static (ref int _) => { }).Stage("b", new Awaits()).Build(Plan.Auto);

        Assert.Equal((Plan.Pooled, "1 of 2 stages await, and hold no thread meanwhile"), Of(pipeline));
        Assert.Contains("\nplan: 1 of 2 stages await", pipeline.Dump(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task NothingIsSaid_ThePoolDrives()
    {
        await using Pipeline<int> one = Pipeline.Of<int>(8).Stage("a", static (ref int _) => { }).Build();
        await using Pipeline<int> two = Pipeline.Of<int>(8).Stage("a", static (ref int _) => { }).Stage("b", static (ref int _) => { }).Build();

        const string Pooled = "no stage asks for a thread of its own: ";
        Assert.Equal((Plan.Pooled, Pooled + "it has one of the pool while it has items"), Of(one));
        Assert.Equal((Plan.Pooled, Pooled + "the pool steps them together, or apart where that is faster"), Of(two));
    }

    [Fact]
    public async Task SeveralStages_AreSteppedTogether()
    {
        await using Pipeline<int> pipeline = Two().Run();

        await UntilTogetherAsync(pipeline);
        await Watchdog.UntilAsync(() => pipeline.TakeSnapshot().Stages.All(static stage => stage.Driver == "a"), "one driver has both");
    }

    // It judges by the times of its stage alone.
    [Fact]
    public async Task StageWithAController_IsApart()
    {
        await using Pipeline<int> pipeline = Two().Run();
        await UntilTogetherAsync(pipeline);

        using BatchController controller = BatchController.Start(pipeline["b"], BatchGoal.Latency(TimeSpan.FromMilliseconds(5)));

        await Watchdog.UntilAsync(() => !pipeline["a"].IsDrivenWith(pipeline["b"]), "the stages are apart");
    }

    // Stages that were slow to begin are gathered again by items.
    private static async Task UntilTogetherAsync(Pipeline<int> pipeline)
    {
        SingleProducer<int> producer = pipeline.CreateProducer();
        await Watchdog.UntilAsync(
            () =>
            {
                producer.TryPublish(0);
                return pipeline["a"].IsDrivenWith(pipeline["b"]);
            },
            "the stages are together");
    }

    private static PipelineBuilder<int, int> Two() =>
        Pipeline.Of<int>(8).Stage("a", static (ref int _) => { }).Stage("b", static (ref int _) => { });

    [Fact]
    public async Task LongCalls_GetLargerBatches()
    {
        var calls = new Calls();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1 << 15).HaltOnDispose()
            .Stage("dear", calls, Dispatch.Batch(max: 8192)).Run();
        SingleProducer<long> producer = pipeline.CreateProducer();

        // What is published while a call takes its time is more than the next one would be given at first.
        await Task.Run(() => Watchdog.Until(
            () =>
            {
                for (int i = 0; i < 256 && producer.TryPublish(0) == ClaimStatus.Done; i++)
                {
                }

                return Volatile.Read(ref calls.Largest) == 8192;
            },
            "a batch of the dispatch's maximum")).OrHang();
    }

    [Fact]
    public async Task HandlerBlocks_TheOtherStagesGoOn()
    {
        using var first = new CountdownEvent(100);
        using var released = new ManualResetEventSlim();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024).HaltOnDispose()
            .Stage("first", (ref long _) => first.Signal())
            .Stage("blocks", (ref long item) =>
            {
                if (item == 0) released.Wait();
            })
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        producer.Publish(0);
        Watchdog.Until(() => first.CurrentCount == 99, "the first item to pass");
        for (int i = 1; i < 100; i++) producer.Publish(i);

        // The second keeps its thread, and no other's.
        Watchdog.Until(() => first.IsSet, "all items to pass the first stage");
        Assert.Equal(-1, pipeline["blocks"].Position);
        released.Set();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
    }

    // Its calls were short: so what else is ready waits for its thread, until a watch finds that it blocks.
    [Fact]
    public async Task HandlerBlocksAfterShortCalls_OtherStagesAndPipelinesGoOn()
    {
        using var released = new ManualResetEventSlim();
        await using Pipeline<long> other = Pipeline.Of<long>(64).Stage("other", static (ref long _) => { }).Run();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).HaltOnDispose()
            .Stage("first", static (ref long _) => { })
            .Stage("blocks", (ref long item) =>
            {
                if (item < 0) released.Wait();
            })
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        SingleProducer<long> another = other.CreateProducer();
        for (int i = 0; i < 2_000; i++) Pass(pipeline, producer, "blocks", i);

        producer.Publish(-1);
        for (int i = 0; i < 20; i++)
        {
            Pass(pipeline, producer, "first", 2_001 + i);
            Pass(other, another, "other", i);
        }

        Assert.Equal(1_999, pipeline["blocks"].Position);
        released.Set();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        // Each item is its own sequence.
        static void Pass(Pipeline<long> through, SingleProducer<long> by, string stage, long item)
        {
            by.Publish(item);
            Watchdog.Until(() => through[stage].Position >= item, "an item to pass " + stage);
        }
    }

    [Fact]
    public async Task HandlerPublishesElsewhereAndWaits_ThatIsHandledMeanwhile()
    {
        await using Pipeline<long> inner = Pipeline.Of<long>(64).Stage("inner", static (ref long _) => { }).Run();
        SingleProducer<long> into = inner.CreateProducer();
        await using Pipeline<long> outer = Pipeline.Of<long>(64).HaltOnDispose()
            .Stage("outer", (ref long item) =>
            {
                into.Publish(item);
                long last = item;
                Watchdog.Until(() => inner["inner"].Position >= last, "the inner pipeline");
            })
            .Run();
        SingleProducer<long> producer = outer.CreateProducer();
        for (int i = 0; i < 500; i++) producer.Publish(i);

        Assert.True((await outer.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Equal(499, inner["inner"].Position);
    }

    [Fact]
    public async Task HandlersOfTwoStagesWaitForEachOther_EndAllTheSame()
    {
        using var last = new SemaphoreSlim(0);
        using var middle = new SemaphoreSlim(0);
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).HaltOnDispose()
            .Stage("first", static (ref long _) => { })
            .Stage("middle", (ref long item) =>
            {
                if (item > 0) last.Wait();
                middle.Release();
            })
            .After("first").Stage("last", (ref long _) =>
            {
                middle.Wait();
                last.Release();
            })
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < 20; i++) producer.Publish(i);

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
    }

    [Fact]
    public async Task ToldHowToWait_GetsAThreadAStage()
    {
        await using Pipeline<int> all = Pipeline.Of<int>(8).WaitWith(Wait.Yield()).Stage("a", static (ref int _) => { }).Build();
        await using Pipeline<int> one = Pipeline.Of<int>(8)
            .Stage("a", static (ref int _) => { }).Stage("b", static (ref int _) => { }, new StageOptions { Wait = Wait.Park() }).Build();

        Assert.Equal((Plan.SharedRing, "the stages wait as they are told: yield"), Of(all));
        Assert.Equal((Plan.SharedRing, "stage 'b' is told how to wait, or where to run"), Of(one));
    }

    // Its stages sleep as waiters of the ring; neither a thread nor a timer is theirs.
    [Fact]
    public async Task Idle_HoldsNoThread()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024)
            .Stage("s0", static (ref long _) => { }).Stage("s1", static (ref long _) => { }).Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        producer.Publish(0);
        Watchdog.Until(() => pipeline["s1"].Position == 0, "the item to pass");

        Assert.All(pipeline.Stages, static stage => Assert.Null(stage.ThreadTimes));
    }

    private static (Plan Plan, string Reason) Of(Pipeline<int> pipeline) => (pipeline.Plan, pipeline.PlanReason);

    private sealed class Awaits : IAsyncBatchHandler<int>
    {
        public ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation) => default;
    }

    /// <summary>A call costs a millisecond, whatever it is given.</summary>
    private sealed class Calls : IBatchHandler<long>
    {
        public int Largest;

        public void OnBatch(Batch<long> batch)
        {
            for (long from = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(from) < TimeSpan.FromMilliseconds(1);) Thread.SpinWait(10);
            Volatile.Write(ref Largest, Math.Max(Largest, batch.Count));
        }
    }
}
