namespace Raceway.Rings.Tests;

/// <summary>Batches of a limited weight; here an item weighs what it says, unless a test has another weigher.</summary>
public sealed class WeightTests
{
    private static readonly Weigher s_byValue = Weigher.By(static (ref readonly long item) => item);

    private readonly Recorder _seen = new();

    private Stage Attach(
        RingBuffer<long> ring, Dispatch dispatch, Weigher? weigher = null, FaultPolicy? onFault = null) =>
        ring.Subscribe(_seen, Make.Stepped(dispatch, onFault) with { Weigher = weigher ?? s_byValue });

    private static void Publish(RingBuffer<long> ring, params long[] items) => Make.Producer(ring).Publish(items);

    [Fact]
    public void MaxWeight_NextItemWouldExceedIt_ClosesBefore()
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch(maxWeight: 6));
        Publish(ring, 3, 3, 3, 5, 1, 9, 1);

        Make.StepAll(stage);

        Assert.Equal([2, 1, 2, 1, 1], _seen.Sizes);
        Assert.Equal([3, 3, 3, 5, 1, 9, 1], _seen.Items);
        Assert.Equal(
            [CloseReason.Weight, CloseReason.Weight, CloseReason.Weight, CloseReason.Weight, CloseReason.Drained], _seen.Reasons);
        Assert.Equal([1, 0, 0, 0, 4, 0], stage.GetStatistics().CloseReasons);
    }

    [Theory]
    [InlineData(1, new long[] { 0, 0, 0 }, new[] { 3 })]
    [InlineData(1, new long[] { 5, 0, 1, 0 }, new[] { 1, 3 })]
    [InlineData(1, new long[] { 1, 1, 1 }, new[] { 1, 1, 1 })]
    [InlineData(long.MaxValue - 1, new[] { long.MaxValue - 1, 1, 2 }, new[] { 1, 2 })]
    [InlineData(5, new[] { long.MaxValue, long.MaxValue, 1 }, new[] { 1, 1, 1 })]
    public void MaxWeight_ExtremeWeights_KeepTheRule(long maxWeight, long[] items, int[] sizes)
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch(maxWeight: maxWeight));
        Publish(ring, items);
        Make.StepAll(stage);
        Assert.Equal(sizes, _seen.Sizes);
    }

    [Fact]
    public void MaxWeight_OtherLimitsFirst_TheyCloseIt()
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch(max: 2, maxWeight: 100));
        Publish(ring, 1, 1, 1, 100, 1);
        Make.StepAll(stage);
        Assert.Equal([2, 1, 1, 1], _seen.Sizes);
        Assert.Equal([CloseReason.Full, CloseReason.Weight, CloseReason.Weight, CloseReason.Drained], _seen.Reasons);
    }

    [Fact]
    public void MaxWeight_CutsWhatTheMinimumCounted_RestIsNotHeldBack()
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch(min: 4, maxWeight: 2));
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish([1, 1, 1]);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        producer.Publish(1);
        Assert.Equal(4, Make.StepAll(stage));
        Assert.Equal([2, 2], _seen.Sizes);
        producer.Publish(1);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
    }

    [Theory]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void MaxWeight_OtherRings_AreWeighedAlike(ProducerKind kind)
    {
        RingBuffer<long> ring = Make.Ring(16, kind);
        Stage stage = Attach(ring, Dispatch.Batch(maxWeight: 4));
        Publish(ring, 1, 2, 3, 4);
        Make.StepAll(stage);
        Assert.Equal([2, 1, 1], _seen.Sizes);
    }

    [Theory]
    [InlineData(1, new[] { 1, 1, 1, 1 })]
    [InlineData(3, new[] { 2, 2 })]
    public void MaxWeight_StepOfAFew_IsCutByTheQuantumToo(int quantum, int[] sizes)
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch(maxWeight: 2));
        Publish(ring, 1, 1, 1, 1);
        Make.StepAll(stage, quantum);
        Assert.Equal(sizes, _seen.Sizes);
    }

    [Fact]
    public void MaxWeight_ChangedWhileRunning_HoldsFromTheNextBatch()
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch());
        Publish(ring, 1, 1, 1, 1, 1, 1);
        stage.Step(1);
        stage.Dispatch = Dispatch.Batch(maxWeight: 2);
        stage.Step();
        stage.Dispatch = Dispatch.Batch(max: 2);
        stage.Step();
        stage.Step();
        Assert.Equal([1, 2, 2, 1], _seen.Sizes);
        Assert.Equal([CloseReason.Cut, CloseReason.Weight, CloseReason.Full, CloseReason.Drained], _seen.Reasons);
    }

    [Fact]
    public void MaxWeight_NotSet_WeighsNothing()
    {
        int calls = 0;
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch(), Weigher.By((ref readonly long _) => ++calls));
        Publish(ring, 1, 2, 3);
        Make.StepAll(stage);
        Assert.Equal(0, calls);
        Assert.Equal([3], _seen.Sizes);
    }

    [Fact]
    public void MaxWeight_RingOfPayloads_WeighsTheirBytes()
    {
        var ring = new RingBuffer<Carrier>(16, new RingOptions<Carrier>
        {
            Payload = static (ref Carrier slot) => ref slot.Bytes, DrainTimeout = TimeSpan.Zero,
        });
        List<int> sizes = [];
        Stage stage = ring.Subscribe(
            new BatchLambda<Carrier>(batch => sizes.Add(batch.Count)), Make.Stepped(Dispatch.Batch(maxWeight: 100)));
        SingleProducer<Carrier> producer = ring.CreateProducer();
        foreach (int length in new[] { 60, 40, 1, 99, 200, 0 })
            producer.PublishPayload(new byte[length], 0, static (ref Carrier _, int _) => { });
        Make.StepAll(stage);
        Assert.Equal([2, 2, 1, 1], sizes);
    }

    private struct Carrier
    {
        public Payload Bytes;
    }

    [Fact]
    public void Weigher_Throws_ItemsBeforeAreHandledAndThatOneIsTheFault()
    {
        List<(long Item, int Attempt)> dead = [];
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(
            ring,
            Dispatch.Batch(maxWeight: 100),
            Weigher.By(static (ref readonly long item) => item == 3 ? throw new InvalidOperationException() : 1),
            FaultPolicy.Retry(2, TimeSpan.Zero, FaultPolicy.DeadLetter(
                (ref long item, in FaultContext context) => dead.Add((item, context.Attempt)))));
        Publish(ring, 1, 2, 3, 4);

        Make.StepAll(stage);

        Assert.Equal([1, 2, 4], _seen.Items);
        Assert.Equal([CloseReason.Weight, CloseReason.Drained], _seen.Reasons);
        Assert.Equal([(3, 3)], dead);
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal((3, 2, 1, 1, 3), (seen.Faults, seen.Retries, seen.Skipped, seen.DeadLettered, seen.Items));
        Assert.Equal(3, stage.Position);
    }

    [Fact]
    public async Task Weigher_NegativeWeight_StopsTheRingAtThatItem()
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = Attach(ring, Dispatch.Batch(maxWeight: 100));
        Publish(ring, 1, -2, 3);
        Make.StepAll(stage);
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Contains("weight=-2", fault.InnerException!.Message, StringComparison.Ordinal);
        Assert.Equal(0, stage.Position);
        Assert.Equal(2, ring.Unprocessed);
    }

    [Fact]
    public void Weigher_PublishesIntoItsFullRing_ThrowsAtOnce()
    {
        RingBuffer<long> ring = Make.Ring(2);
        SingleProducer<long> producer = ring.CreateProducer();
        Stage stage = Attach(
            ring,
            Dispatch.Batch(maxWeight: 1),
            Weigher.By((ref readonly long item) =>
            {
                producer.Publish(item);
                return 1;
            }),
            FaultPolicy.Skip);
        producer.Publish([1, 2]);
        stage.Step();
        Assert.Equal((1, 1), (stage.GetStatistics().Faults, stage.GetStatistics().Skipped));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void MaxWeight_BelowOne_IsRefused(long maxWeight)
    {
        var refused = Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Batch(maxWeight: maxWeight));
        Assert.Contains($"maxWeight={maxWeight}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void MaxWeight_NothingWeighs_IsRefusedAtOnceAndWhenItIsSet()
    {
        RingBuffer<long> ring = Make.Ring(16);
        var refused = Assert.Throws<ArgumentException>(
            () => ring.Subscribe(_seen, Make.Stepped(Dispatch.Batch(maxWeight: 5), name: "heavy")));
        Assert.Contains("stage='heavy', weigher=none", refused.Message, StringComparison.Ordinal);
        Stage stage = ring.Subscribe(_seen, Make.Stepped());
        Assert.Throws<ArgumentException>(() => stage.Dispatch = Dispatch.Batch(maxWeight: 5));
        Assert.False(stage.Dispatch.HasMaxWeight);
    }

    [Fact]
    public void Weigher_OfAnotherType_IsRefused()
    {
        var refused = Assert.Throws<ArgumentException>(
            () => Make.Ring().Subscribe(_seen, new StageOptions { Weigher = Weigher.By(static (ref readonly int item) => item) }));
        Assert.Contains("Weigher.By<Int64>", refused.Message, StringComparison.Ordinal);
    }
}
