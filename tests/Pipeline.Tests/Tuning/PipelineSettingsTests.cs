using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Tuning;

public sealed class PipelineSettingsTests
{
    [Fact]
    public async Task Build_WithSettings_ReplacesWhatTheDefinitionSays()
    {
        var settings = new PipelineSettings
        {
            Plan = Plan.Fused,
            Capacity = 64,
            Dispatch = Dispatch.Batch(max: 8),
            DispatchOf = new Dictionary<string, Dispatch> { ["b"] = Dispatch.Single },
            Wait = Wait.Yield(),
            Padding = CellPadding.None,
            Processors = [0],
        };

        await using Pipeline<int> pipeline = Define().Build(settings);

        Assert.Equal((Plan.Fused, 64, RingState.Created), (pipeline.Plan, pipeline.Ring.Capacity, pipeline.State));
        Assert.Equal((Dispatch.Batch(max: 8), Dispatch.Single), (pipeline["a"].Dispatch, pipeline["b"].Dispatch));
        Assert.All(pipeline.Stages, static stage => Assert.Equal([0], stage.Options.Processors!));
        Assert.All(pipeline.Stages, static stage => Assert.Equal("yield", stage.Options.Wait!.Name));
        Assert.Equal(("yield", "yield"), (pipeline.Ring.Options.Wait.Name, pipeline.Ring.Options.ProducerWait.Name));
        Assert.Equal(CellPadding.None, pipeline.Ring.Options.Padding);
    }

    [Fact]
    public async Task Build_WithNone_KeepsTheDefinition()
    {
        await using Pipeline<int> pipeline = Define().Build(new PipelineSettings());

        Assert.Equal((Plan.SharedRing, 16), (pipeline.Plan, pipeline.Ring.Capacity));
        Assert.Equal((Dispatch.Batch(max: 4), Dispatch.Each()), (pipeline["a"].Dispatch, pipeline["b"].Dispatch));
        Assert.Equal("adaptive", pipeline["b"].Options.Wait!.Name);
        Assert.All(pipeline.Stages, static stage => Assert.Null(stage.Options.Processors));
    }

    [Fact]
    public async Task Build_SeveralProcessors_GoToTheStagesInTurn()
    {
        await using Pipeline<int> pipeline = Define().Stage("c", Ignore).Build(new PipelineSettings { Processors = [0, 1] });

        Assert.Equal([0, 1, 0], pipeline.Stages.Select(static stage => Assert.Single(stage.Options.Processors!)));
    }

    [Fact]
    public async Task Run_WithSettings_HandlesEverything()
    {
        long sum = 0;
        PipelineBuilder<int, int> definition = Pipeline.Of<int>(1024)
            .Stage("double", static (ref int item) => item *= 2).Stage("sum", (ref int item) => sum += item);

        await using Pipeline<int> pipeline = definition.Run(new PipelineSettings { Capacity = 8, Dispatch = Dispatch.Single });
        SingleProducer<int> producer = pipeline.CreateProducer();
        for (int i = 0; i < 1_000; i++) producer.Publish(i);
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.Equal(999_000, sum);
    }

    [Fact]
    public void Build_BadSettings_NamesAllOfThem()
    {
        string unknown = Assert.Throws<PipelineBuildException>(
            () => Define().Build(new PipelineSettings { DispatchOf = new Dictionary<string, Dispatch> { ["x"] = Dispatch.Single } })).Message;
        string wrong = Assert.Throws<PipelineBuildException>(
            () => Define().Build(new PipelineSettings { Plan = (Plan)77, Capacity = 100, Dispatch = Dispatch.Batch(60, min: 60), Processors = [] })).Message;

        Assert.Contains("DispatchOf=x. Use a, b", unknown, StringComparison.Ordinal);
        Assert.Contains("plan=77", wrong, StringComparison.Ordinal);
        Assert.Contains("capacity=100", wrong, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => Define().Build((PipelineSettings)null!));
        Assert.Throws<ArgumentNullException>(() => Define().Run((PipelineSettings)null!));
    }

    private static PipelineBuilder<int, int> Define() => Pipeline.Of<int>(16)
        .Stage("a", Ignore, Dispatch.Batch(max: 4))
        .Stage("b", Ignore, new() { Dispatch = Dispatch.Each(), Wait = Wait.Adaptive() });

    private static void Ignore(ref int item)
    {
    }
}
