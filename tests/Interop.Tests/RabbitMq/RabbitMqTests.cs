using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using RabbitMQ.Client;
using Xunit.Abstractions;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>The short set: one node, about a minute.</summary>
[Trait("Category", "Broker")]
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
        await Until(() => job.Sink.Writes > 20_000);
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
            await Until(() => job.Sink.Writes > reached);
            Broker.Run("ctl", "1", "close_all_connections", "test");
        }

        await feeding;
        await job.FinishAsync(300_000);
        Assert.Equal(0, job.Sink.Repeated());
        Assert.InRange(worker.Source.Statistics.Sessions, 2, 10);
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
            await Until(() => channel.MessageCountAsync(job.Link.ParkedQueue).GetAwaiter().GetResult() == 50);
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
        await Until(() => job.Sender.Statistics.Refused > 3);
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

    internal static async Task Until(Func<bool> condition)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        while (!condition()) await Task.Delay(10, limit.Token);
    }

    private static ConnectionFactory Factory()
    {
        string[] node = BrokerFactAttribute.Nodes[0].Split(':');
        return new ConnectionFactory { HostName = node[0], Port = int.Parse(node[1], null) };
    }
}
