using Raceway.Interop.Distributed;

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
