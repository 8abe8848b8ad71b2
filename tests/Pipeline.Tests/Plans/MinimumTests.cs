using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>Who drives a stage decides how much a step takes, but no batch is cut below its minimum for that.</summary>
public sealed class MinimumTests
{
    private const int Min = 100;
    private const int Items = 1_000;

    public static TheoryData<Plan> Plans => [Plan.SharedRing, Plan.Fused, Plan.RingPerStage, Plan.Pooled, Plan.Auto];

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task ManyItemsThere_NoBatchButTheLastIsBelowTheMinimum(Plan plan)
    {
        Sizes[] stages = [new(), new()];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(2048)
            .Stage("first", stages[0], Dispatch.Batch(min: Min))
            .Stage("second", stages[1], Dispatch.Batch(min: Min))
            .Build(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < Items; i++) producer.Publish(i);
        await pipeline.StartAsync().OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.All(stages, static stage =>
        {
            Assert.Equal(Items, stage.All.Sum());
            Assert.All(stage.All.SkipLast(1), static size => Assert.True(size >= Min, $"a batch of {size}"));
        });
    }

    private sealed class Sizes : IBatchHandler<long>
    {
        public List<int> All { get; } = [];

        public void OnBatch(Batch<long> batch) => All.Add(batch.Count);
    }
}
