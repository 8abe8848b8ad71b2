namespace Raceway.Rings.Tests;

/// <summary>A publish that is later than the ring's last look is refused, and no stage sees its item.</summary>
public sealed class SealTests
{
    public static TheoryData<ProducerKind, bool> Rings() => new()
    {
        { ProducerKind.Single, false }, { ProducerKind.Single, true }, { ProducerKind.Multi, false },
        { ProducerKind.Multi, true }, { ProducerKind.Sharded, false },
    };

    // What a publish leaves between its store and its look for waiters, where its thread may be stopped for any time.
    private sealed unsafe class Stopped
    {
        private readonly Sequencer _sequencer;
        private readonly Producer<long> _producer;

        public Stopped(ProducerKind kind, bool inSlot)
        {
            Ring = new RingBuffer<long>(8, new RingOptions<long>
            {
                Producers = kind, MaxProducers = kind == ProducerKind.Sharded ? 1 : 2, DrainTimeout = TimeSpan.Zero,
                Stamps = inSlot ? StampLayout.InSlot : StampLayout.Separate, SlotStride = inSlot ? 64 : 0,
            });
            Stage = Ring.Subscribe(Handler, Make.Stepped());
            _sequencer = Ring.Sequencer;
            _producer = Make.Producer(Ring);
            _producer.Publish(10);
            Assert.Equal(1, Make.StepAll(Stage));
        }

        public RingBuffer<long> Ring { get; }

        public Recorder Handler { get; } = new();

        public Stage Stage { get; }

        /// <summary>The store of item 1.</summary>
        public void Store()
        {
            if (Ring.Claims is MultiClaims multi) Interlocked.Increment(ref *multi.Claimed);
            Ring.Slots.OfLane(0)[1] = 11;
            if (_producer is SingleProducer<long> single) Volatile.Write(ref *single.Claims.Lane.Published, 1);
            _sequencer.Availability?.Publish(1);
        }

        /// <summary>The rest of it, on a thread of its own.</summary>
        public Task<Exception?> GoOn(int count = 1) => Watchdog.RunThread(() => _producer.Claimer.Settle(1, count, count)).Ended;

