using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using RabbitMQ.Client;
using Xunit.Abstractions;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>The short set: one node, about a minute.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqTests(ITestOutputHelper output)
{
    [BrokerFact]
    public async Task Link_TwoWorkers_WriteEveryItemOnceInOrder()
    {
        await using var job = new RabbitJob();
        await job.StartSendingAsync();
        RabbitWorker one = await job.StartWorkerAsync();
        RabbitWorker two = await job.StartWorkerAsync();
        await job.FeedAsync(100_000);
        await job.FinishAsync(100_000);
        Assert.Equal(100_000, job.Sink.Writes);
        Assert.Equal(0, one.Source.Statistics.Gaps + two.Source.Statistics.Gaps + one.Source.Statistics.Parked);
        Assert.InRange(one.Source.Statistics.MostUnacknowledged, 0, 4 * 4);
        output.WriteLine($"{job.Sender.Statistics}; {one.Source.Statistics}");
    }

    [BrokerFact]
    public async Task Link_WorkerDiesWithFramesNotAcknowledged_OtherHandlesThem()
    {
        await using var job = new RabbitJob();
        await job.StartSendingAsync();
        RabbitWorker one = await job.StartWorkerAsync();
        RabbitWorker two = await job.StartWorkerAsync();
        Task feeding = job.FeedAsync(200_000);
        await Broker.Until(() => job.Sink.Writes > 20_000, "20,000 items");
        await one.DieAsync();
        await feeding;
        await job.FinishAsync(200_000);
        Assert.Equal(0, job.Sink.Repeated());
        Assert.True(two.Source.Statistics.Items > 0);
        output.WriteLine($"written twice and fenced: {job.Sink.Fenced}; {two.Source.Statistics}");
    }

    [BrokerFact]
    public async Task Link_AllConnectionsClosedByTheBroker_LosesNothing()
    {
        await using var job = new RabbitJob();
        await job.StartSendingAsync();
        RabbitWorker worker = await job.StartWorkerAsync();
        Task feeding = job.FeedAsync(300_000);
        for (int round = 1; round <= 2; round++)
        {
            int reached = round * 50_000;
            await Broker.Until(() => job.Sink.Writes > reached, $"{reached} items");
            Broker.Run("ctl", "1", "close_all_connections", "test");
        }

        await feeding;
        await job.FinishAsync(300_000);
        Assert.Equal(0, job.Sink.Repeated());
        Assert.True(worker.Source.Statistics.Sessions >= 2);
        output.WriteLine($"{job.Sender.Statistics}; {worker.Source.Statistics}");
    }

    [BrokerFact]
    public async Task Link_HostileFrames_AreParkedAndTheRestIsHandled()
    {
        await using var job = new RabbitJob(partitions: 2);
        await job.StartSendingAsync();
        RabbitWorker worker = await job.StartWorkerAsync();
        await job.FeedAsync(1000);
        await using (IConnection connection = await Factory().CreateConnectionAsync())
        await using (IChannel channel = await connection.CreateChannelAsync())
        {
            var random = new Random(1);
            for (int i = 0; i < 50; i++)
            {
                var body = new byte[random.Next(2000)];
                random.NextBytes(body);
                await channel.BasicPublishAsync("", job.Link.QueueOf(i % 2), body);
            }

            await job.FeedAsync(2000);
            await job.FinishAsync(2000);
            await Broker.Until(
                () => channel.MessageCountAsync(job.Link.ParkedQueue).GetAwaiter().GetResult() == 50, "50 parked frames");
        }

        Assert.Equal(50, worker.Source.Statistics.Parked);
        Assert.Equal(2000, job.Sink.Writes);
    }

    [BrokerFact]
    public async Task Link_QueueFull_PushesBackIntoTheRingAndGoesOnWithoutALoss()
    {
        await using var job = new RabbitJob(partitions: 1, options => options with { MaxQueueBytes = 20_000 });
        await job.StartSendingAsync();
        Task feeding = job.FeedAsync(50_000);
        await Broker.Until(() => job.Sender.Statistics.Refused > 3, "refusals");
        Assert.True(job.Fed < 50_000);
        await job.StartWorkerAsync();
        await feeding;
        await job.FinishAsync(50_000);
        Assert.Equal(0, job.Sink.Repeated());
        output.WriteLine($"{job.Sender.Statistics}");
    }

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
        await using IConnection connection = await Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        await receiver.SubscribeAsync(0);
        for (int i = 0; i < 5; i++) Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
        await handler.Entered.Task.OrHang();
        Task unsubscribed = receiver.UnsubscribeAsync(0).AsTask();
        await Broker.Until(
            () => channel.ConsumerCountAsync(job.Link.QueueOf(0)).GetAwaiter().GetResult() == 0, "the broker's end of the consumer");
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
        await using IConnection connection = await Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        await channel.QueueDeleteAsync(job.Link.QueueOf(0));
        await Broker.Until(
            () =>
            {
                lock (subscribing) return subscribing.Count == 1 && subscribing[0].IsCompleted;
            },
            "another session");
        // It has its turn behind the session's own consumers. Given up once, nobody has the partition any more.
        await receiver.UnsubscribeAsync(1).OrHang();
        Assert.Equal(0u, await channel.ConsumerCountAsync(job.Link.QueueOf(1)));
        Assert.Equal(1u, await channel.ConsumerCountAsync(job.Link.QueueOf(0)));
    }

    [BrokerFact]
    public async Task Link_BrokerOutOfReachForAWhile_IsToldOfAndGoesOn()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 2, options => options with { Nodes = [proxy.Node] });
        await job.StartSendingAsync();
        await job.StartWorkerAsync();
        Task feeding = job.FeedAsync(50_000);
        await Broker.Until(() => job.Sink.Writes > 5000, "some items");
        proxy.Cut();
        await Broker.Until(() => job.Told(LinkEventKind.Unreachable) >= 2, "both sides say that the broker is out of reach");
        proxy.Mend();
        await feeding;
        await job.FinishAsync(50_000);
        Assert.Equal(0, job.Sink.Repeated());
        Assert.True(job.Told(LinkEventKind.Connected) >= 4, $"{job.Told(LinkEventKind.Connected)}");
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
        while (await sender.SendAsync(0, new byte[10]).OrHang() is var outcome and not SendOutcome.Confirmed)
            Assert.True(await sender.WaitToResendAsync(0, outcome, 1).OrHang());
    }

    [BrokerFact]
    public async Task Link_FrameThatEndsItsWorkers_IsParkedAtItsLimitAndTheRestIsHandled()
    {
        // One frame at a time: others that were delivered with it would be counted too.
        await using var job = new RabbitJob(partitions: 1, options => options with { DeliveryLimit = 2 });
        var poison = Keyed.At(7777, RabbitJob.Keys);
        await job.StartSendingAsync();
        await job.FeedAsync(10_000);
        await using IConnection connection = await Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        int ended = 0;
        while (true)
        {
            RabbitWorker worker = await job.StartWorkerAsync(prefetch: 1, poison: poison);
            await Broker.Until(() => worker.Pipeline.Completion.IsCompleted || Parked() == 1, "a worker's end, or a parked frame");
            if (!worker.Pipeline.Completion.IsCompleted) break;
            ended++;
            await worker.DieAsync();
        }

        // The first delivery, and as many again as its limit says.
        Assert.InRange(ended, 2, 4);
        BasicGetResult? parked = await channel.BasicGetAsync(job.Link.ParkedQueue, autoAck: true);
        Assert.Equal(FrameError.None, FrameHeader.Open(parked!.Body.Span, 1024 * 1024, out FrameHeader header));
        List<Keyed> lost = [];
        for (int i = 0, at = FrameHeader.Size; i < header.Count; i++)
            lost.Add(MemoryMarshal.Read<Keyed>(FrameItems.Next(parked.Body.Span, header.ItemLength, ref at)));
        lost.RemoveRange(0, lost.IndexOf(poison));
        // What was before it in its frame is written, once; what is behind it is in the parked frame.
        await Broker.Until(() => job.Sink.Missing(10_000).Count == lost.Count && job.Sending.Backlog == 0, "the rest");
        Assert.Equal(lost.ToHashSet(), job.Sink.Missing(10_000).ToHashSet());
        Assert.Equal(0, job.Sink.Repeated());

        uint Parked() => channel.MessageCountAsync(job.Link.ParkedQueue).GetAwaiter().GetResult();
    }

    private static ConnectionFactory Factory()
    {
        string[] node = BrokerFactAttribute.Nodes[0].Split(':');
        return new ConnectionFactory { HostName = node[0], Port = int.Parse(node[1], null) };
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
