namespace Raceway.Rings.Tests;

/// <summary>Claiming and gating where the numbers get large, and what snapshots may say.</summary>
public sealed class SequencerTests
{
    public static TheoryData<long, ProducerKind> Starts()
    {
        var data = new TheoryData<long, ProducerKind>();
        foreach (long start in new[]
        {
            0L, 3L, int.MaxValue - 8L, int.MaxValue, uint.MaxValue - 8L, (1L << 32) * 8 - 8, (1L << 33) * 8 - 3,
            long.MaxValue - 100 * 8,
        })
        {
            data.Add(start, ProducerKind.Single);
            data.Add(start, ProducerKind.Multi);
            data.Add(start, ProducerKind.Sharded);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Starts))]
    public void Publish_FromAnyStart_EveryItemInOrderOverManyLaps(long start, ProducerKind kind)
    {
        var ring = Make.Ring(8, kind, start: start);
        List<long> sequences = [];
        List<long> items = [];
        Stage first = ring.Subscribe(
            new EventLambda<long>((ref long _, long sequence, bool _) => sequences.Add(sequence)), Make.Stepped());
        Stage second = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) => items.Add(item)), Make.Stepped(after: [first]));
        Producer<long> producer = Make.Producer(ring);
        long value = 0;
        for (int round = 0; value < 300; round++)
        {
            int count = 1 + round % 8;
            using Claim<long> claim = producer.Claim(Math.Min(count, producer.MaxClaim));
            for (int i = 0; i < claim.Count; i++) claim[i] = value++;
            claim.Commit();
            Assert.Equal(0, second.Step().Count);
            Assert.Equal(claim.Count, first.Step().Count);
            Assert.Equal(claim.Count, second.Step().Count);
        }

        Assert.Equal(Make.Range(0, value - 1), items);
        Assert.Equal(Make.Range(start, start + value - 1), sequences);
    }

    [Fact]
    public void Commit_StartWithinALap_ClaimBeforeTheLastIsStillOpen()
    {
        RingBuffer<long> ring = Make.Ring(8, ProducerKind.Multi, start: 5);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        using MultiProducer<long> producer = ring.CreateMultiProducer();
        Make.PublishRange(producer, 5, 7);
        Claim<long> eighth = producer.Claim();
        producer.Claim().Commit();
        eighth.Commit();
        Assert.Equal(5, stage.Step().Count);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public void Claim_AtTheEndOfTheSequenceSpace_ThrowsExhausted(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind, start: long.MaxValue - 4 * 8);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        int published = 0;
        Exception? thrown = null;
        while (thrown is null && published < 100)
        {
            thrown = Record.Exception(() => producer.Publish(published));
            if (thrown is null) published++;
            Make.StepAll(stage);
        }

        Assert.IsType<SequenceExhaustedException>(thrown);
        Assert.InRange(published, 16, 32);
        Assert.Equal(published, stage.GetStatistics().Items);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MaxValue)]
    [InlineData(long.MaxValue - 15)]
    public void StartSequence_OutOfRange_IsRefused(long start) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Make.Ring(8, start: start));

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(-8)]
    [InlineData(int.MinValue)]
    [InlineData(int.MaxValue)]
    [InlineData((1 << 30) + 1)]
    public void Capacity_NotAPowerOfTwoInRange_IsRefused(int capacity)
    {
        var thrown = Assert.Throws<ArgumentOutOfRangeException>(() => new RingBuffer<byte>(capacity));
        Assert.Contains($"{capacity}", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_BadValues_AreRefused()
    {
        static void Refused<TException>(RingOptions<long> options)
            where TException : ArgumentException =>
            Assert.ThrowsAny<TException>(() => new RingBuffer<long>(8, options));

        Refused<ArgumentOutOfRangeException>(new RingOptions<long> { MaxProducers = 0 });
        Refused<ArgumentOutOfRangeException>(new RingOptions<long> { DrainTimeout = TimeSpan.FromSeconds(-2) });
        Refused<ArgumentOutOfRangeException>(new RingOptions<long> { ClaimTimeout = TimeSpan.FromTicks(-5) });
        Refused<ArgumentOutOfRangeException>(new RingOptions<long> { Padding = (CellPadding)7 });
        Refused<ArgumentNullException>(new RingOptions<long> { Wait = null! });
        Refused<ArgumentNullException>(new RingOptions<long> { ProducerWait = null! });
        Refused<ArgumentException>(new RingOptions<long> { Producers = ProducerKind.Multi, MaxProducers = 9 });
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Gating_FromConstruction_BlocksAtTheCapacity(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Producer<long> producer = Make.Producer(ring);
        for (int i = 0; i < 8; i++) Assert.Equal(ClaimStatus.Done, producer.TryPublish(i));
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(8));
        var handler = new Recorder();
        Stage late = ring.Subscribe(handler, Make.Stepped());
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(8));
        late.Step(3);
        for (int i = 8; i < 11; i++) Assert.Equal(ClaimStatus.Done, producer.TryPublish(i));
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(11));
        Make.StepAll(late);
        Assert.Equal(Make.Range(0, 10), handler.Items);
    }

    [Fact]
    public void Gating_EveryLeaf_HoldsTheProducerBack()
    {
        var ring = Make.Ring(8);
        Stage root = ring.Subscribe(new Recorder(), Make.Stepped());
        Stage left = ring.Subscribe(new Recorder(), Make.Stepped(after: [root]));
        Stage right = ring.Subscribe(new Recorder(), Make.Stepped(after: [root]));
        Stage apart = ring.Subscribe(new Recorder(), Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 7);
        Make.StepAll(root);
        foreach (Stage leaf in new[] { left, apart, right })
        {
            Assert.Equal(ClaimStatus.Full, producer.TryPublish(8));
            Make.StepAll(leaf);
        }

        Assert.Equal(ClaimStatus.Done, producer.TryPublish(8));
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Remaining_UnderContention_StaysInRange(ProducerKind kind)
    {
        var ring = Make.Ring(4, kind);
        ring.Subscribe(new Summer());
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        bool stop = false;
        int least = int.MaxValue, most = int.MinValue;
        long leastBacklog = long.MaxValue, mostBacklog = long.MinValue;
        Task looking = Watchdog.Run(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                int room = producer.Remaining;
                (least, most) = (Math.Min(least, room), Math.Max(most, room));
                long backlog = ring.Backlog;
                (leastBacklog, mostBacklog) = (Math.Min(leastBacklog, backlog), Math.Max(mostBacklog, backlog));
                Thread.Yield();
            }
        });
        await Watchdog.Await(Watchdog.Run(() => Make.PublishRange(producer, 0, 2_000)), ring);
        Volatile.Write(ref stop, true);
        await Watchdog.Await(looking, ring);
        Assert.True(least >= 0 && most <= 4, $"room {least}..{most}");
        Assert.True(leastBacklog >= 0 && mostBacklog <= 4, $"backlog {leastBacklog}..{mostBacklog}");
        await Watchdog.Await(ring.HaltAsync(), ring);
    }
}
