namespace Raceway.Rings.Tests;

/// <summary>Claims: committed, in part, given up, and refused. Stepped by the test.</summary>
public sealed class ClaimTests
{
    public static TheoryData<ProducerKind> Kinds => [ProducerKind.Single, ProducerKind.Multi, ProducerKind.Sharded];

    private static (RingBuffer<long> Ring, Stage Stage, Recorder Handler, Producer<long> Producer) Build(
        ProducerKind kind, int capacity = 8)
    {
        var ring = Make.Ring(capacity, kind);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        return (ring, stage, handler, Make.Producer(ring));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Claim_EveryCount_IsPublishedWhole(ProducerKind kind)
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(kind);
        long value = 0;
        for (int round = 0; round < 5; round++)
        {
            for (int count = 1; count <= producer.MaxClaim; count++)
            {
                using (Claim<long> claim = producer.Claim(count))
                {
                    Assert.Equal((value, count), (claim.Sequence, claim.Count));
                    Assert.Equal(count, claim.First.Length + claim.Second.Length);
                    foreach (ref long slot in claim) slot = value++;
                    Assert.Equal(0, stage.Step().Count);
                    claim.Commit();
                }

                Assert.Equal(count, Make.StepAll(stage));
            }
        }

        Assert.Equal(Make.Range(0, value - 1), handler.Items);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Claim_OutOfRange_Throws(ProducerKind kind)
    {
        (_, _, _, Producer<long> producer) = Build(kind);
        foreach (int count in new[] { 0, -1, producer.MaxClaim + 1, int.MaxValue, int.MinValue })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => producer.Claim(count).Count);
            Assert.Throws<ArgumentOutOfRangeException>(() => producer.TryClaim(count, out _));
        }

