using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>Several rings are one pipeline: full, draining, halted, faulted, disposed of.</summary>
public sealed class LinkedRingsTests
{
    /// <summary>Every way to have several rings, driven in every way.</summary>
    public static TheoryData<Plan, bool> Several => new()
    {
        { Plan.RingPerStage, false },
        { Plan.RingPerStage, true },
        { Plan.SharedRing, true },
        { Plan.Fused, true },
        { Plan.Pooled, true },
        { Plan.Manual, true },
    };

    [Fact]
    public void RingPerStage_CutsWhereTheGraphNarrows()
    {
        PipelineBuilder<int, int> builder = Pipeline.Of<int>(8)
            .Stage("a", Nothing)
            .Stage("b", Nothing)
            .After("a").Stage("c", Nothing)
            .After("b", "c").Stage("d", Nothing)
            .Stage("e", Nothing);

        Pipeline<int> pipeline = builder.Build(Plan.RingPerStage);

        Assert.Equal(["a,a →", "b,c,d,d →", "e"], pipeline.Rings.Select(ring => string.Join(',', ring.Stages.Select(s => s.Name))));
        Assert.Equal(["a", "b", "c", "d", "e"], pipeline.Stages.Select(stage => stage.Name));
        Assert.Single(builder.Build(Plan.SharedRing).Rings);
    }

    [Fact]
    public void RingPerStage_CutsOnlyWhereOneColumnGoesOn()
    {
        PipelineBuilder<int, int> source = Pipeline.Of<int>(8).Stage("a", Nothing);
        source.Map<long>("b", static (ref int item, ref long result) => result = item)
            .Stage("c", static (ref long _) => { })
            .Stage("d", static (ref long _) => { });
        source.After("c").Stage("e", Nothing);

        Pipeline<int> pipeline = source.Build(Plan.RingPerStage);

        // Behind b and c both columns are read still; behind a the first one goes on.
        Assert.Equal(["a,a →", "b,c,d,e"], pipeline.Rings.Select(ring => string.Join(',', ring.Stages.Select(s => s.Name))));
    }

