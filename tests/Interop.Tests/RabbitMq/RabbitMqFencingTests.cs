using Raceway.Interop.Tests.Distributed;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>Workers that stand still while others take their partitions, and then go on.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqFencingTests(ITestOutputHelper output)
{
    [BrokerFact]
    public async Task Link_WorkerStandsStillUntilOthersHaveItsPartitions_NeverWritesBehindThem()
    {
        string folder = Directory.CreateTempSubdirectory("raceway-fenced").FullName;
        var store = new SharedStore(folder);
        List<WorkerProcess> workers = [];
        try
        {
            await using var job = new RabbitJob(configure: static options => options with { MaxQueueBytes = FencedProcess.MaxQueueBytes });
            await job.StartSendingAsync();
            // The first has all partitions; the second has them when the broker gives the first up.
            workers.Add(await WorkerProcess.StartAsync(job.Link, folder, WorkerProcess.Fenced));
            var over = new TaskCompletionSource();
            Task feeding = job.FeedAsync(5000, over.Task);
            await Broker.Until(() => Stored().Length > 2000, "the first one's items");
            workers.Add(await WorkerProcess.StartAsync(job.Link, folder, WorkerProcess.Fenced));
            for (int round = 0; round < 2; round++)
            {
                (WorkerProcess standing, WorkerProcess going) = (workers[round], workers[1 - round]);
                store.AskToStandStill(standing.Id);
                await Broker.Until(() => standing.IsStanding, "a standstill");
                await Broker.Until(
                    () => Enumerable.Range(0, job.Link.Partitions).All(partition => store.ReadAll(partition)[^1].Process == going.Id),
                    "the other one's items in all partitions");
                standing.Continue();
                await Broker.Until(() => store.Refusals > round, "a write that comes too late");
                int reached = Stored().Length;
                await Broker.Until(() => Stored().Length > reached + 2000, "more items");
            }

            over.SetResult();
            await feeding;
            await Broker.Until(() => Stored().Length >= job.Fed && job.Sending.Backlog == 0, "all items", () => $"{Stored().Length}");
            StoredItem[] stored = Stored();
            output.WriteLine($"{store.Refusals} writes refused by the store; {stored.Select(one => one.Term).Distinct().Count()} terms");
            Assert.Equal(job.Fed, stored.Length);
            // Each once, and never an older one behind a newer.
            foreach (IGrouping<int, StoredItem> key in stored.GroupBy(static one => one.Item.Key))
                Assert.Equal(Enumerable.Range(0, key.Count()), key.Select(static one => one.Item.Number));
            for (int partition = 0; partition < job.Link.Partitions; partition++)
            {
                long[] terms = [.. store.ReadAll(partition).Select(static one => one.Term)];
                Assert.Equal(terms.Order(), terms);
                Assert.True(terms.Distinct().Count() >= 3, $"{terms.Distinct().Count()} terms");
            }

            StoredItem[] Stored() => [.. Enumerable.Range(0, job.Link.Partitions).SelectMany(store.ReadAll)];
        }
        finally
        {
            foreach (WorkerProcess one in workers) one.Dispose();
            Directory.Delete(folder, recursive: true);
        }
    }
}
