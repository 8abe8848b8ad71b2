using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>One definition, several plans and dispatches, every kind of handler: the same order and results.</summary>
public sealed class PlanEquivalenceTests
{
    private const int Count = 1_000;

    public static TheoryData<Plan, HandlerKind, DispatchLevel> Runs => Cross.Of(
        Enum.GetValues<Plan>(), Enum.GetValues<HandlerKind>(), Enum.GetValues<DispatchLevel>());

    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Runs))]
    public Task Chain_AnyPlan_GivesTheSame(Plan plan, HandlerKind kind, DispatchLevel level) =>
        AssertAsModel(Shape.Chain, plan, kind, level);

    [Theory]
    [MemberData(nameof(Runs))]
    public Task Diamond_AnyPlan_GivesTheSame(Plan plan, HandlerKind kind, DispatchLevel level) =>
        AssertAsModel(Shape.Diamond, plan, kind, level);

    [Theory]
    [MemberData(nameof(Runs))]
    public Task Multicast_AnyPlan_GivesTheSame(Plan plan, HandlerKind kind, DispatchLevel level) =>
        AssertAsModel(Shape.Multicast, plan, kind, level);

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Position_OfUpstream_HasReachedWhatAStageIsGiven(Plan plan)
    {
        var stages = new Lagging[3];
        PipelineBuilder<long, long> builder = Pipeline.Of<long>(16).HaltOnDispose();
        for (int i = 0; i < 3; i++)
        {
            stages[i] = new Lagging();
            builder.Stage(Graph.Name(i), stages[i], i == 1 ? Dispatch.Single : Dispatch.Batch(progressInterval: 3));
        }

        await using Pipeline<long> pipeline = builder.Build(plan);
        for (int i = 0; i < 3; i++) stages[i].Stage = pipeline.Stages[i];
        await pipeline.StartAsync();
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<long> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            for (long item = 0; item < Count; item++) producer.Publish(item);
        }).OrHang();

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.All(stages, stage => Assert.Equal((Count, 0), (stage.Calls, stage.TooEarly)));
    }

    internal static Dispatch DispatchOf(DispatchLevel level) => level switch
    {
        DispatchLevel.Single => Dispatch.Single,
        DispatchLevel.Each => Dispatch.Each(max: 7, progressInterval: 3),
        _ => Dispatch.Batch(max: 13),
    };

    private static async Task AssertAsModel(Shape shape, Plan plan, HandlerKind kind, DispatchLevel level)
    {
        Graph graph = Graph.Of(shape);
        Work[] works = graph.CreateWork();
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(32).HaltOnDispose();
        for (int i = 0; i < works.Length; i++)
            builder.Stage(kind, Graph.Name(i), works[i], DispatchOf(level), graph.After(i));
        await using Pipeline<Item> pipeline = builder.Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            // Written in place: the marks of the lap before stay, so that reading them too early is seen.
            for (long id = 0; id < Count; id++)
                producer.Publish(id, static (ref Item slot, long state) => slot.Id = state);
        }).OrHang();

        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.Equal(DrainStatus.Drained, result.Status);
        Assert.Equal(Count - 1, result.Target);
        Assert.Equal(
            graph.Upstream.Select((_, i) => new StagePosition(Graph.Name(i), Count - 1)), result.Positions);
        Assert.All(works, work => Assert.Equal(Enumerable.Range(0, Count).Select(id => (long)id), work.Ids));
        Assert.Equal(graph.Folds(Count), works.Select(work => work.Fold));
        int most = level == DispatchLevel.Batch ? 13 : 1;
        Assert.All(works, work => Assert.All(work.Batches, size => Assert.InRange(size, 1, most)));
    }

    private sealed class Lagging : IEventHandler<long>
    {
        public Stage? Stage { get; set; }

        public int Calls { get; private set; }

        public int TooEarly { get; private set; }

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            Calls++;
            if (Stage!.Upstream.Any(up => up.Position < sequence)) TooEarly++;
        }
    }
}
