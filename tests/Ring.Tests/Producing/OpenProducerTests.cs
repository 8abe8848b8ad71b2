namespace Raceway.Rings.Tests;

/// <summary>The single producer with its state in registers.</summary>
public sealed class OpenProducerTests
{
    [Fact]
    public void Claim_LoopOverLaps_EveryItemInOrder()
    {
        var ring = Make.Ring(8);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        using (OpenProducer<long> open = producer.Open())
        {
            for (int i = 0; i < 100; i++)
            {
                open.Claim() = i;
                open.Commit();
                if (i % 5 == 4) Make.StepAll(stage);
            }
        }

        producer.Publish(100);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 100), handler.Items);
    }

    [Fact]
    public void Claim_NotCommitted_IsClaimedAgain()
    {
        var ring = Make.Ring(8);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        using (OpenProducer<long> open = producer.Open())
        {
            for (int i = 0; i < 6; i++)
            {
                ref long slot = ref open.Claim();
                slot = i;
                if (i % 2 == 0) open.Commit();
            }

            open.Claim() = 77;
        }

        Assert.Equal(2, ring.Claims.ClaimedThrough);
        producer.Publish(6);
        Make.StepAll(stage);
        Assert.Equal([0, 2, 4, 6], handler.Items);
    }

    [Fact]
    public void Open_ExcludesTheHandle()
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        using (OpenProducer<long> open = producer.Open())
        {
            open.Publish(0);
            Assert.Throws<InvalidOperationException>(() => producer.Publish(1));
            Assert.Throws<InvalidOperationException>(() => producer.TryPublish(1));
            Assert.Throws<InvalidOperationException>(() => producer.Claim().Count);
            Assert.Throws<InvalidOperationException>(() => Ignore(producer.Open()));
            open.Publish(1);
        }

        producer.Publish(2);
        Assert.Equal(3, Make.StepAll(stage));
    }

    [Fact]
    public void Disposed_ClaimOrPublish_IsRefusedAndTouchesNothing()
    {
        var ring = Make.Ring(8);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        OpenProducer<long> open = producer.Open();
        open.Publish(0);
        open.Dispose();
        Assert.IsType<ObjectDisposedException>(Thrown(ref open, static (ref each) => each.Publish(70)));
        Assert.IsType<ObjectDisposedException>(Thrown(ref open, static (ref each) => each.Claim() = 71));
        Assert.IsType<ObjectDisposedException>(Thrown(ref open, static (ref each) => each.Claim(2)));
        Assert.IsType<ObjectDisposedException>(Thrown(ref open, static (ref each) => each.Commit(0)));
        Assert.IsType<ObjectDisposedException>(Thrown(ref open, static (ref each) => each.Commit()));
        open.Dispose();
        // Nor is anything left that a drain would wait for.
        Assert.Equal(0, ring.Claims.ClaimedThrough);
        producer.Publish(1);
        Make.StepAll(stage);
        Assert.Equal([0, 1], handler.Items);
    }

    private delegate void OpenAction(ref OpenProducer<long> open);

    private static Exception? Thrown(ref OpenProducer<long> open, OpenAction act)
    {
        try
        {
            act(ref open);
            return null;
        }
        catch (Exception thrown)
        {
            return thrown;
        }
    }

    [Fact]
    public async Task Publish_AfterAClaimOfSeveral_DrainWaitsUntilItIsGivenBack()
    {
        // Publishing an item announces nothing, and so takes nothing back.
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        Task<DrainResult> draining = DrainMeanwhile();
        Assert.True((await Watchdog.Await(draining, ring)).IsDrained);
        Assert.Equal(0, stage.Position);

        Task<DrainResult> DrainMeanwhile()
        {
            using OpenProducer<long> open = producer.Open();
            open.Claim(3);
            open.Publish(1);
            Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
            Assert.Equal(1, Make.StepAll(stage));
            Assert.Equal((false, 2L), (drain.IsCompleted, ring.Claims.ClaimedThrough));
            return drain;
        }
    }

    [Fact]
    public void Open_WhileAClaimIsOpen_Throws()
    {
        var ring = Make.Ring(8);
        SingleProducer<long> producer = ring.CreateProducer();
        using Claim<long> claim = producer.Claim();
        Assert.Throws<InvalidOperationException>(() => Ignore(producer.Open()));
        Assert.Throws<InvalidOperationException>(() => producer.Publish(1));
        Assert.Throws<InvalidOperationException>(() => producer.Claim().Count);
        Assert.Equal(0, ring.Claims.ClaimedThrough);
    }

    [Fact]
    public async Task Claim_Full_WaitsForRoom()
    {
        var ring = Make.Ring(2);
        var handler = new Summer();
        ring.Subscribe(handler);
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                using OpenProducer<long> open = producer.Open();
                for (int i = 0; i < 5_000; i++) open.Publish(i);
            }),
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal((5_000, 5_000L * 4_999 / 2, true), (handler.Count, handler.Sum, handler.InOrder));
    }

    [Fact]
    public async Task Claim_RingHalted_Throws()
    {
        var ring = Make.Ring(8);
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Throws<RingStoppedException>(() =>
        {
            using OpenProducer<long> open = producer.Open();
            open.Publish(1);
        });
        Assert.Throws<RingStoppedException>(() => producer.Publish(1));
    }

    [Fact]
    public async Task DrainAsync_ClaimOpen_WaitsForItsCommit()
    {
        var ring = Make.Ring(8);
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        Task<DrainResult> draining = DrainWithinAClaim(ring);
        DrainResult result = await Watchdog.Await(draining, ring);
        Assert.Equal((true, 1L), (result.IsDrained, result.Target));
        Assert.Equal([6, 7], handler.Items);
    }

    // A ref struct does not live across an await: the drain begins, and the claim ends, inside here.
    private static Task<DrainResult> DrainWithinAClaim(RingBuffer<long> ring)
    {
        using OpenProducer<long> open = ring.CreateProducer().Open();
        // The first claim looks for room, which announces too; what must be seen is the one on the fast path.
        open.Publish(6);
        ref long slot = ref open.Claim();
        Task<DrainResult> draining = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        Assert.Equal(1, ring.Claims.ClaimedThrough);
        slot = 7;
        open.Commit();
        return draining;
    }

    [Fact]
    public void Dispose_HandleDisposedMeanwhile_StaysDisposed()
    {
        var ring = Make.Ring(8);
        SingleProducer<long> producer = ring.CreateProducer();
        using (OpenProducer<long> open = producer.Open())
        {
            open.Publish(1);
            producer.Dispose();
        }

        Assert.Throws<ObjectDisposedException>(() => producer.Publish(2));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    [InlineData(9)]
    [InlineData(int.MaxValue)]
    public void Claim_CountOutOfRange_ThrowsAndLeavesNothingClaimed(int count)
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        using OpenProducer<long> open = ring.CreateProducer().Open();
        open.Publish(0);
        try
        {
            open.Claim(count);
            Assert.Fail("Claimed.");
        }
        catch (ArgumentOutOfRangeException)
        {
        }

        Assert.Equal(0, ring.Claims.ClaimedThrough);
        open.Commit();
        open.Publish(1);
        Assert.Equal(2, Make.StepAll(stage));
    }

    private static void Ignore(OpenProducer<long> open) => open.Dispose();
}
