using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Workers that share their items: each once, whoever drives them and whatever fails.</summary>
public sealed class ShareTests
{
    private const int Count = 3_000;

    public static TheoryData<Plan, HandlerKind> Runs => Cross.Of(
        Enum.GetValues<Plan>(), [HandlerKind.Events, HandlerKind.Batches, HandlerKind.Async, HandlerKind.AsyncLater]);

    public static TheoryData<Plan> Plans => Cases.Plans;

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 50)];

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Share_AnyPlanAndKind_EachItemOnceAndThoseBehindInOrder(Plan plan, HandlerKind kind)
    {
        Recorder[] workers = [.. Enumerable.Range(0, 3).Select(_ => new Recorder())];
        long early = 0;
        var behind = new Recorder { Before = item => { if (item.Mark != item.Id + 1) early++; } };
        PipelineBuilder<Routed, Routed> builder = Recorder.ShareTo(
            Pipeline.Of<Routed>(128).HaltOnDispose(), kind, "work", 3, number => workers[number]);
        builder.Stage("behind", behind.Do);

        await RouteTests.RunAsync(builder, plan, Count);

        AssertOnce(workers, _ => true);
        Assert.Equal(RouteTests.Ids(_ => true, Count), behind.Ids);
        Assert.Equal(0, early);
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Share_RandomFaultsInAnyOrder_OnlyOwnItemsAreRetriedOrPassedOver(int seed)
    {
        var random = new Random(seed);
        HandlerKind kind = (HandlerKind)random.Next((int)HandlerKind.AsyncLater);
        Dictionary<long, int> failing = Enumerable.Range(0, 40).Select(_ => (long)random.Next(400)).Distinct()
            .ToDictionary(id => id, _ => random.Next(1, 5));
        List<long> dead = [];
        Recorder[] workers = [.. Enumerable.Range(0, random.Next(1, 5)).Select(_ => new Recorder
        {
            Before = item => { if (failing.TryGetValue(item.Id, out int left) && (left > 3 || failing[item.Id]-- > 0)) throw new InvalidOperationException("no"); },
        })];
        FaultPolicy policy = FaultPolicy.Retry(3, TimeSpan.Zero, FaultPolicy.DeadLetter((ref Routed item, in FaultContext _) => dead.Add(item.Id)));
        var behind = new Recorder();
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(1 << random.Next(1, 9)).HaltOnDispose()
            .Filter("most", static (ref readonly Routed item) => item.Id % 5 != 0);
        Recorder.ShareTo(builder, kind, "work", workers.Length, number => workers[number], onFault: policy);
        builder.Stage("behind", behind.Do);
        long[] hopeless = [.. failing.Where(pair => pair.Value > 3 && pair.Key % 5 != 0).Select(pair => pair.Key).Order()];

        await using Pipeline<Routed> pipeline = builder.Run(Plan.Manual);
        RouteTests.Publish(pipeline, random, 400, seed);

        // A batch that fails unmarked is tried again as a whole: who counts what was done counts the last time.
        bool exact = kind is HandlerKind.Delegate or HandlerKind.Events;
        long[] done = [.. workers.SelectMany(worker => worker.Ids)];
        Assert.Equal(RouteTests.Ids(id => id % 5 != 0, 400).Except(hopeless), (exact ? done : done.Distinct()).Order());
        Assert.Equal(hopeless, dead.Order());
        Assert.Equal(RouteTests.Ids(id => id % 5 != 0, 400), behind.Ids);
    }

    [Fact]
    public async Task Share_AWorkerIsHeldUp_TheOthersDoTheRest()
    {
        using var go = new ManualResetEventSlim();
        Recorder[] workers =
        [
            .. Enumerable.Range(0, 2).Select(_ => new Recorder { Before = item => { if (item.Id == 0) go.Wait(); } }),
        ];
        var behind = new Recorder();
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(256).HaltOnDispose()
            .Workers("work", 2, number => workers[number].Events())
            .Stage("behind", behind.Do)
            .Run();
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        producer.Publish(new Routed { Id = 0 });
        for (long id = 1; id < 200; id++) producer.Publish(new Routed { Id = id });

        // All but the chunk of the one that is held up: which may be more than an item, as it took what was there.
        Watchdog.Until(() => workers.Sum(worker => worker.Ids.Count) >= 100, "the other worker");
        Assert.Empty(behind.Ids);
        go.Set();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        AssertOnce(workers, id => id < 200);
        Assert.Equal(RouteTests.Ids(id => id < 200), behind.Ids);
    }

    [Fact]
    public async Task Share_HaltedInTheMiddle_HandlesNothingTwice()
    {
        Pipeline<Routed>? pipeline = null;
        Recorder[] workers =
        [
            .. Enumerable.Range(0, 3).Select(number => new Recorder { Before = item => { if (item.Id == 500) _ = pipeline!.HaltAsync(); } }),
        ];
        pipeline = Pipeline.Of<Routed>(1024).HaltOnDispose().Workers("work", 3, number => workers[number].Events()).Build();
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        await pipeline.StartAsync().OrHang();
        int published = 0;
        while (published < 1000 && producer.TryPublish(new Routed { Id = published }) == ClaimStatus.Done) published++;
        await pipeline.Completion.OrHang();

        long[] done = [.. workers.SelectMany(worker => worker.Ids)];
        Assert.Equal(done.Length, done.Distinct().Count());
        // What the ring counts is at least what nobody has done.
        Assert.True(done.Length + pipeline.Unprocessed >= published);
        Assert.All(pipeline.GetStatistics(), worker => Assert.Equal(0, worker.Faults));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task ParallelMap_AnyPlan_ResultsComeInOrder(Plan plan)
    {
        List<string> texts = [];
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(64).HaltOnDispose();
        builder
            .Filter("even", static (ref readonly Routed item) => item.Id % 2 == 0)
            .Map("map", static (ref Routed item, ref string text) => text = $"t{item.Id}", workers: 3)
            .Stage("texts", (ref string text) => texts.Add(text));

        await RouteTests.RunAsync(builder, plan, Count);

        Assert.Equal(RouteTests.Ids(id => id % 2 == 0, Count).Select(id => $"t{id}"), texts);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task ParallelExpand_AnyPlan_EachResultOnceAndInItsWorkersOrder(Plan plan)
    {
        List<long> results = [];
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(64).HaltOnDispose();
        builder
            .Filter("even", static (ref readonly Routed item) => item.Id % 2 == 0)
            .Expand("map", 64, static (ref Routed item, Emitter<long> output) =>
            {
                output.Emit(item.Id);
                if (item.Id % 3 == 0) output.Emit(-item.Id);
            }, workers: 3)
            .Stage("results", (ref long result) => results.Add(result));

        await RouteTests.RunAsync(builder, plan, Count);

        List<long> even = RouteTests.Ids(id => id % 2 == 0, Count);
        Assert.Equal(even.Concat(even.Where(id => id % 3 == 0).Select(id => -id)).Order(), results.Order());
    }

    private static void AssertOnce(IEnumerable<Recorder> workers, Func<long, bool> isFor)
    {
        Assert.All(workers, worker => Assert.Equal(worker.Ids.Order(), worker.Ids));
        Assert.Equal(RouteTests.Ids(isFor, Count), workers.SelectMany(worker => worker.Ids).Order());
    }
}