        Assert.Throws<ArgumentOutOfRangeException>(() => producer.TryClaim(1, TimeSpan.FromTicks(-2), out _));
        Assert.Equal(8, producer.Remaining);
    }

    [Fact]
    public void Abort_Single_NextGetsTheSameSequence()
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(ProducerKind.Single);
        producer.Publish(1);
        using (Claim<long> claim = producer.Claim(3))
        {
            claim[0] = 99;
            claim.Abort();
        }

        using (Claim<long> claim = producer.Claim(2)) Assert.Equal(1, claim.Sequence);
        using (Claim<long> claim = producer.Claim(2))
        {
            Assert.Equal(1, claim.Sequence);
            (claim[0], claim[1]) = (2, 3);
            claim.Commit();
        }

        Make.StepAll(stage);
        Assert.Equal([1, 2, 3], handler.Items);
        Assert.Equal(0, stage.GetStatistics().Tombstones);
    }

    [Fact]
    public void Commit_PartSingle_RewindsTheRest()
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(ProducerKind.Single);
        using (Claim<long> claim = producer.Claim(4))
        {
            for (int i = 0; i < 4; i++) claim[i] = i;
            claim.Commit(2);
        }

        producer.Publish(2);
        Make.StepAll(stage);
        Assert.Equal([0, 1, 2], handler.Items);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Commit_PartMulti_RestIsTombstonesAllStagesPass(int published)
    {
        (RingBuffer<long> ring, Stage stage, Recorder handler, Producer<long> producer) = Build(ProducerKind.Multi, 16);
        var next = new Recorder();
        Stage second = ring.Subscribe(next, Make.Stepped(after: [stage]));
        producer.Publish(100);
        using (Claim<long> claim = producer.Claim(3))
        {
            for (int i = 0; i < 3; i++) claim[i] = i;
            claim.Commit(published);
        }

        producer.Publish(101);
        Make.StepAll(stage);
        Make.StepAll(second);
        List<long> expected = [100, .. Make.Range(0, published - 1), 101];
        Assert.Equal(expected, handler.Items);
        Assert.Equal(expected, next.Items);
        Assert.Equal(4, stage.Position);
        Assert.Equal(4, second.Position);
        Assert.Equal(3 - published, stage.GetStatistics().Tombstones);
        Assert.Equal(3 - published, second.GetStatistics().Tombstones);
    }

    [Fact]
    public void Abort_MultiEveryPlace_BatchesNeverHoldATombstone()
    {
        for (int pattern = 0; pattern < 256; pattern++)
        {
            (RingBuffer<long> ring, Stage stage, Recorder handler, Producer<long> producer) = Build(ProducerKind.Multi, 16);
            var next = new Recorder();
            Stage second = ring.Subscribe(next, Make.Stepped(Dispatch.Batch(min: 3), after: [stage]));
            List<long> expected = [];
            for (int i = 0; i < 8; i++)
            {
                using Claim<long> claim = producer.Claim();
                claim.Slot = i;
                if ((pattern >> i & 1) != 0) continue;
                claim.Commit();
                expected.Add(i);
            }

            ring.Complete();
            for (int i = 0; i < 20; i++)
            {
                stage.Step();
                second.Step();
            }

            Assert.Equal(expected, handler.Items);
            Assert.Equal(expected, next.Items);
            Assert.Equal(7, stage.Position);
            Assert.Equal(7, second.Position);
            Assert.Equal(8, stage.GetStatistics().Items + stage.GetStatistics().Tombstones);
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Publish_WriterThrows_ClaimIsAborted(ProducerKind kind)
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(kind);
        for (int i = 0; i < 20; i++)
        {
            Assert.Throws<FormatException>(
                () => producer.Publish(i, static (ref long slot, int value) => throw new FormatException()));
            Assert.Throws<FormatException>(
                () => producer.TryPublish(i, static (ref long slot, int value) => throw new FormatException()));
            producer.Publish(i, static (ref long slot, int value) => slot = value);
            Make.StepAll(stage);
        }

        Assert.Equal(Make.Range(0, 19), handler.Items);
        Assert.Equal(kind == ProducerKind.Multi ? 40 : 0, stage.GetStatistics().Tombstones);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Claim_EndedTwice_Throws(ProducerKind kind)
    {
        (_, Stage stage, _, Producer<long> producer) = Build(kind);
        AssertOnce(committed: true);
        AssertOnce(committed: false);
        producer.Publish(7);
        Assert.Equal(2, Make.StepAll(stage));

        void AssertOnce(bool committed)
        {
            using Claim<long> claim = producer.Claim();
            if (committed) claim.Commit();
            else claim.Abort();
            Exception? again = null;
            try
            {
                claim.Commit();
            }
            catch (InvalidOperationException thrown)
            {
                again = thrown;
            }

            Assert.NotNull(again);
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Commit_CountOutOfRange_ThrowsAndAborts(ProducerKind kind)
    {
        (_, Stage stage, _, Producer<long> producer) = Build(kind);
        foreach (int count in new[] { -1, 3, int.MaxValue })
        {
            Exception? thrown = null;
            try
            {
                using Claim<long> claim = producer.Claim(2);
                claim.Commit(count);
            }
            catch (ArgumentOutOfRangeException refused)
            {
                thrown = refused;
            }

            Assert.NotNull(thrown);
            Assert.Equal(0, Make.StepAll(stage));
        }

        Assert.Equal(8, producer.Remaining);
    }

    [Fact]
    public void TwoMultiClaims_CommittedInReverse_AreSeenInOrder()
    {
        (RingBuffer<long> ring, Stage stage, Recorder handler, Producer<long> first) = Build(ProducerKind.Multi, 16);
        using MultiProducer<long> second = ring.CreateMultiProducer();
        using Claim<long> early = first.Claim(2);
        using Claim<long> late = second.Claim(2);
        (late[0], late[1]) = (2, 3);
        late.Commit();
        Assert.Equal(0, stage.Step().Count);
        Assert.Equal(-1, ring.Sequencer.PublishedThrough());
        (early[0], early[1]) = (0, 1);
        early.Commit();
        Assert.Equal(4, stage.Step().Count);
        Assert.Equal([0, 1, 2, 3], handler.Items);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void PublishSpan_LongerThanTheRing_IsPublishedInOrder(ProducerKind kind)
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(kind, 16);
        producer.Publish(Make.Range(0, 4));
        Make.StepAll(stage);
        producer.Publish(Make.Range(5, 19)); // over the wrap
        Make.StepAll(stage);
        producer.Publish([]);
        Assert.Equal(Make.Range(0, 19), handler.Items);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishSpan_NeedsRoom_WaitsForIt(ProducerKind kind)
    {
        var ring = Make.Ring(16, kind);
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        await Watchdog.Await(Watchdog.Run(() => producer.Publish(Make.Range(0, 9_999))), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(Make.Range(0, 9_999), handler.Items);
    }
}
