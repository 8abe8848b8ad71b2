using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using RabbitMQ.Client;

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
        await Broker.Until(() => worker.Source.Statistics.Sessions >= 2, "another session");
        output.WriteLine($"{job.Sender.Statistics}; {worker.Source.Statistics}");
    }

    [BrokerFact]
    public async Task Link_HostileFrames_AreParkedAndTheRestIsHandled()
    {
        await using var job = new RabbitJob(partitions: 2);
        await job.StartSendingAsync();
        RabbitWorker worker = await job.StartWorkerAsync();
        await job.FeedAsync(1000);
        await using (IConnection connection = await Broker.Factory().CreateConnectionAsync())
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
        // All may have been through before the cut: a side that is idle comes back when it notices.
        await Broker.Until(() => job.Told(LinkEventKind.Connected) >= 4, "both sides are back", () => $"{job.Told(LinkEventKind.Connected)}");
    }

    [BrokerFact]
    public async Task Link_FrameThatEndsItsWorkers_IsParkedAtItsLimitAndTheRestIsHandled()
    {
        // One frame at a time: others that were delivered with it would be counted too.
        await using var job = new RabbitJob(partitions: 1, options => options with { DeliveryLimit = 2 });
        var poison = Keyed.At(7777, RabbitJob.Keys);
        await job.StartSendingAsync();
        await job.FeedAsync(10_000);
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
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
}
