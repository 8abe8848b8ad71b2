using Raceway.Interop.Distributed;
using Raceway.Interop.Tests.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>A broker short of memory reads nothing more of connections that publish: what is there is handled all the same.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqAlarmTests
{
    [BrokerFact]
    public async Task Link_SuspectFramesUnderAnAlarm_AreHandledBeforeItsEnd()
    {
        await using var job = new RabbitJob(partitions: 1, options => options with { DeliveryLimit = 1 });
        await job.StartSendingAsync();
        var held = new TaskCompletionSource();
        RabbitWorker worker = await job.StartWorkerAsync(hold: held.Task);
        await job.FeedAsync(500);
        await Broker.Until(() => job.Sending.Backlog == 0, "all confirmed");
        await Broker.Until(() => worker.Source.Statistics.MostUnacknowledged > 0, "frames that are not handled");
        Task dying = worker.DieAsync();
        held.SetException(new IOException("killed"));
        await dying;
        await using (await Alarm.BeginAsync())
        {
            await job.FeedAsync(501);
            await Broker.Until(() => job.Told(LinkEventKind.Blocked) > 0, "a broker that takes nothing");
            // They come again, and are suspect: each is written down before it is handed out, which the broker does not take now.
            await job.StartWorkerAsync();
            await Broker.Until(() => job.Sink.Missing(500).Count == 0, "all that was there", job.Describe);
            Assert.NotEmpty(job.Sink.Missing(501));
        }

        await job.FinishAsync(501);
        Assert.Equal(0, job.Told(LinkEventKind.Parked));
        Assert.Equal(0, job.Sink.Repeated());
    }

    [BrokerFact]
    public async Task Link_TrialsWrittenDownBeforeAnAlarm_DoNotKeepAcknowledgementsFromTheBroker()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with { DeliveryLimit = 1 });
        Trying handler = await Trying.BeginAsync(job, proxy, frames: 2);
        proxy.Cut();
        proxy.Mend();
        // Its trial is written down, which publishes.
        await Broker.Until(() => handler.Frames == 2, "the frame again, tried");
        Assert.Single(handler.Trials);
        await using (await Alarm.BeginAsync())
        {
            // The broker gives one frame at a time: the next one shows that it has read the acknowledgement.
            handler.Receiver.Acknowledge(handler.Last.Session, handler.Last.Tag);
            await Broker.Until(() => handler.Frames == 3, "the next frame");
        }
    }

    [BrokerFact]
    public async Task Link_QueueDeletedUnderAnAlarm_ReceiverGoesOnWithTheOthers()
    {
        await using var job = new RabbitJob(partitions: 2);
        var handler = new Trying();
        IFrameSender sender = await job.Connect().OpenSenderAsync(job.Link);
        for (int i = 0; i < 5; i++) Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(1, new byte[10]));
        handler.Receiver = await job.Connect().OpenReceiverAsync(job.Link, 10, handler);
        await handler.Receiver.SubscribeAsync(0);
        long before = handler.Session;
        await using (await Alarm.BeginAsync())
        {
            await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
            await using IChannel channel = await connection.CreateChannelAsync();
            await channel.QueueDeleteAsync(job.Link.QueueOf(0));
            await Broker.Until(() => handler.Session > before, "another session, which has declared the queue again");
            await handler.Receiver.SubscribeAsync(1);
            await Broker.Until(() => handler.Frames == 5, "what is in the other queue");
        }
    }

    /// <summary>Memory is short, on the first node, until it is disposed.</summary>
    private sealed class Alarm(IConnection connection, IChannel channel) : IAsyncDisposable
    {
        public static async Task<Alarm> BeginAsync()
        {
            Broker.Run("ctl", "1", "set_vm_memory_high_watermark", "0.000001");
            // One that publishes is told so.
            IConnection connection = await Broker.Factory().CreateConnectionAsync();
            IChannel channel = await connection.CreateChannelAsync();
            var alarm = new Alarm(connection, channel);
            var blocked = new TaskCompletionSource();
            connection.ConnectionBlockedAsync += (_, _) =>
            {
                blocked.TrySetResult();
                return Task.CompletedTask;
            };
            await Broker.Until(
                () =>
                {
                    if (!blocked.Task.IsCompleted) channel.BasicPublishAsync("", "no.such.queue", ReadOnlyMemory<byte>.Empty).AsTask().GetAwaiter().GetResult();
                    return blocked.Task.IsCompleted;
                },
                "an alarm");
            return alarm;
        }

        public async ValueTask DisposeAsync()
        {
            Broker.Run("ctl", "1", "set_vm_memory_high_watermark", "absolute", "1GB");
            // Now: the broker reads nothing of a connection that it has blocked, its goodbye neither.
            await channel.DisposeAsync();
            await connection.DisposeAsync();
        }
    }
}
