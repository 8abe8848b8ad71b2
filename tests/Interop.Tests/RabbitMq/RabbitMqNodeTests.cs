using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>Nodes that take a connection and say nothing, as one that is paused, and queues that are gone.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqNodeTests
{
    private static readonly LinkAddress s_link = new("test.hung", 1);

    [Fact]
    public async Task OpenSender_AllNodesHang_SaysSoWithinTheLimit()
    {
        using TcpListener one = Hanging();
        using TcpListener two = Hanging();
        var options = new RabbitMqOptions { Nodes = [NodeOf(one), NodeOf(two)], ConnectTimeout = TimeSpan.FromMilliseconds(200), OpenTimeout = TimeSpan.FromSeconds(10) };
        await using var transport = new RabbitMqTransport(options);
        LinkTransportException refused =
            await Assert.ThrowsAsync<LinkTransportException>(async () => await transport.OpenSenderAsync(s_link).OrHang());
        Assert.Contains(NodeOf(one), refused.Message, StringComparison.Ordinal);
        Assert.Contains("openTimeout=00:00:10", refused.Message, StringComparison.Ordinal);
        Assert.Contains($"{NodeOf(two)}: TimeoutException", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task OpenSender_LimitIsShorterThanTheNodesTake_EndsByIt()
    {
        TcpListener[] nodes = [.. Enumerable.Range(0, 20).Select(_ => Hanging())];
        await using var transport = new RabbitMqTransport(new RabbitMqOptions
        {
            Nodes = [.. nodes.Select(NodeOf)],
            ConnectTimeout = TimeSpan.FromMilliseconds(400),
            OpenTimeout = TimeSpan.FromMilliseconds(500),
        });
        LinkTransportException refused =
            await Assert.ThrowsAsync<LinkTransportException>(async () => await transport.OpenSenderAsync(s_link).OrHang());
        Assert.Contains("openTimeout=00:00:00.5", refused.Message, StringComparison.Ordinal);
        foreach (TcpListener one in nodes) one.Dispose();
    }

    // Which of the two comes first is the system's choice.
    [Fact]
    public async Task OpenSender_LimitAndANodesTimeAreUpTogether_SaysTheLimit()
    {
        using TcpListener node = Hanging();
        var time = TimeSpan.FromMilliseconds(200);
        LinkTransportException[] refusals = await Task.WhenAll(Enumerable.Range(0, 40).Select(async _ =>
        {
            await using var transport = new RabbitMqTransport(new RabbitMqOptions { Nodes = [NodeOf(node)], ConnectTimeout = time, OpenTimeout = time });
            return await Assert.ThrowsAsync<LinkTransportException>(async () => await transport.OpenSenderAsync(s_link).OrHang());
        }));
        Assert.All(refusals, static refused => Assert.Contains("openTimeout=00:00:00.2", refused.Message, StringComparison.Ordinal));
    }

    [BrokerFact]
    public async Task OpenSender_OneNodeHangs_ConnectsToAnotherEachTime()
    {
        using TcpListener hung = Hanging();
        await using var job = new RabbitJob(partitions: 1, options => options with
        {
            // A live node that takes longer, on a machine that stands still, is tried again.
            Nodes = [NodeOf(hung), .. options.Nodes], ConnectTimeout = TimeSpan.FromSeconds(2),
        });
        int told = 0;
        for (int i = 0; i < 10; i++)
        {
            await using RabbitMqTransport transport = job.Connect(
                listener: what => told += what.Kind == LinkEventKind.Connected ? 1 : 0);
            IFrameSender sender = await transport.OpenSenderAsync(job.Link).OrHang();
            Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
        }

        Assert.Equal(10, told);
    }

    // As on a machine that stands still for seconds.
    [BrokerFact]
    public async Task OpenSender_NodeIsLateOnce_IsTriedAgainWithinTheLimit()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with
        {
            Nodes = [proxy.Node], ConnectTimeout = TimeSpan.FromMilliseconds(500),
        });
        proxy.Hang();
        Task<IFrameSender> opening = job.Connect().OpenSenderAsync(job.Link).AsTask();
        await Broker.Until(() => proxy.Hung >= 2 || opening.IsCompleted, "a second attempt");
        proxy.Mend();
        IFrameSender sender = await opening.OrHang();
        Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]).OrHang());
    }

    [BrokerFact]
    public async Task Reconnect_NodeHangs_SaysUnreachableAgainAndAgainThenGoesOn()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with
        {
            Nodes = [proxy.Node], ConnectTimeout = TimeSpan.FromSeconds(1),
        });
        await job.StartSendingAsync();
        await job.StartWorkerAsync();
        await job.FeedAsync(1000);
        await job.FinishAsync(1000);
        proxy.Hang();
        await Broker.Until(() => job.Told(LinkEventKind.Unreachable) >= 4, "rounds of both sides");
        Assert.True(proxy.Hung >= 4, $"{proxy.Hung}");
        proxy.Mend();
        await job.FeedAsync(2000);
        await job.FinishAsync(2000);
        Assert.Equal(0, job.Sink.Repeated());
    }

    [BrokerFact]
    public async Task Send_QueueDeletedMeanwhile_IsDeclaredAgain()
    {
        await using var job = new RabbitJob(partitions: 2);
        await job.StartSendingAsync();
        RabbitWorker worker = await job.StartWorkerAsync();
        await job.FeedAsync(1000);
        await job.FinishAsync(1000);
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        for (int round = 2; round <= 4; round++)
        {
            // The worker declares both again once its own queue is gone: that one is the last to go.
            await channel.QueueDeleteAsync(job.Link.ParkedQueue);
            await channel.QueueDeleteAsync(job.Link.QueueOf(round % 2));
            await job.FeedAsync(1000 * round);
            await job.FinishAsync(1000 * round);
            // It throws if the queue is not there.
            await channel.QueueDeclarePassiveAsync(job.Link.ParkedQueue);
        }

        Assert.Equal(0, worker.Source.Statistics.Gaps);
    }

    // Nothing but the news tells it: the queue that is deleted is not one that it consumes.
    [BrokerFact]
    public async Task Send_QueueDeletedMeanwhile_ReceiversOfOtherQueuesConnectAgain()
    {
        await using var job = new RabbitJob(partitions: 2);
        var handler = new Sessions();
        IFrameSender sender = await job.Connect().OpenSenderAsync(job.Link);
        IFrameReceiver receiver = await job.Connect().OpenReceiverAsync(job.Link, 10, handler);
        await receiver.SubscribeAsync(1);
        Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
        long before = handler.Last;
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        await channel.QueueDeleteAsync(job.Link.QueueOf(0));

        await Broker.Until(
            () => sender.SendAsync(0, new byte[10]).AsTask().GetAwaiter().GetResult() == SendOutcome.Confirmed, "the queue again");
        await Broker.Until(() => handler.Last > before, "another session of the receiver");
        Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(1, new byte[10]));
        await handler.Arrived.Task.OrHang();
    }

    // A side that finds a deletion later than others, or hears of it later, tells of what is mended.
    [BrokerFact]
    public async Task Tell_DeletionFoundBeforeTheQueuesWereDeclared_ReceiverGoesOn()
    {
        await using var job = new RabbitJob(partitions: 1);
        var handler = new Sessions();
        IFrameSender sender = await job.Connect().OpenSenderAsync(job.Link);
        IFrameReceiver receiver = await job.Connect().OpenReceiverAsync(job.Link, 100, handler);
        await receiver.SubscribeAsync(0);
        await using var writer = new RabbitMqWriter(job.At(0));
        await DeliveredAsync();
        long first = handler.Last;
        for (int teller = 0; teller < 3; teller++)
        {
            await QueueNews.TellAsync(
                writer, job.Link, Guid.NewGuid(), Stopwatch.GetTimestamp() - (3600 * Stopwatch.Frequency), CancellationToken.None);
            await DeliveredAsync();
        }

        await QueueNews.TellAsync(writer, job.Link, Guid.NewGuid(), Stopwatch.GetTimestamp(), CancellationToken.None);
        await Broker.Until(() => handler.Last > first, "another session");
        await DeliveredAsync();
        Assert.Equal(first + 1, handler.Last);

        async Task DeliveredAsync()
        {
            int before = handler.Frames;
            Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
            await Broker.Until(() => handler.Frames > before, "a frame");
        }
    }

    [Fact]
    public void Concerns_NewsOfAnotherSide_OnlyIfTheQueuesWereDeclaredBeforeTheFind()
    {
        Guid self = Guid.NewGuid();
        byte[] own = [.. self.ToByteArray(), .. BitConverter.GetBytes(TimeSpan.FromSeconds(10).Ticks)];
        byte[] others = [.. Guid.NewGuid().ToByteArray(), .. BitConverter.GetBytes(TimeSpan.FromSeconds(10).Ticks)];
        Assert.True(QueueNews.Concerns(others, self, TimeSpan.FromSeconds(10)));
        Assert.True(QueueNews.Concerns(others, self, TimeSpan.FromHours(1)));
        Assert.False(QueueNews.Concerns(others, self, TimeSpan.FromSeconds(9)));
        Assert.False(QueueNews.Concerns(own, self, TimeSpan.FromHours(1)));
        Assert.True(QueueNews.Concerns([], self, TimeSpan.Zero));
    }

    [BrokerFact]
    public async Task WhileOpen_ChannelIsLost_CancelsWhatWasBegunAndLooksAtItsFault()
    {
        const string fault = "of what was begun";
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        int unobserved = 0;
        EventHandler<UnobservedTaskExceptionEventArgs> count = (_, what) =>
        {
            if (what.Exception.InnerException?.Message == fault) Interlocked.Increment(ref unobserved);
        };
        TaskScheduler.UnobservedTaskException += count;
        try
        {
            WeakReference abandoned = await AbandonAsync();
            await Broker.Until(
                () =>
                {
                    GC.Collect();
                    GC.WaitForPendingFinalizers();
                    return !abandoned.IsAlive;
                },
                "the end of what was begun");
            GC.WaitForPendingFinalizers();
            Assert.Equal(0, unobserved);
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= count;
        }

        async Task<WeakReference> AbandonAsync()
        {
            await using IChannel channel = await connection.CreateChannelAsync();
            var begun = new TaskCompletionSource();
            var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            WeakReference? work = null;
            Task use = RabbitMqNodes.WhileOpenAsync(
                channel,
                ended =>
                {
                    Task working = WorkAsync(ended);
                    work = new WeakReference(working);
                    return working;
                },
                CancellationToken.None);
            await begun.Task.OrHang();
            await channel.CloseAsync();
            await Assert.ThrowsAsync<IOException>(() => use.OrHang());
            await cancelled.Task.OrHang();
            goOn.SetResult();
            return work!;

            async Task WorkAsync(CancellationToken ended)
            {
                using CancellationTokenRegistration registered = ended.Register(cancelled.SetResult);
                begun.SetResult();
                await goOn.Task;
                throw new FormatException(fault);
            }
        }
    }

    [BrokerFact]
    public async Task Send_QueueDeletedWithFramesInIt_GoesOnAndTellsOfTheGap()
    {
        await using var job = new RabbitJob(partitions: 1, options => options with { MaxQueueBytes = 20_000 });
        await job.StartSendingAsync();
        Task feeding = job.FeedAsync(20_000);
        await Broker.Until(() => job.Sender.Statistics.Refused > 3, "a full queue");
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        // The operator's act: what was confirmed into it is lost.
        await channel.QueueDeleteAsync(job.Link.QueueOf(0));
        RabbitWorker worker = await job.StartWorkerAsync();
        await feeding;
        await Broker.Until(
            () => job.Sending.Backlog == 0 && channel.MessageCountAsync(job.Link.QueueOf(0)).GetAwaiter().GetResult() == 0
                && worker.Source.Statistics.Unacknowledged == 0,
            "everything confirmed and handled");
        List<Keyed> missing = job.Sink.Missing(20_000);
        Assert.NotEmpty(missing);
        Assert.Equal(20_000 - missing.Count, job.Sink.Writes);
        Assert.Equal(1, worker.Source.Statistics.Gaps);
        Assert.Equal(1, job.Told(LinkEventKind.Gap));
    }

    // The system takes connections for it, as for a process that is paused.
    private static TcpListener Hanging()
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return listener;
    }

    private static string NodeOf(TcpListener listener) => $"127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}";

    private sealed class Sessions : IFrameHandler
    {
        private long _last;
        private int _frames;

        public long Last => Volatile.Read(ref _last);

        public int Frames => Volatile.Read(ref _frames);

        public TaskCompletionSource Arrived { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void OnSession(long session) => Volatile.Write(ref _last, session);

        public ValueTask OnFrameAsync(ReceivedFrame frame)
        {
            Interlocked.Increment(ref _frames);
            Arrived.TrySetResult();
            return ValueTask.CompletedTask;
        }

        public ValueTask OnUnsubscribedAsync(int partition) => ValueTask.CompletedTask;
    }
}
