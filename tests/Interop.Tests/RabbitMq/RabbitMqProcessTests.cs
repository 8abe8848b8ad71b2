
namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>Workers in processes of their own, killed in the middle of their work.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqProcessTests(ITestOutputHelper output)
{
    private const int Items = 300_000;

    [BrokerFact]
    public async Task Link_WorkerProcessesKilled_OthersTakeOverAndNothingIsLost()
    {
        string folder = Directory.CreateTempSubdirectory("raceway-workers").FullName;
        List<WorkerProcess> workers = [];
        try
        {
            await using var job = new RabbitJob();
            await job.StartSendingAsync();
            workers.Add(await WorkerProcess.StartAsync(job.Link, folder));
            workers.Add(await WorkerProcess.StartAsync(job.Link, folder));
            Task feeding = job.FeedAsync(Items);

            // The one that has the partitions: the other takes over, and a new one stands by.
            await Reached(20_000);
            await workers[0].KillAsync();
            workers.Add(await WorkerProcess.StartAsync(job.Link, folder));
            await Reached(80_000);
            await workers[1].KillAsync();
            // The last one: nobody is left until another starts.
            await Reached(140_000);
            await workers[2].KillAsync();
            workers.Add(await WorkerProcess.StartAsync(job.Link, folder));

            await feeding;
            await Broker.Until(
                () => WorkerProcess.Count(folder) >= Items && job.Sending.Backlog == 0
                    && WorkerProcess.Read(folder).DistinctBy(static one => one.Position).Count() >= Items,
                "all items written");
            List<WorkerProcess.Written> written = WorkerProcess.Read(folder);
            foreach (WorkerProcess.Written one in written) job.Sink.Write(one.Item, one.Position);
            Assert.Null(job.Sink.Problem(Items));
            Assert.Equal(0, job.Sink.Repeated());
            output.WriteLine(
                $"{written.Count} written by {Directory.GetFiles(folder).Length} processes, {job.Sink.Fenced} of them twice; "
                + $"{job.Sender.Statistics}");
        }
        finally
        {
            foreach (WorkerProcess one in workers) one.Dispose();
            Directory.Delete(folder, recursive: true);
        }

        Task Reached(int items) => Broker.Until(() => WorkerProcess.Count(folder) > items, $"{items} items written");
    }
}
