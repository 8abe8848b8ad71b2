using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Several producers: each one's items stay in its order at every stage, under every plan.</summary>
public sealed class MultiProducerTests
{
    private const int Producers = 3;
    private const int Each = 4_000;

    public static TheoryData<Plan, Shape> PlansAndShapes => Cross.Of(
        Enum.GetValues<Plan>(), Enum.GetValues<Shape>());

    [Theory]
    [MemberData(nameof(PlansAndShapes))]
    public Task Publish_FromThreeThreads_KeepsTheOrderOfEachAtEveryStage(Plan plan, Shape shape) =>
        PublishFromThreeThreads(plan, shape, lanes: false);

    [Theory]
    [MemberData(nameof(PlansAndShapes))]
    public Task Publish_InLanes_KeepsTheOrderOfEachAtEveryStage(Plan plan, Shape shape) =>
        PublishFromThreeThreads(plan, shape, lanes: true);

    private static async Task PublishFromThreeThreads(Plan plan, Shape shape, bool lanes)
    {
        Graph graph = Graph.Of(shape);
        var seen = new List<(int Producer, long Id)>[graph.Upstream.Count];
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(64).HaltOnDispose();
        builder = lanes ? builder.Sharded(Producers) : builder.MultiProducer(Producers);
        for (int i = 0; i < seen.Length; i++)
        {
            List<(int, long)> list = seen[i] = [];
            builder.After(graph.After(i)).Stage(Graph.Name(i), (ref Item item) => list.Add((item.Producer, item.Id)));
        }

        await using Pipeline<Item> pipeline = builder.Run(plan);
        using Pump? pump = Pump.For(pipeline);
        IEnumerable<Task> publishing = Enumerable.Range(0, Producers)
            .Select(number => Task.Run(() => PublishAll(lanes ? pipeline.CreateProducer() : pipeline.CreateMultiProducer(), number)));
        await Task.WhenAll(publishing).OrHang();
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained);
        Assert.Equal(Producers * Each - 1, result.Target);
        Assert.All(seen, items =>
        {
            Assert.Equal(Producers * Each, items.Count);
            for (int number = 0; number < Producers; number++)
                Assert.Equal(
                    Enumerable.Range(0, Each).Select(id => (long)id),
                    items.Where(item => item.Producer == number).Select(item => item.Id));
        });
        // Between producers the order is whatever came first, but it is one order for all stages.
        Assert.All(seen, items => Assert.Equal(seen[0], items));
    }

    [Fact]
    public async Task Abort_BetweenItems_IsPassedOverByEveryStage()
    {
        Graph graph = Graph.Of(Shape.Diamond);
        Work[] works = graph.CreateWork();
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(16).HaltOnDispose().MultiProducer(2);
        for (int i = 0; i < works.Length; i++)
            builder.Stage(HandlerKind.Batches, Graph.Name(i), works[i], after: graph.After(i));
        await using Pipeline<Item> pipeline = builder.Run(Plan.Manual);
        MultiProducer<Item> producer = pipeline.CreateMultiProducer();

        producer.Publish(new Item { Id = 0 });
        producer.Claim(2).Abort();
        producer.Publish(new Item { Id = 1 });
        new ManualDriver(pipeline.Stages).RunUntilIdle();

        Assert.Equal(graph.Folds(2), works.Select(work => work.Fold));
        Assert.All(works, work => Assert.Equal([1, 1], work.Batches));
        Assert.All(pipeline.Stages, stage => Assert.Equal(3, stage.Position));
        Assert.All(pipeline.GetStatistics(), done => Assert.Equal((2L, 2L), (done.Items, done.Tombstones)));
    }

    private static void PublishAll(Producer<Item> producer, int number)
    {
        using (producer)
            for (long id = 0; id < Each; id++) producer.Publish(new Item { Id = id, Producer = number });
    }
}
