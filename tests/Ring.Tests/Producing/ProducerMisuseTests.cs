namespace Raceway.Rings.Tests;

/// <summary>What producers refuse, and that a refusal disturbs nobody.</summary>
public sealed class ProducerMisuseTests
{
    [Fact]
    public void Publish_DefaultLiteral_IsAnItemAndNoEmptySpan()
    {
        RingBuffer<long> ring = Make.Ring(8);
        Make.Producer(ring).Publish(default);
        Assert.Equal(1, ring.Backlog);
    }

    [Fact]
    public void CreateProducer_Second_IsRefusedUntilTheFirstIsDisposed()
    {
        var ring = Make.Ring();
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> first = ring.CreateProducer();
        first.Publish(1);
        Assert.Throws<InvalidOperationException>(ring.CreateProducer);
        first.Dispose();
        first.Dispose();
        SingleProducer<long> second = ring.CreateProducer();
        second.Publish(2);
        Assert.Throws<ObjectDisposedException>(() => first.Publish(3));
        second.Publish(4);
        Make.StepAll(stage);
        Assert.Equal([1, 2, 4], handler.Items);
    }

    [Fact]
    public void Create_WrongKind_IsRefused()
    {
        Assert.Throws<InvalidOperationException>(() => Make.Ring().CreateMultiProducer());
        Assert.Throws<InvalidOperationException>(() => Make.Ring(8, ProducerKind.Multi).CreateProducer());
    }

    [Fact]
    public void CreateMultiProducer_TooMany_IsRefusedUntilOneIsDisposed()
    {
        var ring = Make.Ring(8, ProducerKind.Multi, maxProducers: 2);
        MultiProducer<long> first = ring.CreateMultiProducer();
        _ = ring.CreateMultiProducer();
        Assert.Throws<InvalidOperationException>(ring.CreateMultiProducer);
        first.Dispose();
        Assert.NotNull(ring.CreateMultiProducer());
        Assert.Throws<InvalidOperationException>(ring.CreateMultiProducer);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void CheckProducer_SecondThread_IsRefused(ProducerKind kind)
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { Producers = kind, CheckProducer = true, MaxProducers = 2 });
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        foreach (Action use in new Action[]
        {
            () => producer.Publish(9), () => producer.TryPublish(9), () => producer.Claim().Commit(),
        })
        {
            Exception? thrown = null;
            var other = new Thread(() => thrown = Record.Exception(use));
            other.Start();
            Assert.True(other.Join(TimeSpan.FromMinutes(1)));
            Assert.IsType<InvalidOperationException>(thrown);
        }

        producer.Publish(2);
        Make.StepAll(stage);
        Assert.Equal([1, 2], handler.Items);
    }

    [Fact]
    public async Task ReleaseThread_HandedOver_NewThreadMayPublish()
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { CheckProducer = true });
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(1);
        producer.ReleaseThread();
        using var published = new ManualResetEventSlim();
        using var refused = new ManualResetEventSlim();
        // The new owner stays alive meanwhile: the runtime gives the id of an ended thread to the next one.
        Task<Exception?> owner = Watchdog.RunThread(() =>
        {
            try
            {
                producer.Publish(2);
            }
            finally
            {
                published.Set();
            }

            refused.Wait();
        }).Ended;
        published.Wait();
        Assert.Throws<InvalidOperationException>(() => producer.Publish(3));
        refused.Set();
        Assert.Null(await Watchdog.Await(owner));
    }

    [Fact]
    public void RefusedPublish_UnderAnOpenClaim_LeavesTheClaimAnnounced()
    {
        var ring = Make.Ring();
        SingleProducer<long> producer = ring.CreateProducer();
        using Claim<long> claim = producer.Claim(3);
        Assert.Throws<InvalidOperationException>(() => producer.Publish(1));
        Assert.Equal(2, ring.Claims.ClaimedThrough);
    }

    [Fact]
    public void RefusedPublish_OfADisposedHandle_LeavesTheOthersClaimAnnounced()
    {
        var ring = Make.Ring();
        SingleProducer<long> first = ring.CreateProducer();
        first.Publish(0);
        first.Dispose();
        SingleProducer<long> second = ring.CreateProducer();
        using Claim<long> claim = second.Claim(3);
        Assert.Throws<ObjectDisposedException>(() => first.Publish(1));
        Assert.Equal(3, ring.Claims.ClaimedThrough);
    }

    [Fact]
    public void Dispose_WithAnOpenClaim_StaysDisposedAfterTheCommit()
    {
        var ring = Make.Ring();
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(0);
        using (Claim<long> claim = producer.Claim())
        {
            producer.Dispose();
            claim.Commit();
        }

        Assert.Throws<ObjectDisposedException>(() => producer.Publish(1));
        Assert.Throws<ObjectDisposedException>(() => producer.TryPublish(1));
    }

    [Fact]
    public void Publish_NullWriter_Throws()
    {
        SingleProducer<long> producer = Make.Ring().CreateProducer();
        Assert.Throws<ArgumentNullException>(() => producer.Publish(1, null!));
        Assert.Throws<ArgumentNullException>(() => producer.TryPublish(1, null!));
        Assert.Throws<ArgumentNullException>(() => producer.PublishPayload([], 1, null!));
        Assert.Throws<InvalidOperationException>(
            () => producer.PublishPayload([], 1, static (ref long _, int _) => { }));
    }

    [Fact]
    public void Subscribe_Nulls_Throw()
    {
        var ring = Make.Ring();
        Assert.Throws<ArgumentNullException>(() => ring.Subscribe((IBatchHandler<long>)null!));
        Assert.Throws<ArgumentNullException>(() => ring.Subscribe((IEventHandler<long>)null!));
        Assert.Throws<ArgumentNullException>(() => ring.Subscribe((SlotAction<long>)null!));
        Assert.Throws<ArgumentNullException>(() => ring.Subscribe((IAsyncBatchHandler<long>)null!));
        Assert.ThrowsAny<ArgumentException>(() => ring.Subscribe(new Recorder(), new StageOptions { After = null! }));
        Assert.ThrowsAny<ArgumentException>(() => ring.Subscribe(new Recorder(), new StageOptions { Dispatch = null! }));
        Assert.Empty(ring.Stages);
    }

    [Theory]
    [InlineData(-2)]
    [InlineData(-1_000_000)]
    public void Subscribe_NegativeTimeouts_Throw(long ticks)
    {
        var ring = Make.Ring();
        TimeSpan negative = TimeSpan.FromTicks(ticks);
        Assert.ThrowsAny<ArgumentException>(() => ring.Subscribe(new Recorder(), new StageOptions { IdleTimeout = negative }));
        Assert.ThrowsAny<ArgumentException>(
            () => ring.Subscribe(new Recorder(), new StageOptions { HandlerTimeout = negative }));
    }
}
