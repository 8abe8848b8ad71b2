namespace Raceway.Rings.Tests;

/// <summary>C# copies a ref struct: all copies are one claim, which ends once.</summary>
public sealed class ClaimCopyTests
{
    public static TheoryData<ProducerKind, bool> Rings => new()
    {
        { ProducerKind.Single, false }, { ProducerKind.Single, true }, { ProducerKind.Sharded, false },
        { ProducerKind.Multi, false }, { ProducerKind.Multi, true },
    };

    private static (RingBuffer<long> Ring, Stage Stage, Recorder Handler, Producer<long> Producer) Build(
        ProducerKind kind, bool inSlot)
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            Producers = kind,
            MaxProducers = kind == ProducerKind.Sharded ? 1 : 2,
            Stamps = inSlot ? StampLayout.InSlot : StampLayout.Separate,
            SlotStride = inSlot ? 64 : 0,
            DrainTimeout = TimeSpan.Zero,
        });
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        return (ring, stage, handler, Make.Producer(ring));
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public async Task Dispose_OfACopyBehindACommit_DoesNothing(ProducerKind kind, bool inSlot)
    {
        (RingBuffer<long> ring, Stage stage, Recorder handler, Producer<long> producer) = Build(kind, inSlot);
        Publish();
        ring.Complete();
        Make.StepAll(stage);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(Make.Range(0, 29), handler.Items);
        Assert.Equal(0, stage.GetStatistics().Tombstones);

        void Publish()
        {
            for (int i = 0; i < 30; i += 3)
            {
                Assert.Equal(ClaimStatus.Done, producer.TryClaim(1, out Claim<long> claim));
                using (claim)
                {
                    claim.Slot = i;
                    claim.Commit();
                }

                ByValue(producer.Claim(), i + 1);
                Assert.Equal(ClaimStatus.Done, producer.TryClaim(1, out claim));
                ByValue(claim, i + 2);
                claim.Dispose();
                Make.StepAll(stage);
            }
        }

        static void ByValue(Claim<long> claim, long value)
        {
            using Claim<long> owned = claim;
            owned.Slot = value;
            owned.Commit();
        }
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public void End_ByACopy_ThrowsHoweverManyLapsLater(ProducerKind kind, bool inSlot)
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(kind, inSlot);
        foreach (int claimed in (int[])[1, 3])
        {
            foreach (int committed in (int[])[0, 1, claimed])
            {
                handler.Items.Clear();
                Claim<long> claim = producer.Claim(claimed);
                foreach (ref long slot in claim) slot = 100;
                Claim<long> stale = claim;
                claim.Commit(committed);
                long next = 0;
                for (int publishes = 0; publishes < 40; publishes++)
                {
                    Claim<long> again = stale;
                    Assert.IsType<InvalidOperationException>(Thrown(again, static copy => copy.Commit()));
                    Assert.IsType<InvalidOperationException>(Thrown(again, static copy => copy.Commit(0)));
                    Assert.IsType<InvalidOperationException>(Thrown(again, static copy => copy.Abort()));
                    again.Dispose();
                    producer.Publish(next++);
                    Make.StepAll(stage);
                }

                Assert.Equal([.. Enumerable.Repeat(100L, committed), .. Make.Range(0, next - 1)], handler.Items);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public void End_ByACopyOfARewoundClaim_LeavesTheNextOneOpen(ProducerKind kind, bool inSlot)
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(kind, inSlot);
        Claim<long> first = producer.Claim();
        Claim<long> copy = first;
        first.Abort();
        Claim<long> second = producer.Claim();
        second.Slot = 5;
        Assert.IsType<InvalidOperationException>(Thrown(copy, static stale => stale.Commit()));
        copy.Dispose();
        Assert.Equal(0, stage.Step().Count);
        second.Commit();
        producer.Publish(6);
        Make.StepAll(stage);
        Assert.Equal([5, 6], handler.Items);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void End_SeveralOpenClaimsOfAHandle_EachEndsOnce(bool backwards)
    {
        (_, Stage stage, Recorder handler, Producer<long> producer) = Build(ProducerKind.Multi, inSlot: false);
        Claim<long> early = producer.Claim(2);
        Claim<long> late = producer.Claim(2);
        (early[0], early[1], late[0], late[1]) = (0, 1, 2, 3);
        Claim<long> earlyCopy = early;
        Claim<long> lateCopy = late;
        if (backwards)
        {
            late.Commit();
            early.Commit();
        }
        else
        {
            early.Commit();
            late.Commit();
        }

        Assert.IsType<InvalidOperationException>(Thrown(earlyCopy, static copy => copy.Abort()));
        Assert.IsType<InvalidOperationException>(Thrown(lateCopy, static copy => copy.Abort()));
        producer.Publish(4);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 4), handler.Items);
    }

    [Theory]
    [MemberData(nameof(Rings))]
    public void End_OfADisposedHandlesClaim_IsOnce(ProducerKind kind, bool inSlot)
    {
        (RingBuffer<long> ring, Stage stage, Recorder handler, Producer<long> producer) = Build(kind, inSlot);
        Claim<long> claim = producer.Claim(2);
        (claim[0], claim[1]) = (0, 1);
        Claim<long> copy = claim;
        producer.Dispose();
        claim.Commit();
        Producer<long> next = Make.Producer(ring);
        next.Publish(2);
        Assert.IsType<InvalidOperationException>(Thrown(copy, static stale => stale.Commit()));
        copy.Dispose();
        next.Publish(3);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 3), handler.Items);
    }

    [Theory]
    [InlineData(ProducerKind.Single, 1)]
    [InlineData(ProducerKind.Single, 3)]
    [InlineData(ProducerKind.Multi, 1)]
    [InlineData(ProducerKind.Multi, 3)]
    public async Task End_AfterTheRing_IsOnceAndBuffersGoBackOnce(ProducerKind kind, int count)
    {
        var pool = new PoisonPool();
        var ring = new RingBuffer<Message>(8, new RingOptions<Message>
        {
            Producers = kind,
            MaxProducers = 2,
            Payload = static (ref Message message) => ref message.Body,
            PayloadOptions = new PayloadOptions { MaxLength = 64, Pool = pool },
            DrainTimeout = TimeSpan.Zero,
        });
        Task halting = Task.CompletedTask;
        ring.Subscribe(static (ref Message _) => { });
        ring.Start();
        await Watchdog.Await(Watchdog.Run(ClaimAndHalt), ring);
        await Watchdog.Await(halting, ring);
        Assert.Equal((count, count, 0), (pool.Rented, pool.Returned, pool.Misuses));

        // A ref struct does not live across an await.
        void ClaimAndHalt()
        {
            Producer<Message> producer = Make.Producer(ring);
            Claim<Message> claim = producer.Claim(count);
            foreach (ref Message message in claim) message.Body.Reserve(10);
            Claim<Message> copy = claim;
            halting = ring.HaltAsync();
            SpinWait.SpinUntil(() => ring.State == RingState.Stopped);
            Assert.IsType<RingStoppedException>(Thrown(claim, static late => late.Commit()));
            Assert.IsType<InvalidOperationException>(Thrown(copy, static late => late.Abort()));
            Assert.IsType<InvalidOperationException>(Thrown(copy, static late => late.Commit()));
            copy.Dispose();
        }
    }

    [Fact]
    public void Claim_NothingClaimed_SaysSo()
    {
        (_, _, _, Producer<long> producer) = Build(ProducerKind.Single, inSlot: false);
        Make.PublishRange(producer, 0, 7);
        Assert.Equal(ClaimStatus.Full, producer.TryClaim(1, out Claim<long> claim));
        var thrown = Assert.IsType<ArgumentOutOfRangeException>(Thrown(claim, static none => none.Slot = 1));
        Assert.Contains("look at the status", thrown.Message, StringComparison.Ordinal);
        Assert.IsType<InvalidOperationException>(Thrown(claim, static none => none.Commit()));
        claim.Dispose();
        Assert.Equal((0L, 0), (claim.Sequence, claim.Count));
    }

    [Fact]
    public void Lend_AccessorThrows_ClaimIsGivenUp()
    {
        bool fails = true;
        foreach (ProducerKind kind in (ProducerKind[])[ProducerKind.Single, ProducerKind.Multi])
        {
            var ring = new RingBuffer<Message>(4, new RingOptions<Message>
            {
                Producers = kind,
                MaxProducers = 1,
                Payload = (ref Message message) => ref fails ? ref Fail(ref message) : ref message.Body,
            });
            Stage stage = ring.Subscribe(static (ref Message _) => { }, Make.Stepped());
            Producer<Message> producer = Make.Producer(ring);
            fails = true;
            Assert.Throws<FormatException>(() => producer.Claim().Count);
            fails = false;
            producer.Publish(new Message());
            Assert.Equal(1, Make.StepAll(stage));
        }

        static ref Payload Fail(ref Message message) => throw new FormatException();
    }

    private delegate void ClaimAction<T>(Claim<T> claim);

    private static Exception? Thrown<T>(Claim<T> claim, ClaimAction<T> act)
    {
        try
        {
            act(claim);
            return null;
        }
        catch (Exception thrown)
        {
            return thrown;
        }
    }
}
