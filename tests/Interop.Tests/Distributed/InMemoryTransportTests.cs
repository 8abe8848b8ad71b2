using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>What the transport in memory promises to its users, beside what sweeps show.</summary>
public sealed class InMemoryTransportTests
{
    [Fact]
    public async Task InMemory_HandlerThrows_TheNextFrameComes()
    {
        var link = new LinkAddress("test.throws", 1);
        var broker = new InMemoryBroker();
        var handler = new Counting { ThrowsAt = 1 };
        await using InMemoryTransport transport = broker.Connect();
        IFrameReceiver receiver = await transport.OpenReceiverAsync(link, 8, handler);
        await receiver.SubscribeAsync(0);
        IFrameSender sender = await transport.OpenSenderAsync(link);
        for (int i = 0; i < 3; i++) Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]).OrHang());
        await Watchdog.UntilAsync(() => handler.Frames == 3, "three frames");
    }

    [Fact]
    public async Task Unsubscribe_AFrameIsBeingTaken_CanBeGivenUp()
    {
        var link = new LinkAddress("test.unsubscribes", 1);
        var broker = new InMemoryBroker();
        var busy = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var handler = new Counting { Busy = busy.Task };
        await using InMemoryTransport transport = broker.Connect();
        IFrameReceiver receiver = await transport.OpenReceiverAsync(link, 8, handler);
        await receiver.SubscribeAsync(0);
        IFrameSender sender = await transport.OpenSenderAsync(link);
        Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]).OrHang());
        await Watchdog.UntilAsync(() => handler.Frames == 1, "a frame");
        using var giveUp = new CancellationTokenSource();
        Task unsubscribed = receiver.UnsubscribeAsync(0, giveUp.Token).AsTask();
        Assert.False(unsubscribed.IsCompleted);
        await giveUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => unsubscribed.OrHang());
        // The partition is given up all the same, once the frame is taken.
        busy.SetResult();
        await Watchdog.UntilAsync(() => handler.Ends == 1, "its end");
    }

    [Fact]
    public async Task OpenSender_AnotherOfItsProducerAndEpochLives_IsRefusedUntilThatEnds()
    {
        var link = new LinkAddress("test.lease", 1);
        var broker = new InMemoryBroker();
        var producer = new LinkProducer("feed", 5);
        IFrameSender first = await broker.Connect().OpenSenderAsync(link, producer);
        await Refused(producer);
        await Refused(producer with { Epoch = 4 });
        await broker.Connect().OpenSenderAsync(link, producer with { Name = "other" });
        Assert.Equal(SendOutcome.Confirmed, await first.SendAsync(0, new byte[10]).OrHang());
        await first.DisposeAsync();
        await broker.Connect().OpenSenderAsync(link, producer);

        async Task Refused(LinkProducer asked)
        {
            LinkTransportException refused = await Assert.ThrowsAsync<LinkTransportException>(
                async () => await broker.Connect().OpenSenderAsync(link, asked));
            Assert.Contains($"producer='feed', epoch={asked.Epoch}", refused.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task OpenSender_OfANewerEpoch_EndsTheOlder()
    {
        var link = new LinkAddress("test.lease", 1);
        var broker = new InMemoryBroker();
        IFrameSender older = await broker.Connect().OpenSenderAsync(link, new LinkProducer("feed", 5));
        IFrameSender newer = await broker.Connect().OpenSenderAsync(link, new LinkProducer("feed", 6));
        Assert.Equal(SendOutcome.Fenced, await older.SendAsync(0, new byte[10]).OrHang());
        Assert.True(await older.WaitToResendAsync(0, SendOutcome.Lost, 1).OrHang());
        Assert.Equal(SendOutcome.Confirmed, await newer.SendAsync(0, new byte[10]).OrHang());
        Assert.Equal(1, broker.Stored);
    }

    [Fact]
    public async Task Connect_LeaseTakenMeanwhile_IsFenced()
    {
        var link = new LinkAddress("test.lease", 1);
        var broker = new InMemoryBroker(new InMemoryBrokerOptions { IsStepped = true });
        var producer = new LinkProducer("feed", 5);
        InMemoryTransport transport = broker.Connect();
        IFrameSender first = await transport.OpenSenderAsync(link, producer);
        transport.Disconnect();
        await broker.Connect().OpenSenderAsync(link, producer);
        Task<bool> resend = first.WaitToResendAsync(0, SendOutcome.Lost, 1).AsTask();
        while (broker.Movable > 0) broker.Move(0);
        Assert.True(await resend.OrHang());
        Assert.Equal(SendOutcome.Fenced, await first.SendAsync(0, new byte[10]).OrHang());
    }

    [Fact]
    public async Task Send_AnotherSenderHasTheLease_StageFailsAndItIsToldOf()
    {
        var link = new LinkAddress("test.lease", 2);
        var broker = new InMemoryBroker();
        List<LinkEvent> events = [];
        var options = new LinkOptions
        {
            Producer = "feed", Epoch = 5, OnEvent = one =>
            {
                lock (events) events.Add(one);
            },
        };
        LinkSender<Keyed> older = await LinkSender<Keyed>.OpenAsync<int>(
            broker.Connect(), link, Keyed.Codec, Keyed.KeyOf, options);
        await using Pipeline<Keyed> sending = Pipeline.Of<Keyed>(64).Stage("send", older, Dispatch.Batch(max: 64)).Run();
        using SingleProducer<Keyed> producer = sending.CreateProducer();
        producer.Publish(Keyed.At(0, 10));
        await Watchdog.UntilAsync(() => sending.Backlog == 0, "a confirm");
        _ = await LinkSender<Keyed>.OpenAsync<int>(
            broker.Connect(), link, Keyed.Codec, Keyed.KeyOf, options with { Epoch = 6 });
        producer.Publish(Keyed.At(1, 10));
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => sending.Completion.OrHang());
        Assert.Contains("producer='feed', epoch=5", $"{fault.InnerException}", StringComparison.Ordinal);
        // The thread that was refused tells of it, perhaps after the stage has failed.
        LinkEvent[] fenced = [];
        await Watchdog.UntilAsync(() => (fenced = Fenced()).Length > 0, "an event");
        Assert.Equal("producer 'feed', epoch 5", Assert.Single(fenced).Detail);

        LinkEvent[] Fenced()
        {
            lock (events) return [.. events.Where(static one => one.Kind == LinkEventKind.Fenced)];
        }
    }

    [Fact]
    public void Producer_ByDefault_IsAnotherOfEachOptions() =>
        Assert.NotEqual(new LinkOptions().Producer, new LinkOptions().Producer);

    private sealed class Counting : IFrameHandler
    {
        private int _frames;
        private int _ends;

        public int Frames => Volatile.Read(ref _frames);

        public int ThrowsAt { get; init; }

        /// <summary>A frame is taken when this is over.</summary>
        public Task Busy { get; init; } = Task.CompletedTask;

        public int Ends => Volatile.Read(ref _ends);

        public void OnSession(long session)
        {
        }

        public ValueTask OnFrameAsync(ReceivedFrame frame) =>
            Interlocked.Increment(ref _frames) == ThrowsAt ? throw new FormatException("of the handler") : new ValueTask(Busy);

        public ValueTask OnUnsubscribedAsync(int partition)
        {
            Interlocked.Increment(ref _ends);
            return ValueTask.CompletedTask;
        }
    }
}
