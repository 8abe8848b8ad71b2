namespace Raceway.Rings.Tests;

/// <summary>After a halt: whatever a producer was told is published is handled or counted, holes before it or not.</summary>
public sealed class UnprocessedTests
{
    [Fact]
    public async Task HaltAsync_PublishedBehindAnOpenClaim_IsCountedAndOffered()
    {
        List<long> offered = [];
        var ring = new RingBuffer<long>(16, new RingOptions<long>
        {
            Producers = ProducerKind.Multi, MaxProducers = 2, OnUnprocessed = (ref long item) => offered.Add(item),
        });
        MultiProducer<long> slow = ring.CreateMultiProducer();
        MultiProducer<long> fast = ring.CreateMultiProducer();
        fast.Publish(100);
        Exception? late = await Watchdog.Await(
            Watchdog.RunThread(() =>
            {
                using Claim<long> hole = slow.Claim();
                fast.Publish(101);
                fast.Publish(102);
                Task halt = ring.HaltAsync();
                while (!halt.IsCompleted) Thread.Yield();
                hole.Slot = 103;
                hole.Commit();
            }).Ended,
            ring);
        Assert.IsType<RingStoppedException>(late);
        Assert.Equal([100, 101, 102], offered);
        Assert.Equal(3, ring.Unprocessed);
    }

    [Fact]
    public async Task HaltAsync_PublishedBehindAnOpenClaim_SlotsAndBuffersAreTakenBack()
    {
        var pool = new PoisonPool();
        var ring = new RingBuffer<Noted>(8, new RingOptions<Noted>
        {
            Producers = ProducerKind.Multi, MaxProducers = 2, ClearSlots = true,
            Payload = static (ref Noted item) => ref item.Body, PayloadOptions = new PayloadOptions { Pool = pool },
        });
        MultiProducer<Noted> slow = ring.CreateMultiProducer();
        MultiProducer<Noted> fast = ring.CreateMultiProducer();
        Assert.Null(await Watchdog.Await(
            Watchdog.RunThread(() =>
            {
                using Claim<Noted> hole = slow.Claim();
                fast.PublishPayload([1, 2, 3], "note", static (ref Noted item, string note) => item.Note = note);
                Task halt = ring.HaltAsync();
                while (!halt.IsCompleted) Thread.Yield();
                Assert.Null(ring.Slots[1].Note);
                Assert.Equal(0, pool.Outstanding);
            }).Ended,
            ring));
        Assert.Equal((1, 0, 0), (ring.Unprocessed, pool.Outstanding, pool.Misuses));
        Assert.Null(ring.Slots[1].Note);
    }

    private struct Noted
    {
        public string? Note;
        public Payload Body;
    }
}
