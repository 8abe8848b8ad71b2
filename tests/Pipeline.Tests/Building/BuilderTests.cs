using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Which stage follows which, and what the builder hands on.</summary>
public sealed class BuilderTests
{
    [Fact]
    public void Stage_WithoutAfter_FollowsTheOneDefinedBefore()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", Nothing)
            .Stage("b", Nothing)
            .Stage("c", Nothing)
            .Build();

        Assert.Equal(["a<", "b<a", "c<b"], Edges(pipeline));
        Assert.Equal(RingState.Created, pipeline.State);
        Assert.Equal(Plan.Pooled, pipeline.Plan);
    }

    [Fact]
    public void Stage_AfterNone_ReadsProducers()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", Nothing)
            .After().Stage("b", Nothing)
            .Stage("c", Nothing)
            .Build();

        Assert.Equal(["a<", "b<", "c<b"], Edges(pipeline));
    }

    [Fact]
    public void Stage_AfterSeveral_JoinsThem()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", Nothing)
            .After("a").Stage("b", Nothing)
            .After("a").Stage("c", Nothing)
            .After("b", "c", "b").Stage("d", Nothing)
            .Build();

        Assert.Equal(["a<", "b<a", "c<a", "d<b+c"], Edges(pipeline));
    }

    [Fact]
    public void Stage_AfterALaterOne_IsPutBehindIt()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .After("middle").Stage("last", Nothing)
            .After("first").Stage("middle", Nothing)
            .After().Stage("first", Nothing)
            .Build();

        Assert.Equal(["first<", "middle<first", "last<middle"], Edges(pipeline));
    }

    [Fact]
    public async Task Build_Twice_GivesTwoPipelinesThatShareNothingButClassHandlers()
    {
        var shared = new Work(0);
        PipelineBuilder<Item, Item> definition = Pipeline.Of<Item>(8).HaltOnDispose()
            .Stage(HandlerKind.Events, "shared", shared)
            .Stage("own", StageKind<Item>.Events(new Counter()));
        await using Pipeline<Item> first = definition.Run(Plan.Manual);
        await using Pipeline<Item> second = definition.Run(Plan.Manual);

        first.CreateProducer().Publish(new Item { Id = 1 });
        SingleProducer<Item> producer = second.CreateProducer();
        for (long id = 2; id < 4; id++) producer.Publish(new Item { Id = id });
        new ManualDriver(first.Stages).RunUntilIdle();
        new ManualDriver(second.Stages).RunUntilIdle();

        Assert.Equal([1, 2, 3], shared.Ids);
        Assert.Equal((1, 2), (CountOf(first), CountOf(second)));
        Assert.Equal((0, 1), (first["own"].Position, second["own"].Position));
    }

    [Fact]
    public void Stage_AddedAfterABuild_IsInTheNextOneOnly()
    {
        PipelineBuilder<int, int> definition = Pipeline.Of<int>(8).Stage("a", Nothing);
        Pipeline<int> before = definition.Build();
        Pipeline<int> after = definition.Stage("b", Nothing).Build(Plan.Fused);

        Assert.Equal(["a<"], Edges(before));
        Assert.Equal(["a<", "b<a"], Edges(after));
    }

    [Fact]
    public void Stage_OptionsSayWhatTheBuilderSays_IsAProblem()
    {
        PipelineBuilder<int, int> builder = Pipeline.Of<int>(8)
            .Stage("a", Nothing, new() { Name = "other" })
            .Stage("b", Nothing, new() { Drive = Drive.Caller });

        string[] problems = [.. Assert.Throws<PipelineBuildException>(() => builder.Build()).Problems];

        Assert.Equal(2, problems.Length);
        Assert.Contains("stage='a', Name='other'", problems[0], StringComparison.Ordinal);
        Assert.Contains("stage='b'", problems[1], StringComparison.Ordinal);
        Assert.Contains("Drive=Caller", problems[1], StringComparison.Ordinal);
    }

    [Fact]
    public void Fork_Branches_BeginTogetherAndAreJoined()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", Nothing)
            .Fork(
                one => one.Stage("b", Nothing).Stage("c", Nothing),
                two => two.Stage("d", Nothing),
                static _ => { })
            .Stage("e", Nothing)
            .Build();

        Assert.Equal(["a<", "b<a", "c<b", "d<a", "e<a+c+d"], Edges(pipeline));
    }

    [Fact]
    public void Fork_FromTheSource_AndNested()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Fork(
                one => one.Stage("a", Nothing),
                two => two.Fork(left => left.Stage("b", Nothing), right => right.Stage("c", Nothing)))
            .Stage("d", Nothing)
            .Build();

        Assert.Equal(["a<", "b<", "c<", "d<a+b+c"], Edges(pipeline));
    }

    [Fact]
    public void Fork_BranchAddsToTheOuterView_IsRefused()
    {
        PipelineBuilder<int, int> builder = Pipeline.Of<int>(8).Stage("a", Nothing);

        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => builder.Fork(_ => builder.Stage("b", Nothing)));

        Assert.Contains("'b' was added to the view that forks", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void OnFault_SaidLater_HoldsForStagesBefore()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", Nothing)
            .Stage("b", Nothing, new() { OnFault = FaultPolicy.Stop })
            .OnFault(FaultPolicy.Skip)
            .Build();

        Assert.Equal(FaultPolicy.Skip, pipeline["a"].Options.OnFault);
        Assert.Equal(FaultPolicy.Stop, pipeline["b"].Options.OnFault);
    }

    [Fact]
    public void Stage_ClassOfSeveralInterfaces_MustSayWhich()
    {
        var both = new Both();

        ArgumentException refused = Assert.Throws<ArgumentException>(() => Pipeline.Of<int>(8).Stage("a", both));

        Assert.Contains("Both has 2 of the handler interfaces", refused.Message, StringComparison.Ordinal);
        Pipeline<int> pipeline = Pipeline.Of<int>(8).Stage("a", (IEventHandler<int>)both).Build();
        Assert.Same(both, pipeline["a"].GetHandler<Both>());
    }

    [Fact]
    public void Stage_StructBehindAnInterface_IsRefusedInsteadOfCopied()
    {
        IEventHandler<Item> boxed = default(Counter);

        ArgumentException refused = Assert.Throws<ArgumentException>(() => Pipeline.Of<Item>(8).Stage("a", boxed));

        Assert.Contains("must be a class: Counter is a struct", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Capacity_AndRingOptions_ReachTheRing()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(32)
            .MultiProducer(maxProducers: 2)
            .Configure(options => options with { DrainTimeout = TimeSpan.FromMinutes(1) })
            .Stage("a", Nothing)
            .Build();

        Assert.Equal(32, pipeline.Ring.Capacity);
        _ = pipeline.CreateMultiProducer();
        _ = pipeline.CreateMultiProducer();
        Assert.Throws<InvalidOperationException>(pipeline.CreateMultiProducer);
        Assert.Throws<InvalidOperationException>(pipeline.CreateProducer);
    }

    [Fact]
    public void Indexer_KnownName_IsTheStageOfTheRing()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8).Stage("a", Nothing).Stage("b", Nothing).Build();

        Assert.Same(pipeline.Stages[1], pipeline["b"]);
        Assert.Equal(pipeline.Ring.Stages, pipeline.Stages);
    }

    [Fact]
    public void Indexer_UnknownName_SaysWhichThereAre()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8).Stage("a", Nothing).Stage("b", Nothing).Build();

        var fault = Assert.Throws<KeyNotFoundException>(() => pipeline["A"]);

        Assert.Equal("No such stage: name='A'. Known: a, b.", fault.Message);
    }

    private static int CountOf(Pipeline<Item> pipeline) => pipeline["own"].GetHandler<Counter>().Count;

    private static void Nothing(ref int item)
    {
    }

    private static IEnumerable<string> Edges(Pipeline<int> pipeline) =>
        pipeline.Stages.Select(stage => $"{stage.Name}<{string.Join('+', stage.Upstream.Select(up => up.Name))}");

    private sealed class Both : IEventHandler<int>, IBatchHandler<int>
    {
        public void OnEvent(ref int item, long sequence, bool endOfBatch)
        {
        }

        public void OnBatch(Batch<int> batch)
        {
        }
    }

    private struct Counter : IEventHandler<Item>
    {
        public int Count { get; private set; }

        public void OnEvent(ref Item item, long sequence, bool endOfBatch) => Count++;
    }
}
