using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Keyed lanes: the items of a key in order, whatever fails, and others beside them.</summary>
public sealed class LanesTests
{
    private const int Count = 3_000;

    public static TheoryData<Plan, int> Runs => Cross.Of(Enum.GetValues<Plan>(), [1, 2, 8]);

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 50)];

    /// <summary>How a lane's handler may be written.</summary>
    public enum LaneKind
    {
        Events,
        Batches,
        MarkingBatches,
        Async,
        Keys,
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Lanes_AnyPlan_KeepTheOrderOfEachKeyAndReleaseInOrder(Plan plan, int lanes)
    {
        Recorder[] recorders = Recorders(lanes);
        long early = 0;
        var behind = new Recorder { Before = item => { if (item.Mark != item.Id + 1) early++; } };
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(128).HaltOnDispose()
            .Lanes("lanes", lanes, static (ref readonly Routed item) => item.Key, number => recorders[number].Events())
            .Stage("behind", behind.Do);

        await RouteTests.RunAsync(builder, plan, Count, KeyOf);

        AssertPerKey(recorders, _ => true);
        Assert.Equal(RouteTests.Ids(_ => true, Count), behind.Ids);
        Assert.Equal(0, early);
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Lanes_RandomFaultsInAnyOrder_KeepTheOrderOfEachKey(int seed)
    {
        var random = new Random(seed);
        int lanes = random.Next(1, 6);
        var kind = (LaneKind)random.Next(5);
        Dictionary<long, int> failing = Enumerable.Range(0, 60).Select(_ => (long)random.Next(600)).Distinct()
            .ToDictionary(id => id, _ => random.Next(1, 5));
        List<long> dead = [];
        Recorder[] recorders = Recorders(lanes, item =>
        {
            if (failing.TryGetValue(item.Id, out int left) && (left > 3 || failing[item.Id]-- > 0)) throw new InvalidOperationException("no");
        });
        FaultPolicy policy = FaultPolicy.Retry(3, TimeSpan.Zero, FaultPolicy.DeadLetter((ref Routed item, in FaultContext _) => dead.Add(item.Id)));
        var behind = new Recorder();
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(1 << random.Next(1, 9)).HaltOnDispose()
            .Filter("most", static (ref readonly Routed item) => item.Id % 7 != 0);
        AddLanes(builder, kind, lanes, recorders, policy);
        builder.Stage("behind", behind.Do);
        long[] hopeless = [.. failing.Where(pair => pair.Value > 3 && pair.Key % 7 != 0).Select(pair => pair.Key).Order()];

        await using Pipeline<Routed> pipeline = builder.Run(Plan.Manual);
        RouteTests.Publish(pipeline, random, 600, seed, KeyOf);

        Assert.Equal(hopeless, dead.Order());
        Assert.Equal(RouteTests.Ids(id => id % 7 != 0, 600), behind.Ids);
        // Where nothing is marked, what failed together is tried again together: the last time counts.
        bool exact = kind is LaneKind.Events or LaneKind.MarkingBatches;
        foreach (Recorder recorder in recorders)
        {
            List<long> ids = exact ? recorder.Ids : [.. recorder.Ids.AsEnumerable().Reverse().Distinct().Reverse()];
            Assert.Equal(ids.Count, ids.Distinct().Count());
            Assert.All(ids.GroupBy(KeyOf), key => Assert.Equal(key.Order(), key));
        }

        Assert.Equal(
            RouteTests.Ids(id => id % 7 != 0, 600).Except(hopeless),
            recorders.SelectMany(recorder => recorder.Ids.Distinct()).Order());
    }

    [Theory]
    [InlineData(LaneKind.Events)]
    [InlineData(LaneKind.Keys)]
    public async Task Lane_HeldUp_WaitsAndTheOthersGoOn(LaneKind kind)
    {
        using var go = new ManualResetEventSlim();
        Recorder[] recorders = Recorders(4, item => { if (item.Id == 40) go.Wait(); });
        var behind = new Recorder();
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(1024).HaltOnDispose();
        AddLanes(builder, kind, 4, recorders, FaultPolicy.Stop);
        await using Pipeline<Routed> pipeline = builder.Stage("behind", behind.Do).Run();
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 800; id++) producer.Publish(new Routed { Id = id, Key = KeyOf(id) });
        int stuck = LaneOf(KeyOf(40), 4);

        Watchdog.Until(
            () => Enumerable.Range(0, 4).All(lane => lane == stuck || pipeline[$"lanes/{lane}"].Position == 799), "the other lanes");
        Watchdog.Until(() => pipeline["lanes/route"].Position == 799, "the router");
        Assert.True(pipeline[$"lanes/{stuck}"].Position < 40);
        Assert.True(pipeline["behind"].Position < 40);
        LaneStatistics statistics = pipeline.GetLanes("lanes").GetStatistics();
        Assert.Equal(stuck, statistics.Deepest);
        Assert.All(statistics.Waiting.Where((_, lane) => lane != stuck), waiting => Assert.Equal(0, waiting));
        go.Set();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(RouteTests.Ids(id => id < 800), behind.Ids);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    [InlineData(Plan.Pooled)]
    public async Task Lane_RetriesWithAPause_WaitsAndTheOthersGoOn(Plan plan)
    {
        bool fails = true;
        Recorder[] recorders = Recorders(4, item => { if (item.Id == 40 && Volatile.Read(ref fails)) throw new InvalidOperationException("not yet"); });
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(1024).HaltOnDispose();
        AddLanes(builder, LaneKind.Events, 4, recorders, FaultPolicy.Retry(int.MaxValue, TimeSpan.FromMilliseconds(1)));
        await using Pipeline<Routed> pipeline = builder.Run(plan);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 800; id++) producer.Publish(new Routed { Id = id, Key = KeyOf(id) });
        int stuck = LaneOf(KeyOf(40), 4);

        Watchdog.Until(
            () => Enumerable.Range(0, 4).All(lane => lane == stuck || pipeline[$"lanes/{lane}"].Position == 799), "the other lanes");
        Watchdog.Until(() => pipeline[$"lanes/{stuck}"].Position == 39, "the lane that is stuck");
        Volatile.Write(ref fails, false);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        AssertPerKey(recorders, id => id < 800);
    }

    [Fact]
    public async Task Keys_OfABatch_ComeInOneCallEach()
    {
        var calls = new KeyCalls();
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Lanes("lanes", 1, static (ref readonly Routed item) => item.Key, _ => calls)
            .Run(Plan.Manual);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        foreach (long key in new long[] { 5, 9, 5, 5, 7, 9 }) producer.Publish(new Routed { Key = key });

        pipeline.Stages[0].Step();
        pipeline.Stages[1].Step();

        Assert.Equal(["5: 0 2 3", "9: 1 5", "7: 4"], calls.Log);
    }

    [Fact]
    public async Task Keys_OneFails_WhatIsDoneIsNotDoneAgain()
    {
        bool fails = true;
        var calls = new KeyCalls { Before = key => { if (key == 9 && fails) throw new InvalidOperationException("no"); } };
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Lanes("lanes", 1, static (ref readonly Routed item) => item.Key, _ => calls, new() { OnFault = FaultPolicy.Retry(3, TimeSpan.Zero) })
            .Run(Plan.Manual);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        foreach (long key in new long[] { 5, 9, 5, 7, 9, 5 }) producer.Publish(new Routed { Key = key });

        pipeline.Stages[0].Step();
        pipeline.Stages[1].Step();
        Assert.Equal(0, pipeline.Stages[1].Position);
        producer.Publish(new Routed { Key = 5 });
        pipeline.Stages[0].Step();
        fails = false;
        pipeline.Stages[1].Step();
        pipeline.Stages[1].Step();

        Assert.Equal(["5: 0 2 5", "9: 1 4", "7: 3", "5: 6"], calls.Log);
        Assert.Equal(6, pipeline.Stages[1].Position);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Selector_ThrowsOrGivesNoKey_IsAFaultOfThatItem(bool gives)
    {
        List<string> handled = [];
        List<long> dead = [];
        await using Pipeline<string> pipeline = Pipeline.Of<string>(64).HaltOnDispose()
            .Lanes(
                "lanes", 2, (ref readonly string text) => text != "bad" ? text : gives ? null! : throw new InvalidOperationException("no key"), (ref string text) => { lock (handled) handled.Add(text); }, new() { OnFault = FaultPolicy.DeadLetter((ref string text, in FaultContext fault) => dead.Add(fault.Sequence)) })
            .Run();
        SingleProducer<string> producer = pipeline.CreateProducer();
        foreach (string text in new[] { "a", "bad", "b", "bad", "a" }) producer.Publish(text);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(["a", "a", "b"], handled.Order());
        Assert.Equal([1, 3], dead);
        Assert.Equal(2, pipeline["lanes/route"].GetStatistics().DeadLettered);
    }

    [Fact]
    public async Task Statistics_AllOnOneKey_ShowTheSkew()
    {
        Recorder[] recorders = Recorders(4);
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Lanes("lanes", 4, static (ref readonly Routed item) => 77L, number => recorders[number].Events()).Run();
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        Assert.Equal(1, pipeline.GetLanes("lanes").GetStatistics().Skew);
        for (long id = 0; id < 500; id++) producer.Publish(new Routed { Id = id });
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        LaneStatistics statistics = pipeline.GetLanes("lanes").GetStatistics();

        Assert.Equal((4.0, LaneOf(77, 4), 500L, 0L), (statistics.Skew, statistics.Busiest, statistics.Items.Sum(), statistics.Waiting.Sum()));
        Assert.Equal(500, recorders[statistics.Busiest].Ids.Count);
    }

    private static long KeyOf(long id) => id * id % 37;

    private static int LaneOf(long key, int lanes) => KeyHash.LaneOf(KeyHash.Of(key), lanes);

    private static Recorder[] Recorders(int count, Action<Routed>? before = null) =>
        [.. Enumerable.Range(0, count).Select(_ => new Recorder { Before = before })];

    private static void AddLanes(
        PipelineBuilder<Routed, Routed> builder, LaneKind kind, int lanes, Recorder[] recorders, FaultPolicy policy)
    {
        KeySelector<Routed, long> key = static (ref readonly Routed item) => item.Key;
        _ = kind switch
        {
            LaneKind.Events => builder.Lanes("lanes", lanes, key, number => recorders[number].Events(), new() { OnFault = policy }),
            LaneKind.Batches => builder.Lanes("lanes", lanes, key, number => recorders[number].Batches(), new() { OnFault = policy }),
            LaneKind.MarkingBatches =>
                builder.Lanes("lanes", lanes, key, number => recorders[number].Batches(marks: true), new() { OnFault = policy }),
            LaneKind.Async => builder.Lanes("lanes", lanes, key, number => recorders[number].Async(), new() { OnFault = policy }),
            _ => builder.Lanes("lanes", lanes, key, number => new KeyForm(recorders[number]), new() { OnFault = policy }),
        };
    }

    private static void AssertPerKey(Recorder[] recorders, Func<long, bool> isFor)
    {
        for (int lane = 0; lane < recorders.Length; lane++)
        {
            int own = lane;
            Assert.Equal(RouteTests.Ids(id => isFor(id) && LaneOf(KeyOf(id), recorders.Length) == own, Count), recorders[lane].Ids);
        }
    }

    private sealed class KeyForm(Recorder recorder) : IKeyHandler<Routed, long>
    {
        public void OnKey(long key, KeyedItems<Routed> items)
        {
            foreach (ref Routed item in items)
            {
                Assert.Equal(key, item.Key);
                recorder.Do(ref item);
            }
        }
    }

    private sealed class KeyCalls : IKeyHandler<Routed, long>
    {
        public List<string> Log { get; } = [];

        public Action<long>? Before { get; init; }

        public void OnKey(long key, KeyedItems<Routed> items)
        {
            Before?.Invoke(key);
            List<long> sequences = [];
            KeyedItems<Routed>.Enumerator walk = items.GetEnumerator();
            while (walk.MoveNext()) sequences.Add(walk.Sequence);
            Assert.Equal((items.Count, items.Sequence), (sequences.Count, sequences[0]));
            Log.Add($"{key}: {string.Join(' ', sequences)}");
        }
    }
}
