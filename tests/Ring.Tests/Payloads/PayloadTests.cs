using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

internal struct Message
{
    public long Id;
    public Payload Body;
}

/// <summary>Payloads are the slot's: valid until the last gating stage has passed, and not after.</summary>
public sealed class PayloadTests
{
    private readonly PoisonPool _pool = new();

    private RingBuffer<Message> Ring(int capacity = 4, int max = 64, int keep = 32, ProducerKind kind = ProducerKind.Single) =>
        new(capacity, new RingOptions<Message>
        {
            Producers = kind,
            MaxProducers = 2,
            Payload = static (ref Message message) => ref message.Body,
            PayloadOptions = new PayloadOptions { MaxLength = max, KeepLength = keep, Pool = _pool },
            DrainTimeout = TimeSpan.Zero,
        });

    private static byte[] Bytes(long id, int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) bytes[i] = (byte)(id * 31 + i);
        return bytes;
    }

    private static void Publish(Producer<Message> producer, long id, int length) =>
        producer.PublishPayload(Bytes(id, length), id, static (ref Message message, long value) => message.Id = value);

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public async Task Publish_AllLengthsOverLaps_BytesArriveAndBuffersGoBack(ProducerKind kind)
    {
        RingBuffer<Message> ring = Ring(kind: kind);
        int seen = 0;
        Stage stage = ring.Subscribe(
            new BatchLambda<Message>(batch =>
            {
                foreach (ref Message message in batch)
                {
                    byte[] expected = Bytes(message.Id, (int)message.Id % 65);
                    Assert.Equal(expected.Length, message.Body.Length);
                    Assert.Equal(expected, message.Body.Span);
                    Assert.Equal(expected, message.Body.Memory.ToArray());
                    Assert.False(message.Body.IsReleased);
                    seen++;
                }
            }),
            Make.Stepped());
        Producer<Message> producer = Make.Producer(ring);
        for (int id = 0; id < 300; id++)
        {
            Publish(producer, id, id % 65);
            if (id % 3 == 2) Make.StepAll(stage);
        }

        Make.StepAll(stage);
        Assert.Equal((300, RingState.Created), (seen, ring.State));
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal((0, 0, true), (_pool.Outstanding, _pool.Misuses, _pool.QuarantineIsIntact()));
        Assert.True(_pool.Rented < 300);
    }

    // As docs/decisions/0006 says.
    [Fact]
    public void Entry_Size_IsThatOfTheDecision() => Assert.Equal(32, Unsafe.SizeOf<PayloadEntry>());

    // By the next claim, which has the same sequence and the same slot, or by a second write.
    [Fact]
    public void Retain_WithinAClaim_IsNotOverwritten()
    {
        SingleProducer<Message> producer = Ring().CreateProducer();
        RetainedPayload kept;
        using (Claim<Message> claim = producer.Claim())
        {
            claim.Slot.Body.Write(Bytes(1, 8));
            kept = claim.Slot.Body.Retain();
        }

        using (Claim<Message> claim = producer.Claim())
        {
            claim.Slot.Body.Write(Bytes(2, 8));
            using RetainedPayload second = claim.Slot.Body.Retain();
            claim.Slot.Body.Write(Bytes(3, 8));
            Assert.Equal(Bytes(1, 8), kept.Memory.ToArray());
            Assert.Equal(Bytes(2, 8), second.Memory.ToArray());
            claim.Commit();
        }

        kept.Dispose();
        Assert.Equal(1, _pool.Outstanding);
    }

    [Fact]
    public void Access_UntilTheLastGatingStage_AndNotAfter()
    {
        RingBuffer<Message> ring = Ring();
        Payload kept = default;
        Stage first = ring.Subscribe((ref Message message) => kept = message.Body, Make.Stepped());
        Stage second = ring.Subscribe((ref Message message) => { }, Make.Stepped(after: [first]));
        Stage side = ring.Subscribe((ref Message message) => { }, Make.Stepped());
        Publish(ring.CreateProducer(), 7, 5);
        first.Step();
        Assert.Equal(Bytes(7, 5), kept.Span);
        second.Step();
        Assert.Equal(Bytes(7, 5), kept.Span);
        Assert.False(kept.IsReleased);
        side.Step();
        Assert.True(kept.IsReleased);
        Assert.Throws<ObjectDisposedException>(() => kept.Length);
        Assert.Throws<ObjectDisposedException>(() => kept.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => kept.Memory);
        Assert.Throws<ObjectDisposedException>(kept.Retain);
        Assert.Throws<ObjectDisposedException>(() => kept.Write([1]));
        Assert.Throws<ObjectDisposedException>(() => kept.Reserve(1).Length);
    }

    [Fact]
    public void Access_SlotUsedAgain_OldLeaseStaysDead()
    {
        RingBuffer<Message> ring = Ring(capacity: 2);
        List<Payload> kept = [];
        Stage stage = ring.Subscribe((ref Message message) => kept.Add(message.Body), Make.Stepped());
        SingleProducer<Message> producer = ring.CreateProducer();
        for (int id = 0; id < 4; id++)
        {
            Publish(producer, id, 5);
            if (id < 3) Make.StepAll(stage);
        }

        Assert.All(kept, payload => Assert.True(payload.IsReleased));
        Assert.Throws<ObjectDisposedException>(() => kept[1].Span.Length);
    }

    [Fact]
    public async Task Retain_BeyondTheSlot_KeepsTheBytes()
    {
        RingBuffer<Message> ring = Ring(capacity: 2);
        List<RetainedPayload> kept = [];
        Stage stage = ring.Subscribe((ref Message message) => kept.Add(message.Body.Retain()), Make.Stepped());
        SingleProducer<Message> producer = ring.CreateProducer();
        for (int id = 0; id < 10; id++)
        {
            Publish(producer, id, id % 4 == 0 ? 0 : 10);
            Make.StepAll(stage);
        }

        await Watchdog.Await(ring.HaltAsync(), ring);
        for (int id = 0; id < 10; id++) Assert.Equal(Bytes(id, id % 4 == 0 ? 0 : 10), kept[id].Memory.ToArray());
        Assert.Equal(7, _pool.Outstanding);
        foreach (RetainedPayload payload in kept)
        {
            payload.Dispose();
            Assert.Throws<ObjectDisposedException>(payload.Dispose);
            Assert.Throws<ObjectDisposedException>(() => payload.Memory);
        }

        Assert.Equal((0, 0, true), (_pool.Outstanding, _pool.Misuses, _pool.QuarantineIsIntact()));
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public void TooLarge_BeforeTheClaim_OwnsNothing(ProducerKind kind)
    {
        RingBuffer<Message> ring = Ring(max: 8, kind: kind);
        Stage stage = ring.Subscribe((ref Message _) => { }, Make.Stepped());
        Producer<Message> producer = Make.Producer(ring);
        Assert.Throws<ArgumentOutOfRangeException>(() => Publish(producer, 1, 9));
        Assert.Equal(
            ClaimStatus.TooLarge, producer.TryPublishPayload(Bytes(1, 9), 1, static (ref Message _, int _) => { }));
        Assert.Equal(4, producer.Remaining);
        Assert.Equal(
            ClaimStatus.Done, producer.TryPublishPayload(Bytes(1, 8), 1, static (ref Message _, int _) => { }));
        Assert.Equal(1, Make.StepAll(stage));
        Assert.Equal(0, stage.GetStatistics().Tombstones);
    }

    [Theory]
    [InlineData(ProducerKind.Single, 9)]
    [InlineData(ProducerKind.Multi, 9)]
    [InlineData(ProducerKind.Single, -1)]
    [InlineData(ProducerKind.Multi, int.MaxValue)]
    public async Task Reserve_OutOfRange_AbortsTheClaim(ProducerKind kind, int length)
    {
        RingBuffer<Message> ring = Ring(max: 8, kind: kind);
        List<long> seen = [];
        Stage stage = ring.Subscribe((ref Message message) => seen.Add(message.Id), Make.Stepped());
        Producer<Message> producer = Make.Producer(ring);
        Publish(producer, 1, 3);
        Assert.Throws<ArgumentOutOfRangeException>(() => producer.Publish(length, static (ref Message message, int bytes) =>
        {
            message.Body.Write([1, 2, 3]);
            message.Body.Reserve(bytes);
        }));
        Publish(producer, 2, 3);
        Make.StepAll(stage);
        Assert.Equal([1, 2], seen);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal((0, 0), (_pool.Outstanding, _pool.Misuses));
    }

    [Fact]
    public void Default_NoSlot_IsEmptyAndReleased()
    {
        Payload none = default;
        Assert.Equal((0, true), (none.Length, none.IsReleased));
        Assert.True(none.Span.IsEmpty);
        Assert.True(none.Memory.IsEmpty);
        Assert.Throws<InvalidOperationException>(() => default(Payload).Write([1]));
        Assert.Throws<InvalidOperationException>(() => default(Payload).Retain());
    }

    [Fact]
    public void Options_BadValues_AreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Ring(max: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => Ring(keep: -1));
    }
}
