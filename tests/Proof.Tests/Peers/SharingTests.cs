using Raceway.Proof.Tests.Faults;

namespace Raceway.Proof.Tests.Peers;

/// <summary>Where peers shared what was not to be shared: a cache among rings, a buffer among renters, a slot among claims.</summary>
public sealed class SharingTests
{
    [Fact]
    public void Rings_InterleavedOnOneThread_ShareNothing()
    {
        // A thread's cache of the slowest consumer was once shared by all rings.
        RingBuffer<long>[] rings = [Make.Ring(2), Make.Ring(8), Make.Ring(32), Make.Ring(16, ProducerKind.Multi)];
        Recorder[] handlers = [.. rings.Select(static _ => new Recorder())];
        Stage[] stages = [.. rings.Select((ring, i) => ring.Subscribe(handlers[i], Make.Stepped()))];
        Producer<long>[] producers = [.. rings.Select(Make.Producer)];
        long[] next = new long[rings.Length];
        var random = new Random(5);
        for (int turn = 0; turn < 20_000; turn++)
        {
            int at = random.Next(rings.Length);
            if (random.Next(4) == 0) stages[at].Step(random.Next(1, 9));
            bool full = next[at] - stages[at].Position - 1 == rings[at].Capacity;
            Assert.Equal(full ? ClaimStatus.Full : ClaimStatus.Done, producers[at].TryPublish(next[at]));
            if (!full) next[at]++;
        }

        for (int i = 0; i < rings.Length; i++)
        {
            Make.StepAll(stages[i]);
            Assert.Equal(Make.Range(0, next[i] - 1), handlers[i].Items);
        }
    }

    [Fact]
    public void TwoClaims_NoneCommitted_ShowNothing()
    {
        var ring = Make.Ring(4, ProducerKind.Multi);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        MultiProducer<long> producer = ring.CreateMultiProducer();
        for (int lap = 0; lap < 5; lap++)
        {
            using Claim<long> first = producer.Claim(2);
            using Claim<long> second = producer.Claim(2);
            foreach (ref long slot in first) slot = 1;
            foreach (ref long slot in second) slot = 2;
            Assert.Equal(ClaimStatus.Full, producer.TryPublish(3));
            Assert.Equal(0, Make.StepAll(stage));
            second.Commit();
            Assert.Equal(0, Make.StepAll(stage));
            first.Commit();
            Assert.Equal(4, Make.StepAll(stage));
        }

        Assert.Equal(Enumerable.Repeat<long[]>([1, 1, 2, 2], 5).SelectMany(static lap => lap), handler.Items);
    }

    [Theory]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task CreateProducer_FromManyThreadsAtOnce_EachIsItsOwn(ProducerKind kind)
    {
        const int producers = 8;
        const int items = 500;
        var ring = Make.Ring(64, kind, maxProducers: producers);
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        using var together = new Barrier(producers);
        await Watchdog.Await(
            Task.WhenAll(Enumerable.Range(0, producers).Select(own => Watchdog.Run(() =>
            {
                together.SignalAndWait();
                using Producer<long> producer = Make.Producer(ring);
                Make.PublishRange(producer, (long)own * items, (long)(own + 1) * items - 1);
            }))),
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(Make.Range(0, (long)producers * items - 1), handler.Items.Order());
        foreach (IGrouping<long, long> own in handler.Items.GroupBy(static item => item / items))
            Assert.True(own.SequenceEqual(own.Order()));
    }

    [Fact]
    public async Task Payload_GivenBackTwice_IsRefusedAndGoesBackOnce()
    {
        // A shared pool takes an array twice, and then lends it to two.
        var pool = new PoisonPool();
        RetainedPayload? kept = null;
        var ring = new RingBuffer<Message>(4, new RingOptions<Message>
        {
            Payload = Message.BodyOf, PayloadOptions = new PayloadOptions { Pool = pool, KeepLength = 0 },
        });
        Stage stage = ring.Subscribe((ref Message parcel) => kept = parcel.Body.Retain(), Make.Stepped());
        ring.CreateProducer().PublishPayload("kept"u8, 0, static (ref _, _) => { });
        Make.StepAll(stage);
        Assert.Equal(1, pool.Outstanding);
        kept!.Dispose();
        Assert.Throws<ObjectDisposedException>(kept.Dispose);
        Assert.Throws<ObjectDisposedException>(() => kept.Memory);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        Assert.Equal((0, 0, 1), (pool.Outstanding, pool.Misuses, pool.Returned));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Payloads_ClearOnReturn_GoBackToBeCleared(bool clears)
    {
        var pool = new FaultyPool();
        var ring = new RingBuffer<Message>(4, new RingOptions<Message>
        {
            Payload = Message.BodyOf, PayloadOptions = new PayloadOptions { Pool = pool, ClearOnReturn = clears },
        });
        SingleProducer<Message> producer = ring.CreateProducer();
        for (int i = 0; i < 3; i++) producer.PublishPayload("secret"u8, 0, static (ref _, _) => { });
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal((3, clears ? 3 : 0), (pool.Inner.Returned, pool.Cleared));
    }

    private struct Message
    {
        private Payload _body;

        public Payload Body
        {
            readonly get => _body;
            set => _body = value;
        }

        public static ref Payload BodyOf(ref Message parcel) => ref parcel._body;
    }
}
