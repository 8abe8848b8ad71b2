using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Mistakes of a definition: each with its rule, value and remedy, and all of them at once.</summary>
public sealed class BuilderMistakesTests
{
    [Fact]
    public void Build_NoStages_IsRefused() =>
        AssertProblem(Pipeline.Of<int>(8), "A pipeline needs a stage", "stages=0", "Add one");

    [Theory]
    [InlineData("")]
    [InlineData(" \t")]
    public void Build_BlankName_IsRefused(string name) =>
        AssertProblem(
            Pipeline.Of<int>(8).Stage("a", Nothing).Stage(name, Nothing), "needs a name", "stage number 2", ".");

    [Fact]
    public void Build_DuplicateName_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8).Stage("twice", Nothing).Stage("twice", Nothing),
            "must be unique", "name='twice'", "Rename one");

    [Fact]
    public void Build_UnknownUpstream_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8).Stage("a", Nothing).After("a", "A").Stage("b", Nothing),
            "can only follow a stage of the pipeline", "stage='b', after='A'", "Known: a, b");

    [Fact]
    public void Build_Cycle_IsRefusedWithItsStages() =>
        AssertProblem(
            Pipeline.Of<int>(8)
                .Stage("free", Nothing)
                .After("c").Stage("a", Nothing)
                .After("a", "free").Stage("b", Nothing)
                .After("b").Stage("c", Nothing),
            "must not follow each other in a circle", "a, b, c", "Let one of them begin elsewhere");

    [Fact]
    public void Build_StageAfterItself_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8).After("self").Stage("self", Nothing), "in a circle", "self", "Let one of them begin elsewhere");

    [Theory]
    [InlineData(0, "Use 2.")]
    [InlineData(1, "Use 2.")]
    [InlineData(-8, "Use 2.")]
    [InlineData(100, "Use 128.")]
    [InlineData(int.MaxValue, "Use 1073741824.")]
    public void Build_Capacity_IsRefused(int capacity, string remedy) =>
        AssertProblem(
            Pipeline.Of<int>(capacity).Stage("a", Nothing), "must be a power of two", $"capacity={capacity}", remedy);

    [Fact]
    public void Build_MinAboveHalf_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8).Stage("a", Nothing, Dispatch.Batch(min: 5)),
            "at most half the capacity", "min=5, capacity=8", "Use at most 4");

    [Fact]
    public void Build_MinOfHalf_IsAllowed() =>
        Assert.Equal(4, Pipeline.Of<int>(8).Stage("a", Nothing, Dispatch.Batch(min: 4)).Build()["a"].Dispatch.Min);

    [Fact]
    public void Build_PolicyOfAnotherType_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8)
                .Stage("a", Nothing, new() { OnFault = FaultPolicy.DeadLetter(static (ref long _, in FaultContext _) => { }) }),
            "must take the stage's item type", "item=Int32", ".");

    [Theory]
    [InlineData(new int[0], "needs a processor", "processors=none", "leave Processors null")]
    [InlineData(new[] { 0, -1 }, "between 0 and 1023", "stage='a', processor=-1", "as the system counts them")]
    [InlineData(new[] { 1024 }, "between 0 and 1023", "stage='a', processor=1024", "as the system counts them")]
    public void Build_Processors_AreRefused(int[] processors, string rule, string value, string remedy) =>
        AssertProblem(
            Pipeline.Of<int>(8).Stage("a", Nothing, new() { Processors = processors }),
            rule, value, remedy);

    [Fact]
    public void Build_UnknownPlan_IsRefused() =>
        AssertProblem(
            Pipeline.Of<int>(8).Stage("a", Nothing),
            "A plan must be one of", "plan=99", "SharedRing, Fused, Manual", (Plan)99);

    [Fact]
    public void Build_ManyMistakesOfTheGraph_AreReportedTogether()
    {
        PipelineBuilder<int, int> definition = Pipeline.Of<int>(100)
            .Stage("a", Nothing)
            .Stage("a", Nothing)
            .Stage(" ", Nothing)
            .After("nobody").Stage("b", Nothing);

        var fault = Assert.Throws<PipelineBuildException>(() => definition.Build((Plan)99));

        AssertEach(
            fault, "plan=99", "must be unique: name='a'", "needs a name", "after='nobody'", "capacity=100");
    }

    [Fact]
    public void Build_MistakesOfTheGraphAndOfItsStages_AreReportedTogether()
    {
        PipelineBuilder<int, int> definition = Pipeline.Of<int>(8)
            .Stage("a", Nothing, Dispatch.Batch(min: 5))
            .After("nobody").Stage("b", Nothing)
            .After("c").Stage("c", Nothing)
            .Stage("d", Nothing, new() { OnFault = FaultPolicy.DeadLetter(static (ref long _, in FaultContext _) => { }) });

        var fault = Assert.Throws<PipelineBuildException>(() => definition.Build());

        AssertEach(fault, "after='nobody'", "in a circle: c", "min=5", "item=Int32");
    }

    [Fact]
    public void Build_UnknownUpstreamOfADuplicateAndCountsOutOfRange_AreReportedWithTheRest()
    {
        PipelineBuilder<long, long> definition = Pipeline.Of<long>(100)
            .Stage("twice", Nothing)
            .After("nobody").Stage("twice", Nothing)
            .Lanes("lanes", 0, static (ref readonly long item) => item, Nothing)
            .Workers("share", -1, Nothing)
            .Route("route", static (ref readonly long _) => 0, [])
            .After("lanes", "share", "route").Stage("behind", Nothing);

        var fault = Assert.Throws<PipelineBuildException>(() => definition.Build());

        AssertEach(
            fault, "capacity=100", "must be unique: name='twice'", "stage='twice', after='nobody'", "name='lanes', lanes=0",
            "name='share', workers=-1", "name='route', outputs=0");

        static void Nothing(ref long _)
        {
        }
    }

    [Fact]
    public void Build_SeveralStagesWrong_EachIsReportedOnce()
    {
        // The followers of a wrong stage are not wrong themselves.
        PipelineBuilder<int, int> definition = Pipeline.Of<int>(8)
            .Stage("a", Nothing, Dispatch.Batch(min: 5))
            .Stage("b", Nothing)
            .Stage("c", Nothing, Dispatch.Each(min: 6))
            .Stage("d", Nothing);

        var fault = Assert.Throws<PipelineBuildException>(() => definition.Build());

        AssertEach(fault, "min=5", "min=6");
    }

    [Fact]
    public void Problems_AreLinesOfTheMessage()
    {
        PipelineBuilder<int, int> definition = Pipeline.Of<int>(100).Stage("", Nothing);

        var fault = Assert.Throws<PipelineBuildException>(() => definition.Build());

        Assert.Equal(2, fault.Problems.Count);
        // One line each: what the framework adds about parameters says nothing to who wrote the definition.
        Assert.All(fault.Problems, problem => Assert.DoesNotContain('\n', problem));
        Assert.All(fault.Problems, problem => Assert.DoesNotContain("(Parameter", problem, StringComparison.Ordinal));
        Assert.Equal(
            ["The pipeline cannot be built:", .. fault.Problems.Select(problem => $" - {problem}")],
            fault.Message.Split('\n'));
    }

    [Fact]
    public void Run_WithMistakes_ThrowsAsBuildDoes() =>
        Assert.Throws<PipelineBuildException>(() => Pipeline.Of<int>(8).Run());

    [Fact]
    public void Arguments_Null_AreRefusedAtOnce()
    {
        PipelineBuilder<int, int> definition = Pipeline.Of<int>(8);

        Assert.Throws<ArgumentNullException>("name", () => definition.Stage(null!, Nothing));
        Assert.Throws<ArgumentNullException>("handler", () => definition.Stage("a", (SlotAction<int>)null!));
        Assert.Throws<ArgumentNullException>("handler", () => definition.Stage("a", (IEventHandler<int>)null!));
        Assert.Throws<ArgumentNullException>("handler", () => definition.Stage("a", (IBatchHandler<int>)null!));
        Assert.Throws<ArgumentNullException>("handler", () => definition.Stage("a", (IAsyncBatchHandler<int>)null!));
        Assert.Throws<ArgumentNullException>("wait", () => definition.WaitWith(null!));
        Assert.Throws<ArgumentNullException>("policy", () => definition.OnFault(null!));
        Assert.Throws<ArgumentNullException>("configure", () => definition.Configure(null!));
    }

    private static void Nothing(ref int item)
    {
    }

    private static void AssertProblem(
        PipelineBuilder<int, int> definition, string rule, string value, string remedy, Plan plan = Plan.SharedRing)
    {
        var fault = Assert.Throws<PipelineBuildException>(() => definition.Build(plan));
        string problem = Assert.Single(fault.Problems);
        Assert.Contains(rule, problem, StringComparison.Ordinal);
        Assert.Contains(value, problem, StringComparison.Ordinal);
        Assert.Contains(remedy, problem, StringComparison.Ordinal);
    }

    private static void AssertEach(PipelineBuildException fault, params string[] parts)
    {
        Assert.All(
            parts,
            part => Assert.Single(fault.Problems, problem => problem.Contains(part, StringComparison.Ordinal)));
        Assert.Equal(parts.Length, fault.Problems.Count);
    }
}