        /// <summary>The claim of a group of several producers, and as many of its stamps.</summary>
        public void StoreGroup(int count, int stamped)
        {
            Interlocked.Add(ref *((MultiClaims)Ring.Claims).Claimed, count);
            _sequencer.Availability!.Publish(1, stamped);
        }
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public async Task Publish_StoredAfterTheSeal_IsRefused(ProducerKind kind, bool inSlot)
    {
        var late = new Stopped(kind, inSlot);
        Assert.Equal(0, late.Ring.Seal());
        late.Store();
        Task<Exception?> publishing = late.GoOn();
        await Watchdog.Await(late.Ring.HaltAsync(), late.Ring);
        Assert.IsType<RingStoppedException>(await Watchdog.Await(publishing, late.Ring));
        Assert.Equal(0, late.Ring.Unprocessed);
        Assert.Equal([10], late.Handler.Items);
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public async Task Publish_StoredBeforeTheSeal_IsCounted(ProducerKind kind, bool inSlot)
    {
        var late = new Stopped(kind, inSlot);
        late.Store();
        Assert.Equal(1, late.Ring.Seal());
        Task<Exception?> publishing = late.GoOn();
        await Watchdog.Await(late.Ring.HaltAsync(), late.Ring);
        Assert.Null(await Watchdog.Await(publishing, late.Ring));
        Assert.Equal(1, late.Ring.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public async Task Publish_StoredAfterTheSeal_IsSeenByNoStage(ProducerKind kind, bool inSlot)
    {
        var late = new Stopped(kind, inSlot);
        late.Ring.Seal();
        late.Store();
        Assert.Equal(0, Make.StepAll(late.Stage));
        Assert.IsType<RingStoppedException>(await Watchdog.Await(late.GoOn(), late.Ring));
        await Watchdog.Await(late.Ring.HaltAsync(), late.Ring);
        Assert.Equal([10], late.Handler.Items);
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public async Task Publish_StoredBeforeTheSeal_IsStillHandled(ProducerKind kind, bool inSlot)
    {
        var late = new Stopped(kind, inSlot);
        late.Store();
        late.Ring.Seal();
        Assert.Equal(1, Make.StepAll(late.Stage));
        Assert.Null(await Watchdog.Await(late.GoOn(), late.Ring));
        await Watchdog.Await(late.Ring.HaltAsync(), late.Ring);
        Assert.Equal(0, late.Ring.Unprocessed);
        Assert.Equal([10, 11], late.Handler.Items);
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public void NextTarget_BehindTheSeal_WaitsForAChangeOnly(ProducerKind kind, bool inSlot)
    {
        // A drain that has timed out since leaves the stage running: for an item that it will never get it must not spin.
        var late = new Stopped(kind, inSlot);
        late.Ring.Seal();
        late.Store();
        Assert.Equal(StepKind.Idle, late.Stage.Step().Kind);
        Assert.False(late.Stage.NextTarget().IsOver);
        Assert.Equal(Progress.Never, late.Stage.NextTarget().Awaited);
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public void NextTarget_OfAStepBeforeTheSeal_IsOver(ProducerKind kind, bool inSlot)
    {
        var late = new Stopped(kind, inSlot);
        Assert.Equal(StepKind.Idle, late.Stage.Step().Kind);
        late.Ring.Seal();
        // Whatever end it has seen, of a seal still under way too: it looks again.
        Assert.True(late.Stage.NextTarget().IsOver);
    }

    [Fact]
    public async Task Commit_GroupMetByAHalt_IsRefusedAndWhatCameInTimeIsCounted()
    {
        var late = new Stopped(ProducerKind.Multi, inSlot: false);
        late.StoreGroup(3, stamped: 2);
        await Watchdog.Await(late.Ring.HaltAsync(), late.Ring);
        Assert.IsType<RingStoppedException>(await Watchdog.Await(late.GoOn(3), late.Ring));
        Assert.Equal(2, late.Ring.Unprocessed);
        Assert.Equal([10], late.Handler.Items);
    }

    [Fact]
    public async Task Publish_FaultedMeanwhile_IsToldTheFault()
    {
        var late = new Stopped(ProducerKind.Single, inSlot: false);
        late.Ring.Seal();
        late.Store();
        late.Ring.Fail(new FormatException(), late.Stage);
        Assert.IsType<RingFaultedException>(await Watchdog.Await(late.GoOn(), late.Ring));
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Publish_ByAHandlerWhileDraining_IsRefusedAndTheDrainEnds(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Producer<long> producer = Make.Producer(ring);
        List<Exception?> told = [];
        List<ClaimStatus> statuses = [];
        ring.Subscribe(new EventLambda<long>((ref long _, long _, bool _) =>
        {
            ring.Complete();
            statuses.Add(producer.TryPublish(99));
            told.Add(Record.Exception(() => producer.Publish(99)));
        }));
        Make.PublishRange(producer, 0, 2);
        ring.Start();
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(3, told.Count);
        Assert.All(told, thrown => Assert.IsType<RingStoppedException>(thrown));
        Assert.All(statuses, status => Assert.Equal(ClaimStatus.Stopped, status));
        Assert.Equal(0, ring.Unprocessed);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Commit_ByAHandlerAfterTheSeal_DoesNotWaitForItself(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Producer<long> producer = Make.Producer(ring);
        Exception? told = null;
        ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) =>
        {
            if (item != 0) return;
            told = Record.Exception(() =>
            {
                using Claim<long> claim = producer.Claim();
                ring.Seal();
                claim.Slot = 1;
                claim.Commit();
            });
        }));
        ring.Start();
        producer.Publish(0);
        await Watchdog.UntilAsync(() => ring.Stages[0].Position >= 0, ring);
        Assert.IsType<RingStoppedException>(told);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }
}
