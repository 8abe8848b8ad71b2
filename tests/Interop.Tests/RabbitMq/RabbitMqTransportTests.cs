using System.Collections.Concurrent;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>What a transport promises to links, on one node.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqTransportTests
{
    [BrokerFact]
    public async Task OpenSender_QueueDeclaredOtherwise_SaysSo()
    {
        await using var job = new RabbitJob();
        await job.StartSendingAsync();
        await using var other = new RabbitMqTransport(job.At(0) with { MaxQueueBytes = 5000 });
        LinkTransportException refused =
            await Assert.ThrowsAsync<LinkTransportException>(async () => await other.OpenSenderAsync(job.Link));
        Assert.Contains("x-max-length-bytes", refused.Message, StringComparison.Ordinal);
    }

    [BrokerFact]
    public async Task Delete_LinkWithFramesInIt_IsGone()
    {
        await using var job = new RabbitJob(partitions: 2);
        RabbitMqTransport transport = job.Connect();
        await using (IFrameSender sender = await transport.OpenSenderAsync(job.Link))
            Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(1, new byte[10]));
        await transport.DeleteAsync(job.Link);
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        foreach (string queue in new[] { job.Link.QueueOf(0), job.Link.QueueOf(1), job.Link.ParkedQueue })
        {
            await using IChannel channel = await connection.CreateChannelAsync();
            await Assert.ThrowsAsync<OperationInterruptedException>(() => channel.QueueDeclarePassiveAsync(queue));
        }
    }

    [BrokerFact]
    public async Task OpenSender_WrongPassword_SaysSoWithoutIt()
    {
        var options = new RabbitMqOptions { Nodes = BrokerFactAttribute.Nodes, Password = "not-this-secret" };
        await using var transport = new RabbitMqTransport(options);
        LinkTransportException refused = await Assert.ThrowsAsync<LinkTransportException>(
            async () => await transport.OpenSenderAsync(new LinkAddress("test.secret", 1)));
        Assert.DoesNotContain("not-this-secret", refused.ToString(), StringComparison.Ordinal);
    }

    [BrokerFact]
    public async Task Unsubscribe_AFrameIsBeingTaken_CompletesAfterIt()
    {
        await using var job = new RabbitJob(partitions: 1);
        var handler = new Gate();
        IFrameSender sender = await job.Connect().OpenSenderAsync(job.Link);
        IFrameReceiver receiver = await job.Connect().OpenReceiverAsync(job.Link, 10, handler);
        await receiver.SubscribeAsync(0);
        for (int i = 0; i < 5; i++) Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
        await handler.Entered.Task.OrHang();
        Task unsubscribed = receiver.UnsubscribeAsync(0).AsTask();
        // These calls have their turn when the broker has ended the consumer: what is left to wait for is the frame.
        for (int i = 0; i < 10; i++) await receiver.UnsubscribeAsync(1).OrHang();
        Assert.False(unsubscribed.IsCompleted);
        handler.Opened.SetResult();
        await unsubscribed.OrHang();
        int taken = handler.Frames;
        Assert.Equal(taken, handler.FramesBeforeTheEnd);
        Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
        Assert.Equal(taken, handler.Frames);
    }

    [BrokerFact]
    public async Task Subscribe_WhileASessionBegins_IsConsumedOnce()
    {
        await using var job = new RabbitJob(partitions: 2);
        IFrameReceiver? receiver = null;
        List<Task> subscribing = [];
        RabbitMqTransport transport = job.Connect(listener: what =>
        {
            // The channel is known by now, and its consumers are not there yet.
            if (what.Kind == LinkEventKind.Connected && receiver is { } known)
                lock (subscribing) subscribing.Add(known.SubscribeAsync(1).AsTask());
        });
        receiver = await transport.OpenReceiverAsync(job.Link, 10, new Gate());
        await receiver.SubscribeAsync(0);
        // Ends the session: the queue is declared again with the next one.
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        await channel.QueueDeleteAsync(job.Link.QueueOf(0));
        await Broker.Until(
            () =>
            {
                lock (subscribing) return subscribing.Count >= 1 && subscribing.TrueForAll(static one => one.IsCompleted);
            },
            "another session");
        // On a busy machine there may be a third, and it has consumed when its own partition is.
        await ConsumersAsync(channel, job.Link.QueueOf(0), 1);
        // It has its turn behind the session's own consumers. Given up once, nobody has the partition any more.
        await receiver.UnsubscribeAsync(1).OrHang();
        await ConsumersAsync(channel, job.Link.QueueOf(1), 0);
        await ConsumersAsync(channel, job.Link.QueueOf(0), 1);
    }

    [BrokerFact]
    public async Task OnEvent_ListenerIsSlow_IsToldInTheOrderInWhichItHappened()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with { Nodes = [proxy.Node] });
        var told = new ConcurrentQueue<LinkEventKind>();
        var isConnectedAgain = new TaskCompletionSource();
        RabbitMqTransport transport = job.Connect(listener: what =>
        {
            if (what.Kind == LinkEventKind.Disconnected) isConnectedAgain.Task.OrHang().Wait();
            if (what.Kind is LinkEventKind.Disconnected or LinkEventKind.Connected) told.Enqueue(what.Kind);
        });
        IFrameSender sender = await transport.OpenSenderAsync(job.Link);
        proxy.Cut();
        proxy.Mend();
        // The next connection is made, and in use, while its listener is still told of the end of the one before.
        await SendAsync(sender);
        isConnectedAgain.SetResult();
        await Broker.Until(() => told.Count >= 3, "another connection");
        Assert.All(told.Index(), static one => Assert.Equal(one.Index % 2 == 0, one.Item == LinkEventKind.Connected));
    }

    [BrokerFact]
    public async Task OnEvent_ListenerThrows_IsConnectedAgain()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with { Nodes = [proxy.Node] });
        int lost = 0;
        RabbitMqTransport transport = job.Connect(listener: what =>
        {
            if (what.Kind == LinkEventKind.Disconnected) Interlocked.Increment(ref lost);
            throw new FormatException("of the listener");
        });
        IFrameSender sender = await transport.OpenSenderAsync(job.Link);
        Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
        proxy.Cut();
        proxy.Mend();
        await Broker.Until(() => Volatile.Read(ref lost) > 0, "a lost connection");
        await SendAsync(sender);
    }

    [BrokerFact]
    public async Task Send_NoConfirmComes_IsSentAgainOverAnotherConnection()
    {
        await using var proxy = new Proxy();
        // Heartbeats would find it too, much later.
        await using var job = new RabbitJob(partitions: 1, options => options with
        {
            Nodes = [proxy.Node], ConfirmTimeout = TimeSpan.FromSeconds(1), Heartbeat = TimeSpan.FromMinutes(5),
        });
        var told = new ConcurrentQueue<string>();
        IFrameSender sender = await job.Connect(listener: what =>
        {
            if (what.Kind == LinkEventKind.Disconnected) told.Enqueue(what.Detail);
        }).OpenSenderAsync(job.Link);
        await SendAsync(sender);
        told.Clear();
        proxy.Silence();
        Assert.Equal(SendOutcome.Lost, await sender.SendAsync(0, new byte[10]).OrHang());
        await SendAsync(sender);
        await Broker.Until(() => told.Contains("no confirm in 1 s"), "the event");
    }

    private static Task ConsumersAsync(IChannel channel, string queue, uint count) =>
        Broker.Until(() => channel.ConsumerCountAsync(queue).GetAwaiter().GetResult() == count, $"{count} consumers of {queue}");

    // As links do: again until it is there.
    private static async Task SendAsync(IFrameSender sender)
    {
        while (await sender.SendAsync(0, new byte[10]).OrHang() is var outcome and not SendOutcome.Confirmed)
            Assert.True(await sender.WaitToResendAsync(0, outcome, 1).OrHang());
    }

    /// <summary>Takes frames when it is opened.</summary>
    private sealed class Gate : IFrameHandler
    {
        private int _frames;

        public TaskCompletionSource Entered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource Opened { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Frames => Volatile.Read(ref _frames);

        public int FramesBeforeTheEnd { get; private set; } = -1;

        public void OnSession(long session)
        {
        }

        public async ValueTask OnFrameAsync(ReceivedFrame frame)
        {
            Entered.TrySetResult();
            await Opened.Task;
            Interlocked.Increment(ref _frames);
        }

        public ValueTask OnUnsubscribedAsync(int partition)
        {
            FramesBeforeTheEnd = Frames;
            return ValueTask.CompletedTask;
        }
    }
}
