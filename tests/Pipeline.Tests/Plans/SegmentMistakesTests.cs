using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>Definitions with maps and expansions that cannot be built, and what is said about them.</summary>
public sealed class SegmentMistakesTests
{
    [Fact]
    public void StageOverResults_NotBehindTheirMap_IsRefused()
    {
        PipelineBuilder<int, int> source = Pipeline.Of<int>(8).Stage("a", Nothing);
        source.Map<long>("map", Widen).After("a").Stage("b", static (ref long _) => { });

        AssertProblem(source, "must follow the one that writes what it reads", "stage='b', item=Int64, written by 'map'", "Name 'map' in the After");
    }

    [Fact]
    public void StageOverResults_BehindTheirMapThroughOthers_IsAllowed()
    {
        PipelineBuilder<int, int> source = Pipeline.Of<int>(8);
        PipelineBuilder<int, long> mapped = source.Map<long>("map", Widen);
        source.After("map").Stage("other", Nothing);
        mapped.After("other").Stage("b", static (ref long _) => { });

        Assert.Equal(["map", "other", "b"], source.Build().Stages.Select(stage => stage.Name));
    }

    [Fact]
    public void Join_AcrossAnExpansion_IsRefused()
    {
        PipelineBuilder<int, int> source = Pipeline.Of<int>(8).Stage("a", Nothing);
        source.Expand<long>("parts", 8, static (ref int _, Emitter<long> _) => { })
            .Stage("b", static (ref long _) => { })
            .After("b", "a").Stage("c", static (ref long _) => { });

        AssertProblem(source, "only follow stages of its own segment", "stage='c' (fed by parts), after='a'", "define the stage on that segment");
    }

    [Fact]
    public void Expansion_ThatNobodyTakes_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8).Expand<long>("parts", 8, static (ref int _, Emitter<long> _) => { }),
            "needs a stage that takes it", "stage='parts'", "Add one behind it");

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(12)]
    public void Expansion_CapacityOfItsRing_IsRefused(int capacity) =>
        AssertProblem(
            Pipeline.Of<int>(8).Expand<long>("parts", capacity, static (ref int _, Emitter<long> _) => { }).Stage("b", static (ref long _) => { }),
            "must be a power of two", $"capacity={capacity}", "Use");

    [Fact]
    public void Minimum_AboveHalfOfItsOwnRing_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(1024).Expand<long>("parts", 8, static (ref int _, Emitter<long> _) => { })
                .Stage("b", static (ref long _) => { }, Dispatch.Batch(min: 5)),
            "at most half the capacity", "min=5, capacity=8", "Use at most 4");

    [Fact]
    public void Policy_OfTheWrongColumn_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8).Map<long>("map", Widen)
                .Stage("b", static (ref long _) => { }, new() { OnFault = FaultPolicy.DeadLetter(static (ref int _, in FaultContext _) => { }) }),
            "must take the stage's item type", "stage='b', item=Int64", "Use DeadLetter<Int64>");

    [Fact]
    public async Task SecondProducer_OfASingleProducerPipeline_IsRefused()
    {
        await using Pipeline<int> pipeline = Pipeline.Of<int>(8).HaltOnDispose().Stage("a", Nothing).Stage("b", Nothing).Run(Plan.RingPerStage);
        pipeline.CreateProducer();

        Assert.Contains(
            "Dispose the first", Assert.Throws<InvalidOperationException>(pipeline.CreateProducer).Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(pipeline.CreateMultiProducer);
    }

    [Fact]
    public void Quantum_BelowOne_IsRefused()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8).Stage("a", Nothing).Build(Plan.Manual);

        Assert.Throws<ArgumentOutOfRangeException>("max", () => pipeline["a"].Step(0));
    }

    [Fact]
    public void Arguments_Null_AreRefusedAtOnce()
    {
        PipelineBuilder<int, int> builder = Pipeline.Of<int>(8);

        Assert.Throws<ArgumentNullException>("handler", () => builder.Map("m", (SlotMap<int, long>)null!));
        Assert.Throws<ArgumentNullException>("handler", () => builder.Map("m", (IMapHandler<int, long>)null!));
        Assert.Throws<ArgumentNullException>("handler", () => builder.Expand("e", 8, (SlotExpansion<int, long>)null!));
        Assert.Throws<ArgumentNullException>("handler", () => builder.Expand("e", 8, (IExpandHandler<int, long>)null!));
        Assert.Throws<ArgumentNullException>("name", () => builder.Map<long>(null!, Widen));
        Assert.Throws<ArgumentNullException>("name", () => Pipeline.Merge<int, int>(null!, 8));
        Assert.Throws<ArgumentNullException>("sources", () => Pipeline.Merge<int, int>("m", 8, null!));
        Assert.Throws<ArgumentNullException>("define", () => builder.Stage("a", Nothing).Build().Attach(null!));
    }

    [Fact]
    public void Map_ByAStruct_IsRefusedInsteadOfCopied()
    {
        ArgumentException refused = Assert.Throws<ArgumentException>(() => Pipeline.Of<int>(8).Map("sum", default(Running)));

        Assert.Contains("must be a class: Running is a struct", refused.Message, StringComparison.Ordinal);
    }

    private static void Nothing(ref int item)
    {
    }

    private static void Widen(ref int item, ref long result) => result = item;

    private static void AssertProblem<T>(PipelineBuilder<int, T> builder, string rule, string value, string remedy)
    {
        foreach (Plan plan in Enum.GetValues<Plan>())
        {
            string problem = Assert.Single(Assert.Throws<PipelineBuildException>(() => builder.Build(plan)).Problems);
            Assert.Contains(rule, problem, StringComparison.Ordinal);
            Assert.Contains(value, problem, StringComparison.Ordinal);
            Assert.Contains(remedy, problem, StringComparison.Ordinal);
        }
    }

    private struct Running : IMapHandler<int, long>, IStageLifetime
    {
        public long Total { get; private set; }

        public void OnStart() => Total = 100;

        public readonly void OnStop()
        {
        }

        public void OnBatch(Batch<int> source, Batch<long> results)
        {
            for (int i = 0; i < source.Count; i++) results[i] = Total += source[i];
        }
    }
}
