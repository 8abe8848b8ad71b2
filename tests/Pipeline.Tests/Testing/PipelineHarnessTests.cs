using Raceway.Pipelines.Tests.Testing.Planted;
using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>A pipeline in a test: stepped by a seed, held up, spoiled behind its stages, and brought to its end.</summary>
public sealed class PipelineHarnessTests
{
    [Fact]
    public void Trace_SameSeed_IsTheSameAThousandTimes()
    {
        string first = TraceOf(seed: 7);
        Assert.Contains("lane/1", first, StringComparison.Ordinal);
        Assert.Contains("gather waits", first, StringComparison.Ordinal);
        for (int run = 1; run < 1_000; run++) Assert.Equal(first, TraceOf(seed: 7));
        // And it is the seed that decides.
        Assert.InRange(Enumerable.Range(0, 50).Select(static seed => TraceOf(seed)).Distinct().Count(), 40, 50);
    }

    // Every kind of stage, faults by chance, retries, awaits and stalls.
    private static string TraceOf(int seed)
    {
        var time = new VirtualTime();
        var faults = new FaultPoints();
        faults.FailBySeed(seed, 0.1);
        PipelineBuilder<long, long> definition = Pipeline.Of<long>(32).OnFault(FaultPolicy.Retry(9, TimeSpan.FromSeconds(1)));
        definition.Stage("first", (ref long _) => faults.Visit())
            .Lanes("lane", 2, static (ref readonly long item) => item % 5, (ref long _) => faults.Visit())
            .Stage("gather", new Waits(time), Dispatch.Batch(max: 4, min: 3, maxAge: TimeSpan.FromSeconds(3)))
            .Expand<long>("expand", 32, static (ref long item, Emitter<long> output) =>
            {
                for (long i = 0; i < item % 3; i++) output.Emit(item);
            })
            .Workers("work", 2, static (ref long _) => { });
        using PipelineHarness<long> harness = PipelineHarness.Run(definition, new() { Seed = seed, StallChance = 0.3, Time = time });
        for (long item = 0; item < 20; item++)
        {
            harness.Source.Send(item);
            if (item % 4 == 0) harness.Advance(TimeSpan.FromMilliseconds(700));
        }

        harness.Settle();
        Assert.True(harness.Drain().IsDrained);
        return string.Join('\n', harness.Trace);
    }

