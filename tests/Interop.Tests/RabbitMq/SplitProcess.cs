using System.Diagnostics;
using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>A part of a split pipeline in a process of its own, to be killed.</summary>
internal static class SplitProcess
{
    public const string Feed = "feed";
    public const string Count = "count";
    public const int Items = 60_000;
    public const int Keys = 100;

    private const string Confirmed = "confirmed";

    /// <summary>The definition, the same in every process.</summary>
    public static SplitPipeline<Keyed> Define(string name, Func<LinkSource<Keyed>?, IBatchHandler<Keyed>>? write = null) =>
        new SplitPipeline<Keyed>(name, capacity: 1024)
            .Part(Feed, static part => part.Stage("pass", static (ref Keyed _) => { }))
            .Link("by-key", Keyed.Codec, Keyed.KeyOf, partitions: 4)
            .Part(Count, (part, source) => part.Stage("write", write?.Invoke(source) ?? throw new NotSupportedException()));

    /// <summary>The process: a worker runs until it is killed or its parent has ended, the sender until all is confirmed.</summary>
    public static async Task<int> MainAsync(string name, string folder, string part)
    {
        string[] nodes = BrokerFactAttribute.Nodes;
        await using var transport = new RabbitMqTransport(
            new RabbitMqOptions { Nodes = nodes, Replicas = nodes.Length >= 3 ? 3 : 1, Heartbeat = TimeSpan.FromSeconds(3) });
        string files = Path.Combine(folder, "written");
        await using FileStream? file = part == Count
            ? new FileStream(Path.Combine(files, $"{Environment.ProcessId}"), FileMode.CreateNew, FileAccess.Write, FileShare.Read, 0)
            : null;
        var options = new SplitOptions
        {
            Parts = [part], Transport = transport, StandbyAfter = TimeSpan.Zero,
            Link = new LinkOptions { Producer = Feed, FrameLength = 2048, Prefetch = 4 },
        };
        await using SplitRun<Keyed> run =
            await Define(name, source => new Writing(file!, source!)).RunAsync(options);
        Console.WriteLine("ready");
        if (part == Feed) return await FeedAsync(run, folder);
        await Console.In.ReadToEndAsync();
        return 0;
    }

    // Begins again at what was confirmed in the life before.
    private static async Task<int> FeedAsync(SplitRun<Keyed> run, string folder)
    {
        string file = Path.Combine(folder, Confirmed);
        int begun = File.Exists(file) ? int.Parse(await File.ReadAllTextAsync(file), null) : 0;
        Stage last = run.Pipelines[0].Stages[^1];
        using SingleProducer<Keyed> producer = run.CreateProducer();
        for (int at = begun; begun + (int)last.Position + 1 < Items;)
        {
            // A few at a time: it must live long enough to be killed.
            for (int few = 0; few < 10 && at < Items && producer.TryPublish(Keyed.At(at, Keys)) == ClaimStatus.Done; few++) at++;
            // In one step: a cut-off number would be another.
            await File.WriteAllTextAsync($"{file}.new", $"{begun + (int)last.Position + 1}");
            File.Move($"{file}.new", file, overwrite: true);
            await Task.Delay(1);
        }

        return 0;
    }

    private sealed class Writing(FileStream file, LinkSource<Keyed> source) : IBatchHandler<Keyed>
    {
        private readonly WorkerProcess.Written[] _written = new WorkerProcess.Written[1024];

        public void OnBatch(Batch<Keyed> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                Assert.True(source.TryLocate(batch.Sequence + i, out LinkPosition position, out _));
                _written[i] = new WorkerProcess.Written(Stopwatch.GetTimestamp(), batch[i], position);
            }

            file.Write(MemoryMarshal.AsBytes(_written.AsSpan(0, batch.Count)));
        }
    }
}
