using Xunit.Abstractions;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>
/// The long set: three nodes, and what may happen to them: RACEWAY_RABBIT_LONG=1 broker.sh with 3 dotnet test … The client's
/// connections prefer node 1 (sender) and node 2 (worker).
/// </summary>
[Trait("Category", "Broker")]
public sealed class RabbitMqFaultTests(ITestOutputHelper output)
{
    private const int Items = 1_500_000;

    [BrokerFact(nodes: 3, isLong: true)]
    public Task Link_NodeKilled_OneAfterTheOther_LosesNothing() => Survives(async job =>
    {
        // Each node in turn: the leader of some queues, the sender's own, a worker's own.
        for (int node = 1; node <= 3; node++)
        {
            int reached = job.Sink.Writes;
            Broker.Run("kill", $"{node}");
            await RabbitMqTests.Until(() => job.Sink.Writes > reached + 50_000 || job.Sink.Problem(Items) is null);
            Broker.Run("start", $"{node}");
        }
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
            await RabbitMqTests.Until(() => job.Sink.Writes > reached + 20_000 || job.Sink.Problem(Items) is null);
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
    public Task Link_DiskAlarm_WaitsAndLosesNothing() => Survives(async job =>
    {
        for (int node = 1; node <= 3; node++) Broker.Run("ctl", $"{node}", "set_disk_free_limit", "1000GB");
        await RabbitMqTests.Until(() => job.Sending.Backlog > 0);
        await Task.Delay(TimeSpan.FromSeconds(5));
        Assert.True(job.Fed < Items);
        for (int node = 1; node <= 3; node++) Broker.Run("ctl", $"{node}", "set_disk_free_limit", "200MB");
    });

    [BrokerFact(nodes: 3, isLong: true)]
    public Task Link_WorkersDieOneAfterTheOther_LosesNothing() => Survives(async job =>
    {
        RabbitWorker worker = await job.StartWorkerAsync();
        for (int round = 0; round < 5; round++)
        {
            int reached = job.Sink.Writes;
            await RabbitMqTests.Until(() => job.Sink.Writes > reached + 20_000 || job.Sink.Problem(Items) is null);
            RabbitWorker next = await job.StartWorkerAsync();
            await worker.DieAsync();
            worker = next;
        }
    });

    private async Task Survives(Func<RabbitJob, Task> faults)
    {
        await using var job = new RabbitJob();
        await job.StartSendingAsync(job.At(0, 1, 2));
        RabbitWorker worker = await job.StartWorkerAsync(job.At(1, 2, 0));
        Task feeding = job.FeedAsync(Items);
        await RabbitMqTests.Until(() => job.Sink.Writes > 20_000);
        await faults(job);
        await feeding;
        await job.FinishAsync(Items);
        Assert.Equal(0, job.Sink.Repeated());
        Assert.InRange(worker.Source.Statistics.MostUnacknowledged, 1, 4 * 4);
        output.WriteLine($"{job.Sender.Statistics}; {worker.Source.Statistics}; fenced {job.Sink.Fenced}");
    }
}
