namespace Raceway.Rings.Tests;

/// <summary>The orders of a ring's end that threads meet once in a million: taken apart, call by call.</summary>
/// <remarks>Found by verification/models/payload.pml, where each is a seeded fault.</remarks>
public sealed class PayloadEndTests
{
    private readonly PoisonPool _pool = new();

    private PayloadOptions Options => new() { MaxLength = 256, KeepLength = 64, Pool = _pool };

    private RingBuffer<Message> Ring(ProducerKind kind) => new(2, new RingOptions<Message>
    {
        Producers = kind,
        MaxProducers = 2,
        Payload = static (ref Message message) => ref message.Body,
        PayloadOptions = Options,
    });

    private static void Write(ref Message message, long id) => message.Body.Reserve(10).Fill((byte)id);

    private void AssertAllReturned() =>
        Assert.Equal((0, 0, true), (_pool.Outstanding, _pool.Misuses, _pool.QuarantineIsIntact()));

    [Fact]
    public void TryShare_GoneBackToThePool_IsRefused()
    {
        var buffer = new PayloadBuffer(_pool.Rent(16), Options);
        Assert.True(buffer.TryShare());
        buffer.Drop();
        buffer.Drop();
        Assert.False(buffer.TryShare());
        Assert.Equal(1, _pool.Returned);
    }

    [Fact]
    public async Task Halt_ClaimGivenUpBehindAnOpenOne_ReturnsItsBuffer()
    {
        RingBuffer<Message> ring = Ring(ProducerKind.Multi);
        using MultiProducer<Message> first = ring.CreateMultiProducer();
        using MultiProducer<Message> second = ring.CreateMultiProducer();
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                using Claim<Message> open = first.Claim();
                Write(ref open.Slot, 1);
                using (Claim<Message> behind = second.Claim()) Write(ref behind.Slot, 2);
                ring.HaltAsync().GetAwaiter().GetResult();
                Assert.Equal(1, _pool.Outstanding);
                return true;
            }),
            ring);
        AssertAllReturned();
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public async Task ReleaseAll_ClaimedButNotLentYet_LeavesTheBuffer(ProducerKind kind)
    {
        RingBuffer<Message> ring = Ring(kind);
        Stage stage = ring.Subscribe((ref Message message) => { }, Make.Stepped());
        Producer<Message> producer = Make.Producer(ring);
        producer.Publish(1L, Write);
        producer.Publish(2L, Write);
        Make.StepAll(stage);
        // As if sequence 2 had just been claimed: its slot still has the buffer of the lap before.
        ring.Payloads!.ReleaseAll(published: 1, claimed: 2, []);
        Assert.Equal(1, _pool.Outstanding);
        await Watchdog.Await(ring.HaltAsync(), ring);
        AssertAllReturned();
    }

    [Fact]
    public async Task EndLate_SlotIsAnotherClaimsByNow_LeavesItsBuffer()
    {
        RingBuffer<Message> ring = Ring(ProducerKind.Multi);
        Stage stage = ring.Subscribe((ref Message message) => { }, Make.Stepped());
        using MultiProducer<Message> producer = ring.CreateMultiProducer();
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                producer.Claim().Abort();
                producer.Publish(1L, Write);
                Make.StepAll(stage);
                using Claim<Message> open = producer.Claim();
                Write(ref open.Slot, 2);
                ring.HaltAsync().GetAwaiter().GetResult();
                // As if whoever gave sequence 0 up had been held since, before it looked for waiters.
                ring.EndLate(producer.Claimer, first: 0, count: 1, published: 0);
                Assert.Equal(1, _pool.Outstanding);
                return true;
            }),
            ring);
        AssertAllReturned();
    }

    [Fact]
    public async Task TryPublish_AnnouncedAsTheRingEnds_GivesTheBufferBack()
    {
        RingBuffer<Message> ring = Ring(ProducerKind.Single);
        Stage stage = ring.Subscribe((ref Message message) => { }, Make.Stepped());
        SingleProducer<Message> producer = ring.CreateProducer();
        producer.Publish(1L, Write);
        producer.Publish(2L, Write);
        Make.StepAll(stage);
        // Runs as the producer looks for room, and ends the ring with the announcement that is to follow.
        ring.Sequencer.Sweeper = new SlotSweeper([new Sweeping(End)], ring.Sequencer.Start);
        Assert.Equal(ClaimStatus.Stopped, await Watchdog.Await(Watchdog.Run(() => producer.TryPublish(3L, Write)), ring));
        AssertAllReturned();

        unsafe void End()
        {
            ring.Sequencer.Sweeper = null;
            *producer.Claims.Lane.Claimed = 2;
            ring.HaltAsync().GetAwaiter().GetResult();
            Assert.Equal(1, _pool.Outstanding);
        }
    }
}
