using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>Split pipelines: their processes killed at random, and alarms that meet several links.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqSplitTests(ITestOutputHelper output)
{
    [BrokerFact]
    public async Task SplitPipeline_WorkersAndSendersKilledAtRandom_LosesNothingAndKeepsOrder()
    {
        string folder = Directory.CreateTempSubdirectory("raceway-split").FullName;
        string written = Directory.CreateDirectory(Path.Combine(folder, "written")).FullName;
        var random = new Random(16);
        string name = $"test.{Guid.NewGuid():n}";
        LinkAddress link = SplitProcess.Define(name).AddressOf("by-key");
        // Processes are told the pipeline's name, and find the link's by the definition.
        LinkAddress named = link with { Name = name };
        List<WorkerProcess> workers = [];
        WorkerProcess? sender = null;
        int kills = 0;
        try
        {
            for (int i = 0; i < 3; i++) workers.Add(await StartAsync(SplitProcess.Count));
            sender = await StartAsync(SplitProcess.Feed);
            for (int reached = 5000; reached < SplitProcess.Items && !sender.HasExited; reached += 5000)
            {
                await Broker.Until(() => WorkerProcess.Count(written) > reached || sender.HasExited, $"{reached} items written");
                int which = random.Next(4);
                if (which == 3 && !sender.HasExited)
                {
                    await sender.KillAsync();
                    sender.Dispose();
                    sender = await StartAsync(SplitProcess.Feed);
                }
                else
                {
                    which %= workers.Count;
                    await workers[which].KillAsync();
                    workers[which].Dispose();
                    workers[which] = await StartAsync(SplitProcess.Count);
                }

                kills++;
            }

            Assert.Equal(0, await sender.EndAsync().OrHang());
            await Broker.Until(() => Problem() is null, "all items", () => $"{Problem()}");
            output.WriteLine($"{kills} killed; {WorkerProcess.Count(written)} written of {SplitProcess.Items}");
            Assert.True(kills >= 5, $"{kills}");
        }
        finally
        {
            sender?.Dispose();
            foreach (WorkerProcess one in workers) one.Dispose();
            Directory.Delete(folder, recursive: true);
            await using var transport = new RabbitMqTransport(new RabbitMqOptions { Nodes = BrokerFactAttribute.Nodes });
            await transport.DeleteAsync(link);
        }

        Task<WorkerProcess> StartAsync(string part) => WorkerProcess.StartAsync(named, folder, part);

        string? Problem()
        {
            var sink = new Sink(SplitProcess.Keys);
            foreach (WorkerProcess.Written one in WorkerProcess.Read(written)) sink.Write(one.Item, one.Position);
            return sink.Problem(SplitProcess.Items);
        }
    }

    [BrokerFact]
    public async Task Link_AlarmWithSeveralLinks_AllWaitAndLoseNothing()
    {
        TimeSpan confirm = TimeSpan.FromSeconds(5);
        // Fed until the alarm has come and gone, however long the node takes for it: a connection that sends nothing is not told.
        var over = new TaskCompletionSource();
        List<RabbitJob> jobs = [];
        try
        {
            for (int i = 0; i < 3; i++)
            {
                var job = new RabbitJob(partitions: 2, options => options with { ConfirmTimeout = confirm });
                jobs.Add(job);
                await job.StartSendingAsync();
                await job.StartWorkerAsync();
            }

            Task[] feeding = [.. jobs.Select(job => job.FeedAsync(0, over.Task))];
            foreach (RabbitJob job in jobs) await job.MovesAsync(2000);
            foreach (int node in Nodes()) Broker.Run("ctl", $"{node}", "set_disk_free_limit", "1000GB");
            try
            {
                foreach (RabbitJob job in jobs) await Broker.Until(() => job.Told(LinkEventKind.Blocked) > 0, "an alarm");
                // Longer than a confirm is waited for: none of them may give its connection up. A real wait is the only way:
                // what must not come is a time-out by the machine's clock.
                await Task.Delay(confirm * 2);
                Assert.All(jobs, static job => Assert.Equal(0, job.Told(LinkEventKind.Disconnected)));
            }
            finally
            {
                foreach (int node in Nodes()) Broker.Run("ctl", $"{node}", "set_disk_free_limit", "200MB");
            }

            foreach (RabbitJob job in jobs) await Broker.Until(() => job.Told(LinkEventKind.Unblocked) > 0, "the alarm's end");
            over.SetResult();
            await Task.WhenAll(feeding);
            foreach (RabbitJob job in jobs)
            {
                await job.FinishAsync(job.Fed);
                Assert.Equal((job.Fed, 0), (job.Sink.Writes, job.Told(LinkEventKind.Disconnected)));
            }
        }
        finally
        {
            over.TrySetResult();
            foreach (RabbitJob job in jobs) await job.DisposeAsync();
        }

        static IEnumerable<int> Nodes() => Enumerable.Range(1, BrokerFactAttribute.Nodes.Length);
    }
}
