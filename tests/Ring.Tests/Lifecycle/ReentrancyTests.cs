namespace Raceway.Rings.Tests;

/// <summary>Handlers that publish into their own ring.</summary>
public sealed class ReentrancyTests
{
    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Publish_RingFull_ThrowsAtOnceAndTryPublishSaysFull(ProducerKind kind)
    {
        var ring = Make.Ring(4, kind);
        Producer<long> producer = Make.Producer(ring);
        ClaimStatus tried = ClaimStatus.Done;
        List<Type?> thrown = [];
        Stage stage = ring.Subscribe(
            new BatchLambda<long>(_ =>
            {
                tried = producer.TryPublish(8);
                thrown.Add(Record.Exception(() => producer.Publish(8))?.GetType());
                thrown.Add(Record.Exception(() => producer.Claim(2).Abort())?.GetType());
                thrown.Add(Record.Exception(() => producer.TryClaim(1, TimeSpan.FromDays(1), out Claim<long> _))?.GetType());
            }),
            Make.Stepped());
        Make.PublishRange(producer, 0, 3);
        stage.Step();
        Assert.Equal(ClaimStatus.Full, tried);
        Assert.Equal(3, thrown.Count);
        Assert.All(thrown, type => Assert.Equal(typeof(ReentrantPublishException), type));
        Assert.Equal(3, ring.Claims.ClaimedThrough);
        // Outside the handler the same thread may wait again.
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(4));
    }

    [Fact]
    public void Publish_RoomThere_IsAllowed()
    {
        var ring = Make.Ring(8);
        SingleProducer<long> producer = ring.CreateProducer();
        List<long> seen = [];
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                seen.Add(item);
                if (item > 0) producer.Publish(item - 1);
            }),
            Make.Stepped());
        producer.Publish(20);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 20).Reverse(), seen);
    }

    [Fact]
    public async Task Publish_AsyncHandlerAfterAwaiting_ThrowsAtOnce()
    {
        var ring = Make.Ring(2);
        SingleProducer<long> producer = ring.CreateProducer();
        Exception? thrown = null;
        ring.Subscribe(new AsyncLambda<long>(async (_, _) =>
        {
            await Task.Yield();
            thrown ??= Record.Exception(() => producer.Publish(9));
        }));
        Make.PublishRange(producer, 0, 1);
        ring.Start();
        await Watchdog.UntilAsync(() => Volatile.Read(ref thrown) is not null, ring);
        Assert.IsType<ReentrantPublishException>(thrown);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
    }

    [Fact]
    public async Task Publish_IntoAnotherFullRing_Waits()
    {
        var source = Make.Ring(4);
        var sink = Make.Ring(2);
        var received = new Summer();
        sink.Subscribe(received);
        SingleProducer<long> onward = sink.CreateProducer();
        source.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => onward.Publish(item)));
        source.Start();
        SingleProducer<long> producer = source.CreateProducer();
        Task publishing = Watchdog.Run(() => Make.PublishRange(producer, 0, 199));
        await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(sink) || Peek.IsProducerAsleep(source), source);
        sink.Start();
        await Watchdog.Await(publishing, source);
        Assert.True((await Watchdog.Await(source.DrainAsync(Timeout.InfiniteTimeSpan), source)).IsDrained);
        Assert.True((await Watchdog.Await(sink.DrainAsync(Timeout.InfiniteTimeSpan), sink)).IsDrained);
        Assert.Equal((200, true), (received.Count, received.InOrder));
    }

    // The outer handler waits for the inner one, which would wait for room that only the outer one can bring.
    [Fact]
    public async Task Publish_ByAHandlerThatAnotherRingsHandlerSteps_ThrowsAtOnce()
    {
        RingBuffer<long> outer = Make.Ring(2), inner = Make.Ring(2);
        Producer<long> back = Make.Producer(outer), onward = Make.Producer(inner);
        List<Type?> thrown = [];
        Stage behind = inner.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) => thrown.Add(Record.Exception(() => back.Publish(9))?.GetType())),
            Make.Stepped());
        Stage stage = outer.Subscribe(
            new BatchLambda<long>(_ =>
            {
                behind.Step();
                thrown.Add(Record.Exception(() => back.Publish(9))?.GetType());
            }),
            Make.Stepped());
        Make.PublishRange(back, 0, 1);
        onward.Publish(0);

        bool isHandlerStill = false;
        await Watchdog.Run(() =>
        {
            stage.Step();
            // Of this thread: it has left both handlers.
            isHandlerStill = Reentrancy.IsHandlerOf(outer.Family) || Reentrancy.IsHandlerOf(inner.Family);
        }).OrHang();

        Assert.Equal([typeof(ReentrantPublishException), typeof(ReentrantPublishException)], thrown);
        Assert.False(isHandlerStill);
    }
}
