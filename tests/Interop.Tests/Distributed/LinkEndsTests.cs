using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>The threads of a link's two ends, and what is said when one of them has been disposed of.</summary>
public sealed class LinkEndsTests
{
    [Fact]
    public async Task OnFrame_OfASecondThread_IsTakenAsWell()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        Exception? thrown = null;
        var other = new Thread(() => thrown = Record.Exception(() => receiving.Deliver(1, 2, FrameOf(1, 11)).AsTask().Wait()));
        other.Start();
        other.Join();
        Assert.Null(thrown);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11], receiving.Items);
        Assert.Equal(0, receiving.Source.Statistics.Unacknowledged);
    }

    [Fact]
    public async Task Sender_DisposedWithItemsOnTheirWay_FailsItsStage()
    {
        // The queue takes one frame, and no other while that is there.
        var broker = new InMemoryBroker(new InMemoryBrokerOptions { MaxQueueBytes = 1 });
        LinkSender<Keyed> sender = await LinkSender<Keyed>.OpenAsync<int>(
            broker.Connect(), new LinkAddress("test.ends", 1), Keyed.Codec, Keyed.KeyOf, new LinkOptions { FrameLength = 256 });
        await using Pipeline<Keyed> sending = Pipeline.Of<Keyed>(64).Stage("send", sender, Dispatch.Batch(max: 64)).Run();
        using SingleProducer<Keyed> producer = sending.CreateProducer();
        for (int i = 0; i < 64; i++) producer.Publish(Keyed.At(i, 10));
        await Watchdog.UntilAsync(() => sender.Statistics.Refused > 0, "a refusal");
        await sender.DisposeAsync();
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => sending.Completion.OrHang());
        Assert.Contains("link='test.ends'", Assert.IsType<ObjectDisposedException>(fault.InnerException).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Start_SourceIsDisposed_OpensNothingThatStays(bool isDisposedMeanwhile)
    {
        var source = new LinkSource<Keyed>(Link, Keyed.Codec);
        await using Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(64).Stage("ack", source.Acknowledger).Run(Plan.Manual);
        var port = new ReceivingPort();
        if (isDisposedMeanwhile) port.Opening = source.DisposeAsync;
        else await source.DisposeAsync();
        ObjectDisposedException refused =
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await source.StartAsync(port, pipeline));
        Assert.Contains("link='test.link'", refused.Message, StringComparison.Ordinal);
        Assert.Equal(isDisposedMeanwhile, port.Handler is not null);
        Assert.Equal(isDisposedMeanwhile, port.IsDisposed);
    }

    [Fact]
    public async Task Subscribe_SourceIsDisposed_SaysSo()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Source.DisposeAsync();
        ObjectDisposedException refused =
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await receiving.Source.SubscribeAsync([0]));
        Assert.Contains("takes nothing more", refused.Message, StringComparison.Ordinal);
    }
}
