using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>Several sources into one segment: each keeps its order, nothing is lost, one life.</summary>
public sealed class MergeTests
{
    private const int Count = 2_000;

    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task TwoSources_EachKeepsItsOrder(Plan plan)
    {
        List<string> seen = [];
        PipelineBuilder<int, string> left = Pipeline.Of<int>(16).HaltOnDispose()
            .Map<string>("left", static (ref int item, ref string result) => result = $"l{item}");
        PipelineBuilder<int, string> right = Pipeline.Of<int>(8).HaltOnDispose()
            .Stage("right", static (ref int _) => { })
            .Expand<string>("twice", 8, static (ref int item, Emitter<string> output) =>
            {
                output.Emit($"r{item}a");
                output.Emit($"r{item}b");
            })
            .Stage("look", static (ref string item) => Assert.StartsWith("r", item, StringComparison.Ordinal));
        await using Pipeline<int> pipeline = Pipeline.Merge("merge", 16, left, right)
            .Stage("see", (ref string item) => seen.Add(item))
            .Stage("again", static (ref string item) => Assert.NotNull(item))
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);

        Task[] publishing = [.. pipeline.Sources.Select(source => Task.Run(() =>
        {
            SingleProducer<int> producer = source.CreateProducer();
            for (int item = 0; item < Count; item++) producer.Publish(item);
        }))];
        await Task.WhenAll(publishing).OrHang();
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.True(result.IsDrained, result.ToString());
        Assert.Equal(Enumerable.Range(0, Count).Select(item => $"l{item}"), seen.Where(item => item[0] == 'l'));
        Assert.Equal(
            Enumerable.Range(0, Count).SelectMany(item => new[] { $"r{item}a", $"r{item}b" }), seen.Where(item => item[0] == 'r'));
        Assert.Equal(3 * Count, seen.Count);
        Assert.Equal(Count, pipeline["merge 1"].GetStatistics().Items);
        Assert.Equal(RingState.Stopped, pipeline.State);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task FaultBehindTheMerge_EndsEverySource(Plan plan)
    {
        await using Pipeline<int> pipeline = Pipeline.Merge("merge", 8, Source("a"), Source("b"))
            .Stage("bad", static (ref int item) => throw new InvalidOperationException($"no {item}"))
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);

        Task[] publishing = [.. pipeline.Sources.Select(source => Task.Run(() =>
        {
            SingleProducer<int> producer = source.CreateProducer();
            while (true) producer.Publish(3);
        }))];

        foreach (Task one in publishing)
            Assert.Equal("bad", (await Assert.ThrowsAsync<RingFaultedException>(() => one.OrHang())).Stage);
        await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.All(pipeline.Rings, ring => Assert.Equal(RingState.Faulted, ring.State));
    }

    [Fact]
    public void Merge_OfOneOrTheSame_IsRefused()
    {
        PipelineBuilder<int, int> source = Source("a");

        Assert.Contains("sources=1", Assert.Throws<ArgumentException>(() => Pipeline.Merge("m", 8, source)).Message, StringComparison.Ordinal);
        Assert.Contains("sources=2", Assert.Throws<ArgumentException>(() => Pipeline.Merge("m", 8, source, source)).Message, StringComparison.Ordinal);
        var fault = Assert.Throws<PipelineBuildException>(
            () => Pipeline.Merge("m", 8, source, Source("a")).Stage("s", static (ref int _) => { }).Build());
        Assert.Contains("must be unique: name='a'", Assert.Single(fault.Problems), StringComparison.Ordinal);
    }

    [Fact]
    public async Task SourcesWithoutAStage_AreSourcesToo()
    {
        long sum = 0;
        await using Pipeline<int> pipeline = Pipeline.Merge("merge", 8, Pipeline.Of<int>(4), Pipeline.Of<int>(4), Pipeline.Of<int>(4))
            .Stage("sum", (ref int item) => sum += item)
            .Run();
        foreach (RingBuffer<int> source in pipeline.Sources) source.CreateProducer().Publish(5);

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal((3, 15), (pipeline.Sources.Count, sum));
    }

    private static PipelineBuilder<int, int> Source(string name) =>
        Pipeline.Of<int>(8).HaltOnDispose().Stage(name, static (ref int _) => { });
}