    [Fact]
    public void Stall_OneStage_HoldsBackWhatComesBehindIt()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("first", static (ref long _) => { }).Stage("second", static (ref long _) => { }));
        harness.Stall("second");
        harness.Source.Send([.. Items(8)]);
        harness.RunUntilIdle();
        Assert.Equal((7, -1), (harness.Pipeline["first"].Position, harness.Pipeline["second"].Position));
        Assert.Equal(ClaimStatus.Full, harness.Source.TrySend(8));
        ContractException full = Assert.Throws<ContractException>(() => harness.Source.Send(8));
        Assert.Equal("A producer must find room again.", full.Rule);
        Assert.Equal("A pipeline that is drained must end.", Assert.Throws<ContractException>(() => harness.Drain()).Rule);
        harness.Resume("second");
        Assert.True(harness.Drain().IsDrained);
        Assert.Equal(7, harness.Pipeline["second"].Position);
    }

    [Fact]
    public void Step_OneStage_GivesItSoMany()
    {
        var seen = new Recorder<long>();
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(8).Stage("seen", seen));
        harness.Source.Send([.. Items(5)]);
        Assert.Equal(2, harness.Step("seen", 2).Count);
        Assert.True(harness.Step("seen", 1).More);
        harness.Step("seen");
        Assert.Equal([2, 1, 2], seen.Batches);
        Assert.Equal(Items(5), seen.Items);
        Assert.Equal(
            ["00:00:00 publish 1 to 0", "00:00:00 seen 2 to 1", "00:00:00 seen 1 to 2", "00:00:00 seen 2 to 4"],
            harness.Trace.Where(static entry => entry is not { What: "publish", Sequence: > 0 }).Select(static entry => entry.ToString()));
    }

    [Fact]
    public void Slots_BehindEveryStage_AreSpoiled()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("first", static (ref long _) => { }).Stage("second", static (ref long _) => { }));
        harness.Source.Send(1, 2);
        harness.Step("first");
        Assert.Equal(1, harness.Pipeline.Ring.Slots[0]);
        harness.Step("second", 1);
        Assert.Equal(unchecked((long)0xDBDB_DBDB_DBDB_DBDB), harness.Pipeline.Ring.Slots[0]);
        Assert.Equal(2, harness.Pipeline.Ring.Slots[1]);

        using PipelineHarness<byte[]> own = PipelineHarness.Run(
            Pipeline.Of<byte[]>(4).Configure(static ring => ring with { ClearSlots = false }).Stage("first", static (ref byte[] _) => { }),
            new() { Poison = static (ref byte[] bytes) => bytes.AsSpan().Fill(9) });
        byte[] bytes = [1, 2];
        own.Source.Send(bytes);
        own.RunUntilIdle();
        Assert.Equal([9, 9], bytes);
    }

    [Fact]
    public void CheckSlots_NothingKept_PassesOverManyLaps()
    {
        long sum = 0;
        using PipelineHarness<Order> harness = PipelineHarness.Run(
            Pipeline.Of<Order>(8).Configure(static ring => ring with { CreateSlot = static () => new Order() }).Stage("sum", (ref Order order) => sum += order.Total));
        for (long total = 0; total < 10_000; total++) harness.Source.Send(total, static (ref Order order, long given) => order.Total = given);
        harness.Finish();
        Assert.Equal(Enumerable.Range(0, 10_000).Sum(static total => (long)total), sum);
    }

    [Fact]
    public void Sink_TakesWhatIsAskedFor_AndHoldsTheRestBack()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(4).Stage("double", static (ref long item) => item *= 2).Poller("out"));
        SinkProbe<long> sink = harness.Sink<long>("out");
        sink.ExpectNone();
        harness.Source.Send(1, 2, 3, 4);
        harness.Settle();
        Assert.Equal(ClaimStatus.Full, harness.Source.TrySend(5));
        Assert.Equal(2, sink.Next());
        harness.Source.Send(5);
        sink.Expect(4, 6);
        Assert.Equal([8, 10], sink.Take(9));
        Assert.Equal("An item must come out.", Assert.Throws<ContractException>(() => sink.Next()).Rule);
        Assert.Equal("The pipeline must have ended.", Assert.Throws<ContractException>(sink.ExpectEnd).Rule);
        harness.Source.Send(6);
        Assert.Equal("No item must come out.", Assert.Throws<ContractException>(sink.ExpectNone).Rule);
        harness.Source.Send(7);
        Assert.Equal("These items must come out: [13].", Assert.Throws<ContractException>(() => sink.Expect(13)).Rule);
        harness.Source.Complete();
        harness.RunUntilIdle();
        sink.ExpectEnd();
    }

    [Fact]
    public void Drain_SinkHasNotTakenAll_SaysSo()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(4).Stage("first", static (ref long _) => { }).Poller("out"));
        SinkProbe<long> sink = harness.Sink<long>("out");
        harness.Source.Send(1, 2);
        Assert.Equal(1, sink.Next());
        ContractException found = Assert.Throws<ContractException>(() => harness.Drain());
        Assert.Equal("A pipeline that is drained must end.", found.Rule);
        Assert.Contains("'out' has 1 items before it", found.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Settle_PipelineFaults_SaysByWhat()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("parse", static (ref long item) => _ = item == 2 ? throw new FormatException("two") : item));
        harness.Source.Send(1, 2, 3);
        ContractException found = Assert.Throws<ContractException>(harness.Settle);
        Assert.Equal("A pipeline must not fault.", found.Rule);
        Assert.Contains("FormatException in stage 'parse': two", found.Message, StringComparison.Ordinal);
        Assert.Equal(DrainStatus.Faulted, harness.Drain().Status);
        Assert.IsType<RingFaultedException>(Assert.ThrowsAny<Exception>(() => harness.Source.Send(4)));
    }

    [Fact]
    public void Settle_HandlerAwaitsElsewhere_IsWaitedFor()
    {
        // A limit of the call is no reason to hurry.
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("yield", new Yields(), new() { HandlerTimeout = TimeSpan.FromDays(1) }));
        harness.Source.Send(1, 2, 3);
        harness.Finish();
        Assert.Equal(2, harness.Pipeline["yield"].Position);
        Assert.Equal(0, harness.Pipeline["yield"].GetStatistics().Faults);
    }

    [Fact]
    public void Finish_LinkedRings_EndsThemAll()
    {
        var seen = new Recorder<string>();
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8)
                .Map("text", static (ref long item, ref string text) => text = $"{item}")
                .Expand<string>("twice", 8, static (ref string item, Emitter<string> output) =>
                {
                    output.Emit(item);
                    output.Emit(item);
                })
                .Stage("seen", seen, Dispatch.Batch(min: 3, maxAge: TimeSpan.FromDays(1))));
        harness.Source.Send([.. Items(20)]);
        harness.Finish();
        Assert.Equal(Items(20).SelectMany(static item => new[] { $"{item}", $"{item}" }), seen.Items);
    }

    // A batch that has met its minimum, or is as old as it may be.
    [Theory]
    [InlineData(8, 0)]
    [InlineData(7, 5)]
    public void RunUntilIdle_AMinimum_IsNotCutByAnySeed(int items, int milliseconds)
    {
        for (int seed = 0; seed < 100; seed++)
        {
            var seen = new Recorder<long>();
            using PipelineHarness<long> harness = PipelineHarness.Run(
                Pipeline.Of<long>(64).Stage("seen", seen, Dispatch.Batch(max: 16, min: 8, maxAge: TimeSpan.FromMilliseconds(5))), new() { Seed = seed });
            harness.Source.Send([.. Items(items)]);
            harness.Advance(TimeSpan.FromMilliseconds(milliseconds));
            Assert.Equal([items], seen.Batches);
        }
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Finish_AnyProducers_HandlesAllInOrder(ProducerKind kind)
    {
        var seen = new Recorder<long>();
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(16).Configure(ring => ring with { Producers = kind, MaxProducers = 2 }).Stage("first", static (ref long item) => item++).Stage("seen", seen));
        harness.Source.Send([.. Items(100)]);
        harness.Finish();
        Assert.Equal(Items(100).Select(static item => item + 1), seen.Items);
        Assert.Equal(100, harness.Source.Sent);
    }

    [Fact]
    public void Stage_JoinsLater_IsSteppedToo()
    {
        var late = new Recorder<long>();
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(8).Stage("first", static (ref long _) => { }));
        harness.Source.Send(1, 2);
        harness.RunUntilIdle();
        harness.Pipeline.Attach(builder => builder.Stage("late", late));
        harness.Source.Send(3);
        harness.Finish();
        Assert.Equal([3], late.Items);
    }

    [Fact]
    public void Recorder_OfSlotsThatAreReused_NeedsACopy()
    {
        foreach (bool copies in new[] { false, true })
        {
            var seen = new Recorder<Order>(copies ? static order => new Order { Total = order.Total } : null);
            using PipelineHarness<Order> harness = PipelineHarness.Run(
                Pipeline.Of<Order>(4).Configure(static ring => ring with { CreateSlot = static () => new Order() }).Stage("seen", seen));
            for (long total = 0; total < 9; total++) harness.Source.Send(total, static (ref Order order, long given) => order.Total = given);
            if (copies) harness.Finish();
            else Assert.Contains("9 of them are still held", Assert.Throws<ContractException>(harness.Finish).Message, StringComparison.Ordinal);
            Assert.Equal(9, seen.Items.Count);
        }
    }

    [Fact]
    public void Calls_WrongValues_AreRefused()
    {
        PipelineBuilder<long, long> definition = Pipeline.Of<long>(8).Stage("first", static (ref long _) => { }).Poller("out");
        Assert.Throws<ArgumentNullException>(() => PipelineHarness.Run<long, long>(null!));
        HarnessOptions<long>[] wrong =
        [
            new() { MostPerStep = 0 }, new() { MostPerStep = -1 }, new() { Limit = TimeSpan.Zero }, new() { StallChance = -0.1 }, new() { StallChance = 1 },
            new() { StallChance = double.NaN },
        ];
        Assert.All(wrong, options => Assert.Throws<ArgumentOutOfRangeException>(() => PipelineHarness.Run(definition, options)));
        Assert.Throws<PipelineBuildException>(static () => PipelineHarness.Run(Pipeline.Of<long>(8)));

        using PipelineHarness<long> harness = PipelineHarness.Run(definition);
        Assert.Throws<KeyNotFoundException>(() => harness.Step("none"));
        Assert.Throws<ArgumentOutOfRangeException>(() => harness.Step("first", 0));
        Assert.Throws<KeyNotFoundException>(() => harness.Stall("none"));
        Assert.Throws<KeyNotFoundException>(() => harness.Resume("none"));
        Assert.Throws<KeyNotFoundException>(() => harness.Sink<long>("first"));
        Assert.Throws<KeyNotFoundException>(() => harness.Sink<int>("out"));
        Assert.Throws<ArgumentNullException>(() => harness.Source.Send(null!));
        Assert.Throws<ArgumentNullException>(() => harness.Source.Send(1, (SlotWriter<long, int>)null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => harness.Sink<long>("out").Take(-1));
        Assert.Throws<ArgumentNullException>(() => harness.Sink<long>("out").Expect(null!));
        // It works still.
        harness.Source.Send(1);
        Assert.Equal(1, harness.Sink<long>("out").Next());
        Assert.True(harness.Drain().IsDrained);
    }

    private static IEnumerable<long> Items(int count) => Enumerable.Range(0, count).Select(static item => (long)item);

    private sealed class Waits(TimeProvider time) : IAsyncBatchHandler<long>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) =>
            await Task.Delay(TimeSpan.FromMilliseconds(100 * batch.Count), time, cancellation);
    }

    private sealed class Yields : IAsyncBatchHandler<long>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) => await Task.Yield();
    }
}
