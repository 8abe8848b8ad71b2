using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Dispatch that is changed while the pipeline runs.</summary>
public sealed class LiveDispatchTests
{
    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Change_AllTheTime_LosesNothing(Plan plan)
    {
        const int Count = 40_000;
        Dispatch[] dispatches =
        [
            Dispatch.Single, Dispatch.Batch(), Dispatch.Each(max: 5), Dispatch.Batch(max: 3), Dispatch.Batch(min: 8),
            Dispatch.Each(min: 2, progressInterval: 2), Dispatch.Single, Dispatch.Batch(max: 16, min: 16),
        ];
        Graph graph = Graph.Of(Shape.Diamond);
        Work[] works = graph.CreateWork();
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(64).HaltOnDispose();
        for (int i = 0; i < works.Length; i++)
            builder.Stage(HandlerKind.Batches, Graph.Name(i), works[i], after: graph.After(i));
        await using Pipeline<Item> pipeline = builder.Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            var random = new Random(5);
            for (long id = 0; id < Count; id++)
            {
                producer.Publish(id, static (ref Item slot, long state) => slot.Id = state);
                if (id % 97 == 0)
                    pipeline.Stages[random.Next(works.Length)].Dispatch = dispatches[random.Next(dispatches.Length)];
            }
        }).OrHang();

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(graph.Folds(Count), works.Select(work => work.Fold));
        Assert.All(works, work => Assert.Equal(Count, work.Ids.Count));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Change_TakesEffectWithTheNextBatch(Plan plan)
    {
        var work = new Work(0);
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(64).HaltOnDispose()
            .Stage(HandlerKind.Batches, "work", work)
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        Stage stage = pipeline["work"];

        AreSizes([6], SizesOf(6, Dispatch.Batch()));
        AreSizes([1, 1, 1, 1, 1, 1], SizesOf(6, Dispatch.Single));
        AreSizes([6], SizesOf(6, Dispatch.Batch()));
        AreSizes([1, 1, 1, 1, 1, 1], SizesOf(6, Dispatch.Each()));
        AreSizes([4, 2], SizesOf(6, Dispatch.Batch(max: 4)));

        // On the pool a batch is cut where its items have been slow: the limit holds, the size is nobody's promise.
        void AreSizes(int[] expected, IReadOnlyList<int> sizes)
        {
            if (plan != Plan.Pooled) Assert.Equal(expected, sizes);
            Assert.Equal(expected.Sum(), sizes.Sum());
            Assert.All(sizes, size => Assert.InRange(size, 1, expected.Max()));
        }

        IReadOnlyList<int> SizesOf(int count, Dispatch dispatch)
        {
            stage.Dispatch = dispatch;
            Assert.Same(dispatch, stage.Dispatch);
            // The step under way may still have read the old one, so one item goes before.
            PublishAndWait(1);
            int before = work.Batches.Count;
            PublishAndWait(count);
            return work.Batches.Skip(before).ToArray();
        }

        void PublishAndWait(int count)
        {
            using Claim<Item> claim = producer.Claim(count);
            claim.Commit();
            long last = claim.Sequence + count - 1;
            Watchdog.Until(() => stage.Position == last, "the stage");
        }
    }

    [Theory]
    [InlineData(Plan.SharedRing, 0)]
    [InlineData(Plan.SharedRing, 1)]
    [InlineData(Plan.Fused, 0)]
    [InlineData(Plan.Fused, 1)]
    public async Task Change_AwayFromAMinimum_WakesTheStage(Plan plan, int waiting)
    {
        var works = new Work[] { new(0), new(1, 0) };
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(64).HaltOnDispose();
        for (int i = 0; i < 2; i++)
            builder.Stage(HandlerKind.Batches, Graph.Name(i), works[i], i == waiting ? Dispatch.Batch(min: 8) : null);
        await using Pipeline<Item> pipeline = builder.Run(plan);
        Stage stage = pipeline[Graph.Name(waiting)];
        Watchdog.Until(() => stage.GetStatistics().Parks > 0, "the stage to sleep");
        pipeline.CreateProducer().Publish(default(Item));
        Assert.Equal(-1, stage.Position);

        stage.Dispatch = Dispatch.Single;

        Watchdog.Until(() => pipeline["s1"].Position == 0, "the item");
        Assert.Equal([1], works[waiting].Batches);
    }

    [Fact]
    public void Change_ManualMinimum_IsSeenByTheNextStep()
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Stage("work", static (ref long _) => { }, Dispatch.Batch(min: 4))
            .Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < 3; i++) producer.Publish(i);
        Stage stage = pipeline["work"];

        Assert.Equal(new StepResult(StepKind.Idle), stage.Step());
        stage.Dispatch = Dispatch.Batch(min: 3);
        Assert.Equal(new StepResult(StepKind.Progressed, 3), stage.Step());
        producer.Publish(3);
        Assert.Equal(new StepResult(StepKind.Idle), stage.Step());
        stage.Dispatch = Dispatch.Single;
        Assert.Equal(new StepResult(StepKind.Progressed, 1), stage.Step());
    }

    [Fact]
    public void Change_ToAMinimumAboveHalf_IsRefusedAndChangesNothing()
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("work", static (ref long _) => { }).Build();
        Dispatch before = pipeline["work"].Dispatch;

        var fault = Assert.Throws<ArgumentException>(() => pipeline["work"].Dispatch = Dispatch.Batch(min: 9));
        Assert.Throws<ArgumentNullException>(() => pipeline["work"].Dispatch = null!);

        Assert.Contains("min=9, capacity=16. Use at most 8", fault.Message, StringComparison.Ordinal);
        Assert.Same(before, pipeline["work"].Dispatch);
    }
}