    [Fact]
    public void RingPerStage_WhereAStageMayLeave_OrPayloadsAreLent_CutsNothing()
    {
        Assert.Single(
            Pipeline.Of<int>(8).Stage("a", Nothing).Stage("b", Nothing, new() { OnFault = FaultPolicy.Detach }).Build(Plan.RingPerStage).Rings);
        Assert.Single(
            Pipeline.Of<Lent>(8).Configure(options => options with { Payload = static (ref Lent slot) => ref slot.Payload })
                .Stage("a", static (ref Lent _) => { }).Stage("b", static (ref Lent _) => { }).Build(Plan.RingPerStage).Rings);
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task NextRingFull_ProducersAreHeldBack_AndNothingIsLost(Plan plan, bool expands)
    {
        const int Count = 500;
        using var gate = new ManualResetEventSlim();
        List<long> seen = [];
        await using Pipeline<long> pipeline = Define(expands, (ref long item) =>
        {
            gate.Wait();
            seen.Add(item);
        }).Run(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        Task publishing = Task.Run(() =>
        {
            for (long item = 0; item < Count; item++) producer.Publish(item);
        });
        // One thread for all stages stops in the first call of the last one: there must be enough for it to pass on before that.
        if (plan == Plan.Manual) Watchdog.Until(() => pipeline.Rings[0].Backlog == pipeline.Rings[0].Capacity, "a full first ring");
        using Pump? pump = Pump.For(pipeline);
        try
        {
            // Full to the first ring: no more than the rings hold, and what is in somebody's hands, can have come in.
            Watchdog.Until(() => pipeline.Rings.All(ring => ring.Backlog == ring.Capacity), "full rings");
            Assert.False(publishing.IsCompleted);
        }
        finally
        {
            // Whatever has failed: the pump is in the handler.
            gate.Set();
        }

        await publishing.OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(Enumerable.Range(0, Count).Select(item => (long)item), seen);
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task DrainTimedOut_NamesTheStageThatHasNotReturned_AndGoesOn(Plan plan, bool expands)
    {
        using var gate = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        await using Pipeline<long> pipeline = Define(expands, (ref long _) =>
        {
            entered.Set();
            gate.Wait();
        }).Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<long> producer = pipeline.CreateProducer();
        producer.Publish(1);
        Watchdog.Until(() => entered.IsSet, "the handler");

        DrainResult result = await pipeline.DrainAsync(TimeSpan.FromMilliseconds(1)).OrHang();
        RingState state = pipeline.State;
        // Before anything is looked at: a disposal waits for the handler.
        gate.Set();

        Assert.Equal(DrainStatus.TimedOut, result.Status);
        Assert.Contains("last at -1 of 0", result.ToString(), StringComparison.Ordinal);
        Assert.Equal(RingState.Draining, state);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Equal(RingState.Stopped, pipeline.State);
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task Halt_InTheMiddle_CountsWhatIsLeftInEveryRing(Plan plan, bool expands)
    {
        long seen = 0;
        await using Pipeline<long> pipeline = Define(expands, (ref long _) => Interlocked.Increment(ref seen)).Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<long> producer = pipeline.CreateProducer();
        long published = 0;
        Task publishing = Task.Run(() =>
        {
            for (; ; published++) producer.Publish(published);
        });
        Watchdog.Until(() => Volatile.Read(ref seen) > 200, "some items");

        await pipeline.HaltAsync().OrHang();

        await Assert.ThrowsAsync<RingStoppedException>(() => publishing.OrHang());
        Assert.Equal(RingState.Stopped, pipeline.State);
        Assert.True(pipeline.Completion.IsCompletedSuccessfully);
        // Refused is the call, which may have come to that after its item was in.
        Assert.InRange(seen + pipeline.Unprocessed - published, 0, 1);
        Assert.Equal(DrainStatus.Halted, (await HaltedAsync()).Status);

        async Task<DrainResult> HaltedAsync() =>
            pipeline.Unprocessed > 0
                ? await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()
                : new DrainResult(DrainStatus.Halted, 0, []);
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task OneRingHalted_HaltsAll(Plan plan, bool expands)
    {
        await using Pipeline<long> pipeline = Define(expands, static (ref long _) => { }).Run(plan);
        using Pump? pump = Pump.For(pipeline);

        await pipeline.Rings[^1].HaltAsync().OrHang();

        await pipeline.Completion.OrHang();
        Assert.Equal(RingState.Stopped, pipeline.State);
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task FaultInTheLastRing_TellsAProducerBlockedAtTheFirst(Plan plan, bool expands)
    {
        using var gate = new ManualResetEventSlim();
        await using Pipeline<long> pipeline = Define(expands, (ref long _) =>
        {
            gate.Wait();
            throw new InvalidOperationException("root");
        }).Run(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        Task publishing = Task.Run(() =>
        {
            for (long item = 0; ; item++) producer.Publish(item);
        });
        // One thread for all stages stops in the first call of the last one: there must be enough for it to pass on before that.
        if (plan == Plan.Manual) Watchdog.Until(() => pipeline.Rings[0].Backlog == pipeline.Rings[0].Capacity, "a full first ring");
        using Pump? pump = Pump.For(pipeline);
        try
        {
            Watchdog.Until(() => pipeline.Rings.All(ring => ring.Backlog == ring.Capacity), "full rings");
        }
        finally
        {
            // Whatever has failed: the pump is in the handler.
            gate.Set();
        }

        var told = await Assert.ThrowsAsync<RingFaultedException>(() => publishing.OrHang());
        Assert.Equal(("last", "root"), (told.Stage, told.InnerException!.Message));
        var ended = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.Same(told.InnerException, ended.InnerException);
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task HandlerOfALaterRing_PublishesIntoTheFullFirst_IsToldAtOnce(Plan plan, bool expands)
    {
        SingleProducer<long>? producer = null;
        await using Pipeline<long> pipeline = Define(expands, (ref long _) =>
        {
            for (int i = 0; i < 1000; i++) producer!.Publish(i);
        }).Build(plan);
        producer = pipeline.CreateProducer();
        producer.Publish(1);
        await pipeline.StartAsync();
        using Pump? pump = Pump.For(pipeline);

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.IsType<ReentrantPublishException>(fault.InnerException);
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task Dispose_FromAHandler_Returns_AndEndsAll(Plan plan, bool expands)
    {
        Pipeline<long>? pipeline = null;
        var disposed = new TaskCompletionSource();
        pipeline = Define(expands, (ref long _) =>
        {
            Task returned = pipeline!.DisposeAsync().AsTask();
            Assert.True(returned.IsCompleted);
            disposed.TrySetResult();
        }).Build(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        producer.Publish(1);
        await pipeline.StartAsync();
        using Pump? pump = Pump.For(pipeline);

        await disposed.Task.OrHang();
        await pipeline.Completion.OrHang();
        Assert.Throws<ObjectDisposedException>(() => producer.Publish(2));
        await pipeline.DisposeAsync().OrHang();
    }

    [Theory]
    [MemberData(nameof(Several))]
    public async Task StagesBelowTheirMinimum_TakeWhatIsLeft_AndWhatABlockedLinkWaitsFor(Plan plan, bool expands)
    {
        List<long> seen = [];
        PipelineBuilder<long, long> builder = Define(expands, (ref long item) => seen.Add(item), Dispatch.Batch(min: 4, max: 4));
        await using Pipeline<long> pipeline = builder.Run(plan);

        Assert.True((await ExpandTests.PublishAndDrainAsync(pipeline, 999)).IsDrained);

        Assert.Equal(Enumerable.Range(0, 999).Select(item => (long)item), seen);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.RingPerStage)]
    public async Task ReusedObjects_OfALongRun_StayEachSlotsOwn(Plan plan)
    {
        HashSet<object> objects = [];
        List<int> seen = [];
        await using Pipeline<int[]> pipeline = Pipeline.Of<int[]>(8).HaltOnDispose()
            .Configure(static options => options with { CreateSlot = static () => new int[1] })
            .Stage("a", static (ref int[] item) => item[0]++)
            .Stage("b", static (ref int[] item) => item[0]++)
            .Stage("c", (ref int[] item) =>
            {
                objects.Add(item);
                seen.Add(item[0]);
            })
            .Run(plan);
        SingleProducer<int[]> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            for (int i = 0; i < 2000; i++) producer.Publish(i, static (ref int[] slot, int value) => slot[0] = value);
        }).OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(Enumerable.Range(2, 2000), seen);
        Assert.InRange(objects.Count, 8, 8 * pipeline.Rings.Count);
    }

    private static PipelineBuilder<long, long> Define(bool expands, SlotAction<long> last, Dispatch? dispatch = null)
    {
        PipelineBuilder<long, long> first = Pipeline.Of<long>(8).HaltOnDispose().Stage("first", static (ref long _) => { });
        return expands
            ? first.Expand<long>("one", 8, static (ref long item, Emitter<long> output) => output.Emit(item)).Stage("last", last, dispatch)
            : first.Stage("one", static (ref long _) => { }).Stage("last", last, dispatch);
    }

    private static void Nothing(ref int item)
    {
    }

    private struct Lent
    {
        public Payload Payload;
    }
}
