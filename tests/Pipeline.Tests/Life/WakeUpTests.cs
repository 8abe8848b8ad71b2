using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>What a driver is told to wait for: between a fruitless step and the sleep anything may happen.</summary>
public sealed class WakeUpTests
{
    [Theory]
    [InlineData(false, 1)]
    [InlineData(false, 4)]
    [InlineData(true, 1)]
    [InlineData(true, 4)]
    public void NextTarget_ItemsPublishedAfterTheLook_IsOver(bool multi, int min)
    {
        PipelineBuilder<long, long> definition = Pipeline.Of<long>(8);
        if (multi) definition.MultiProducer(1);
        Pipeline<long> pipeline = definition
            .Stage("head", static (ref long _) => { }, Dispatch.Batch(min: min))
            .Run(Plan.Manual);
        using Producer<long> producer = multi ? pipeline.CreateMultiProducer() : pipeline.CreateProducer();
        Assert.Equal(StepKind.Idle, pipeline["head"].Step().Kind);

        // A full ring: whoever waits for anything behind it waits for ever.
        for (int i = 0; i < 8; i++) producer.Publish(i);

        Assert.True(pipeline["head"].NextTarget().IsOver);
    }

    [Fact]
    public void NextTarget_BehindAHole_AwaitsTheHole()
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(8).MultiProducer(1)
            .Stage("head", static (ref long _) => { }, Dispatch.Batch(min: 2))
            .Run(Plan.Manual);
        using MultiProducer<long> producer = pipeline.CreateMultiProducer();
        using Claim<long> hole = producer.Claim();
        producer.Publish(1);
        Assert.Equal(StepKind.Idle, pipeline["head"].Step().Kind);

        WaitTarget target = pipeline["head"].NextTarget();
        Assert.Equal(0, target.Awaited);
        Assert.False(target.IsOver);

        hole.Commit();
        Assert.True(target.IsOver);
        Assert.Equal(2, pipeline["head"].Step().Count);
    }

    [Fact]
    public void NextTarget_OfAGroup_IsOverForAChangeThatOnlyItsFirstStageMissed()
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Stage("first", static (ref long _) => { }, Dispatch.Batch(min: 4))
            .After().Stage("second", static (ref long _) => { })
            .Run(Plan.Manual);
        var group = new FusedStages(pipeline.Stages);
        pipeline.CreateProducer().Publish(1L);
        Assert.Equal(StepKind.Progressed, group.StepOnce().Kind);
        Assert.Equal(StepKind.Idle, group.StepOnce().Kind);

        // Completed between the two stages' looks: the second knows, the first still waits for its minimum.
        pipeline["first"].Step();
        pipeline.Complete();
        pipeline["second"].Step();

        Assert.True(group.NextTarget().IsOver);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    public async Task FullRing_AgainAndAgain_NobodySleepsThroughIt(Plan plan)
    {
        // Small rings, many lives: the first sleep of each cell is the one that pays the barrier.
        for (int life = 0; life < 30; life++)
        {
            Graph graph = Graph.Of(Shape.Diamond);
            Work[] works = graph.CreateWork();
            PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(16).HaltOnDispose();
            for (int i = 0; i < works.Length; i++)
            {
                Dispatch? dispatch = i == 3 ? Dispatch.Batch(min: 8) : null;
                builder.Stage(HandlerKind.Events, Graph.Name(i), works[i], dispatch, graph.After(i));
            }


            await using Pipeline<Item> pipeline = builder.Run(plan);
            SingleProducer<Item> producer = pipeline.CreateProducer();
            await Task.Run(() =>
            {
                for (long id = 0; id < 500; id++) producer.Publish(new Item { Id = id });
            }).OrHang();
            Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
            Assert.Equal(graph.Folds(500), works.Select(work => work.Fold));
        }
    }
}
