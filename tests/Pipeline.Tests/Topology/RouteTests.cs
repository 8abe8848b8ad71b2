using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Filters and routes: who is called for which items, whatever drives it and however it is written.</summary>
public sealed class RouteTests
{
    private const int Count = 2_000;

    public static TheoryData<Plan, HandlerKind> Runs =>
        Cross.Of(Enum.GetValues<Plan>(), Enum.GetValues<HandlerKind>());

    public static TheoryData<HandlerKind> Kinds => [.. Enum.GetValues<HandlerKind>()];

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 60)];

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Route_AnyPlanAndKind_EachStageIsForItsOutput(Plan plan, HandlerKind kind)
    {
        Recorder even = new(), odd = new(), behindEven = new(), both = new();
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Filter("thirds", static (ref readonly Routed item) => item.Id % 3 != 0)
            .Route("parity", static (ref readonly Routed item) => (int)(item.Id % 2), ["even", "odd"]);
        even.AddTo(builder, kind, "on even", ["even"]);
        behindEven.AddTo(builder, kind, "behind even");
        odd.AddTo(builder, kind, "on odd", ["odd"]);
        both.AddTo(builder, kind, "both", ["behind even", "on odd"]);

        await RunAsync(builder, plan);

        Assert.Equal(Ids(id => id % 3 != 0 && id % 2 == 0), even.Ids);
        Assert.Equal(Ids(id => id % 3 != 0 && id % 2 == 0), behindEven.Ids);
        Assert.Equal(Ids(id => id % 3 != 0 && id % 2 == 1), odd.Ids);
        Assert.Equal(Ids(id => id % 3 != 0), both.Ids);
    }

    [Fact]
    public async Task Join_WithAnUnfilteredStage_IsForAllItems()
    {
        Recorder some = new(), all = new(), joined = new();
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(32).HaltOnDispose()
            .Filter("few", static (ref readonly Routed item) => item.Id % 7 == 0)
            .Stage("some", some.Do)
            .After().Stage("all", all.Do)
            .After("some", "all").Stage("joined", joined.Do);

        await RunAsync(builder, Plan.SharedRing);

        Assert.Equal(Ids(id => id % 7 == 0), some.Ids);
        Assert.Equal(Ids(_ => true), all.Ids);
        Assert.Equal(Ids(_ => true), joined.Ids);
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task RandomGraph_SteppedInAnyOrder_EachStageIsForWhatTheModelSays(int seed)
    {
        var random = new Random(seed);
        PipelineBuilder<Routed, Routed> builder =
            Pipeline.Of<Routed>(1 << random.Next(1, 9)).HaltOnDispose();
        // What a node that can be followed is for.
        Dictionary<string, Func<long, bool>> nodes = [];
        List<(Recorder Recorder, Func<long, bool> IsFor)> stages = [];
        for (int i = 0; i < random.Next(2, 8); i++)
        {
            string[] after = [.. nodes.Keys.Where(_ => random.Next(3) == 0)];
            Func<long, bool>[] upstream = [.. after.Select(node => nodes[node])];
            Func<long, bool> from = upstream.Length == 0 ? static _ => true : id => upstream.Any(isFor => isFor(id));
            int divisor = random.Next(1, 5);
            switch (random.Next(3))
            {
                case 0:
                    builder.After(after).Filter($"f{i}", (ref readonly Routed item) => item.Id % (divisor + 1) == 0);
                    nodes.Add($"f{i}", id => from(id) && id % (divisor + 1) == 0);
                    break;
                case 1:
                    string[] outputs = [.. Enumerable.Range(0, divisor).Select(output => $"r{i}.{output}")];
                    builder.After(after).Route($"r{i}", (ref readonly Routed item) => (int)(item.Id / 3 % divisor), outputs);
                    nodes.Add($"r{i}", from);
                    for (int output = 0; output < divisor; output++)
                    {
                        int own = output;
                        nodes.Add(outputs[output], id => from(id) && id / 3 % divisor == own);
                    }

                    break;
                default:
                    var recorder = new Recorder();
                    recorder.AddTo(builder, (HandlerKind)random.Next((int)HandlerKind.AsyncLater), $"s{i}", after);
                    nodes.Add($"s{i}", from);
                    stages.Add((recorder, from));
                    break;
            }
        }

        await using Pipeline<Routed> pipeline = builder.Run(Plan.Manual);
        Publish(pipeline, random, 300, seed);

        Assert.All(stages, stage => Assert.Equal(
            Enumerable.Range(0, 300).Select(id => (long)id).Where(stage.IsFor), stage.Recorder.Ids));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Fault_OnAnEdge_IsOfThatItemAlone(HandlerKind kind)
    {
        List<long> dead = [];
        var recorder = new Recorder { Before = item => { if (item.Id % 10 == 4) throw new InvalidOperationException("poison"); } };
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Filter("even", static (ref readonly Routed item) => item.Id % 2 == 0);
        recorder.AddTo(builder, kind, "stage", onFault: FaultPolicy.DeadLetter<Routed>((ref Routed item, in FaultContext _) => dead.Add(item.Id)));

        StageStatistics done = (await RunAsync(builder, Plan.SharedRing))[1];

        Assert.Equal(Ids(id => id % 10 == 4), dead);
        Assert.Equal(Ids(id => id % 2 == 0 && id % 10 != 4), recorder.Ids.Distinct());
        Assert.Equal(Count / 10, done.DeadLettered);
        // A handler of single items is known to fail at the item: it is called for it once.
        if (kind is HandlerKind.Delegate or HandlerKind.Events or HandlerKind.StructEvents)
            Assert.Equal((Ids(id => id % 2 == 0 && id % 10 != 4).Count, Count / 10), (recorder.Ids.Count, done.Faults));
    }

    [Fact]
    public async Task Fault_Retried_BeginsAtTheItemThatFailed()
    {
        int failures = 0;
        var recorder = new Recorder
        {
            Before = item => { if (item.Id % 50 == 20 && failures++ % 3 != 2) throw new InvalidOperationException("not yet"); },
        };
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Filter("tens", static (ref readonly Routed item) => item.Id % 10 == 0)
            .Stage("stage", recorder.Events(), new() { OnFault = FaultPolicy.Retry(5, TimeSpan.Zero) });

        await RunAsync(builder, Plan.SharedRing);

        Assert.Equal(Ids(id => id % 10 == 0), recorder.Ids);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Predicate_Throws_ItemIsForNobodyBehindIt(bool retried)
    {
        int failures = 0;
        var behind = new Recorder();
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(32).HaltOnDispose()
            .Filter(
                "even", (ref readonly Routed item) =>
                {
                    // Selected a lap ago, so a bit that is not cleared is seen.
                    if (item.Id % 32 == 6 && item.Id >= 32 && (!retried || failures++ % 2 == 0)) throw new InvalidOperationException("cannot say");
                    return item.Id % 2 == 0;
                }, new() { OnFault = retried ? FaultPolicy.Retry(3, TimeSpan.Zero) : FaultPolicy.Skip })
            .Stage("behind", behind.Do);

        await RunAsync(builder, Plan.SharedRing);

        Assert.Equal(Ids(id => id % 2 == 0 && (retried || id % 32 != 6 || id < 32)), behind.Ids);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(2)]
    [InlineData(int.MaxValue)]
    public async Task Route_OutOfRange_IsAFaultThatSaysSo(int output)
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(32).HaltOnDispose()
            .Route("by", (ref readonly Routed item) => item.Id == 3 ? output : 0, ["a", "b"])
            .After("a").Stage("on a", new Recorder().Do)
            .Run();
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 4; id++) producer.Publish(new Routed { Id = id });

        Exception fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());

        Assert.Contains($"router='by', route={output}, outputs=2", fault.InnerException!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task EndOfBatch_OnAnEdge_IsTheLastSelectedOfTheBatch()
    {
        var recorder = new Recorder();
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Filter("third", static (ref readonly Routed item) => item.Id % 3 == 1)
            .Stage("stage", recorder.Events(), Dispatch.Each())
            .Run(Plan.Manual);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 50; id++) producer.Publish(new Routed { Id = id });

        pipeline.Stages[0].Step();
        pipeline.Stages[1].Step();

        Assert.Equal((17, 1), (recorder.Ids.Count, recorder.Ends));
    }

    [Theory]
    [InlineData(3)]
    [InlineData(0)]
    public async Task ProgressInterval_OnAnEdge_IsReportedInsideTheBatch(int interval)
    {
        long seen = -2;
        Pipeline<Routed>? pipeline = null;
        var recorder = new Recorder { Before = item => { if (item.Id == 30) seen = pipeline!["stage"].Position; } };
        pipeline = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Filter("even", static (ref readonly Routed item) => item.Id % 2 == 0)
            .Stage("stage", recorder.Events(), Dispatch.Batch(progressInterval: interval))
            .Run(Plan.Manual);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 40; id++) producer.Publish(new Routed { Id = id });

        pipeline.Stages[0].Step();
        pipeline.Stages[1].Step();
        await pipeline.DisposeAsync();

        if (interval == 0) Assert.Equal(-1, seen);
        else Assert.InRange(seen, 24, 29);
    }

    [Fact]
    public async Task Halt_InAWideBatch_LeavesTheRest()
    {
        Pipeline<Routed>? pipeline = null;
        var recorder = new Recorder { Before = item => { if (item.Id == 10) _ = pipeline!.HaltAsync(); } };
        pipeline = Pipeline.Of<Routed>(1024).HaltOnDispose()
            .Filter("even", static (ref readonly Routed item) => item.Id % 2 == 0)
            .Stage("stage", recorder.Events())
            .Build(Plan.Fused);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 1000; id++) producer.Publish(new Routed { Id = id });
        await pipeline.StartAsync();
        await pipeline.Completion.OrHang();

        Assert.InRange(recorder.Ids.Count, 6, 40);
        Assert.Equal(1000 - (pipeline["stage"].Position + 1), pipeline.Unprocessed);
        Assert.Equal(0, pipeline["stage"].GetStatistics().Faults);
    }

    internal static List<long> Ids(Func<long, bool> isFor, int count = Count) =>
        [.. Enumerable.Range(0, count).Select(id => (long)id).Where(isFor)];

    internal static async Task<IReadOnlyList<StageStatistics>> RunAsync(
        PipelineBuilder<Routed, Routed> builder, Plan plan, int count = Count, Func<long, long>? keyOf = null)
    {
        await using Pipeline<Routed> pipeline = builder.Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            for (long id = 0; id < count; id++) producer.Publish(new Routed { Id = id, Key = keyOf?.Invoke(id) ?? 0 });
        }).OrHang();
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
        Assert.True(result.IsDrained, $"{result.Status}: {result.Fault}");
        return pipeline.GetStatistics();
    }

    internal static void Publish(Pipeline<Routed> pipeline, Random random, int count, int seed, Func<long, long>? keyOf = null)
    {
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        var driver = new ManualDriver(pipeline.Stages, seed);
        long next = 0;
        for (int turn = 0; next < count; turn++)
        {
            Assert.True(turn < 200_000, $"Stuck: seed {seed}, published {next} of {count}.\n{pipeline.Dump()}");
            int some = random.Next(1, 9);
            while (some-- > 0 && next < count
                && producer.TryPublish(new Routed { Id = next, Key = keyOf?.Invoke(next) ?? 0 }) == ClaimStatus.Done) next++;
            for (int steps = random.Next(0, 8); steps > 0; steps--) driver.StepAny(random.Next(1, 30));
        }

        pipeline.Complete();
        driver.RunUntilIdle();
        Assert.Null(pipeline.Rings[0].Fault);
    }
}
