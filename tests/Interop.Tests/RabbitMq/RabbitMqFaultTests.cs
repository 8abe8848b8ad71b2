using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>
/// The long set: three nodes, and what may happen to them: RACEWAY_RABBIT_LONG=1 broker.sh with 3 dotnet test … What is done is
/// done to each node in turn, so to the leaders of queues and to the nodes that both sides are connected to.
/// </summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqFaultTests(ITestOutputHelper output)
{
    private const int Items = 300_000;

    private static readonly TimeSpan s_confirm = TimeSpan.FromSeconds(2);

    [BrokerFact(nodes: 3, isLong: true)]
    public Task Link_NodeKilled_OneAfterTheOther_LosesNothing() => Survives(async job =>
    {
        // Each node in turn: the leader of some queues, the sender's own, a worker's own.
        for (int node = 1; node <= 3; node++)
        {
            int reached = job.Sink.Writes;
            Broker.Run("kill", $"{node}");
            await job.MovesAsync(reached + 50_000);
            Broker.Run("start", $"{node}");
        }

        // The sender's own node, and the worker's, were among them.
        Assert.True(job.Told(LinkEventKind.Disconnected) >= 2, $"{job.Told(LinkEventKind.Disconnected)}");
    });

    [BrokerFact(nodes: 3, isLong: true)]
    public Task Link_NodePausedForEightSeconds_LosesNothing() => Survives(async job =>
    {
        for (int node = 1; node <= 3; node++)
        {
            Broker.Run("pause", $"{node}");
            await Task.Delay(TimeSpan.FromSeconds(8));
            Broker.Run("resume", $"{node}");
            int reached = job.Sink.Writes;
            await job.MovesAsync(reached + 20_000);
        }
    });

    [BrokerFact(nodes: 3, isLong: true)]
    public Task Link_AllNodesRestarted_LosesNothing() => Survives(_ =>
    {
        for (int node = 1; node <= 3; node++) Broker.Run("kill", $"{node}");
        Task.WaitAll(Enumerable.Range(1, 3).Select(node => Task.Run(() => Broker.Run("start", $"{node}"))));
        return Task.CompletedTask;
    });

    [BrokerFact(nodes: 3, isLong: true)]
    public Task Link_DiskAlarm_WaitsAndLosesNothing() => Survives(ADiskAlarm, options => options with { ConfirmTimeout = s_confirm });

    private static async Task ADiskAlarm(RabbitJob job)
    {
        for (int node = 1; node <= 3; node++) Broker.Run("ctl", $"{node}", "set_disk_free_limit", "1000GB");
        await Broker.Until(() => job.Told(LinkEventKind.Blocked) > 0, "an alarm");
        // A broker that says that it takes nothing has forgotten nothing: its connections are kept. A real wait is the only
        // way: what must not come is a time-out by the machine's clock.
        await Task.Delay(s_confirm * 3);
        Assert.Equal(0, job.Told(LinkEventKind.Disconnected));
        for (int node = 1; node <= 3; node++) Broker.Run("ctl", $"{node}", "set_disk_free_limit", "200MB");
        await Broker.Until(() => job.Told(LinkEventKind.Unblocked) > 0, "the alarm's end");
        await job.MovesAsync(job.Sink.Writes + 20_000);
        Assert.Equal(0, job.Told(LinkEventKind.Disconnected));
    }

    [BrokerFact(nodes: 3, isLong: true)]
    public Task Link_WorkersDieOneAfterTheOther_LosesNothing() => Survives(async job =>
    {
        RabbitWorker worker = await job.StartWorkerAsync();
        for (int round = 0; round < 5; round++)
        {
            int reached = job.Sink.Writes;
            await job.MovesAsync(reached + 20_000);
            RabbitWorker next = await job.StartWorkerAsync();
            await worker.DieAsync();
            worker = next;
        }
    });

    private async Task Survives(Func<RabbitJob, Task> faults, Func<RabbitMqOptions, RabbitMqOptions>? configure = null)
    {
        await using var job = new RabbitJob(configure: configure);
        await job.StartSendingAsync();
        RabbitWorker worker = await job.StartWorkerAsync();
        var over = new TaskCompletionSource();
        // For as long as something happens to the nodes.
        Task feeding = job.FeedAsync(Items, over.Task);
        await job.MovesAsync(20_000);
        await Broker.KeptAsync(job.Link);
        await faults(job);
        over.SetResult();
        await feeding;
        await job.FinishAsync(job.Fed);
        Assert.Equal(0, job.Sink.Repeated());
        Assert.InRange(worker.Source.Statistics.MostUnacknowledged, 1, 4 * 4);
        output.WriteLine($"{job.Fed} items; {job.Sender.Statistics}; {worker.Source.Statistics}; fenced {job.Sink.Fenced}");
    }
}
