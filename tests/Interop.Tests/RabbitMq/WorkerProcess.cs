using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>
/// A worker in a process of its own, to be killed. Each writes what it handles, with its position, into a file of its own before
/// that is acknowledged; what files of others hold it does not write again.
/// </summary>
internal sealed class WorkerProcess : IDisposable
{
    /// <summary>The first word of the command.</summary>
    public const string Word = "worker";

    public const string Plain = "plain";
    public const string Fenced = "fenced";

    private const int Capacity = 4096;

    private readonly Process _process;

    private WorkerProcess(Process process) => _process = process;

    /// <summary>Starts one; it takes part when this completes.</summary>
    public static async Task<WorkerProcess> StartAsync(LinkAddress link, string folder, string kind = Plain)
    {
        string assembly = typeof(WorkerProcess).Assembly.Location;
        var start = new ProcessStartInfo(DotnetHost.Program, [assembly, Word, link.Name, $"{link.Partitions}", folder, kind])
        {
            RedirectStandardInput = true, RedirectStandardOutput = true,
        };
        Process process = Process.Start(start)!;
        Assert.Equal("ready", await process.StandardOutput.ReadLineAsync().OrHang());
        return new WorkerProcess(process);
    }

    /// <summary>SIGKILL: not a line of it runs any more.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync().OrHang();
    }

    /// <summary>Whether it was sent SIGSTOP.</summary>
    public bool IsStanding => File.ReadAllText($"/proc/{_process.Id}/stat").Contains(") T ", StringComparison.Ordinal);

    /// <summary>SIGCONT: it goes on, and knows nothing of it.</summary>
    public void Continue()
    {
        using Process kill = Process.Start("kill", ["-CONT", $"{_process.Id}"]);
        kill.WaitForExit();
        Assert.Equal(0, kill.ExitCode);
    }

    /// <summary>Its end, by itself.</summary>
    public async Task<int> EndAsync()
    {
        await _process.WaitForExitAsync();
        return _process.ExitCode;
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    public void Dispose()
    {
        if (!_process.HasExited) _process.Kill();
        _process.Dispose();
    }

    /// <summary>How much workers have written.</summary>
    public static long Count(string folder) =>
        new DirectoryInfo(folder).GetFiles().Sum(static file => file.Length) / Unsafe.SizeOf<Written>();

    /// <summary>Everything that workers have written, in the order in which they did, over all of them.</summary>
    public static List<Written> Read(string folder)
    {
        List<Written> all = [];
        foreach (string file in Directory.GetFiles(folder))
        {
            using FileStream stream = new(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            var bytes = new byte[stream.Length];
            // What a killed one wrote last may be cut off.
            int length = stream.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            all.AddRange(MemoryMarshal.Cast<byte, Written>(bytes.AsSpan(0, length - (length % Unsafe.SizeOf<Written>()))));
        }

        all.Sort(static (a, b) => a.Time.CompareTo(b.Time));
        return all;
    }

    /// <summary>The process: runs until it is killed, or its parent has ended.</summary>
    public static async Task<int> MainAsync(string[] args)
    {
        if (args is not [var name, var partitions, var folder, var kind]) return 2;
        if (kind is SplitProcess.Count or SplitProcess.Feed) return await SplitProcess.MainAsync(name, folder, kind);
        var link = new LinkAddress(name, int.Parse(partitions, null));
        string[] nodes = BrokerFactAttribute.Nodes;
        var options = new RabbitMqOptions
        {
            Nodes = nodes, Replicas = nodes.Length >= 3 ? 3 : 1, Heartbeat = TimeSpan.FromSeconds(3),
        };
        if (kind == Fenced) options = options with { MaxQueueBytes = FencedProcess.MaxQueueBytes };
        await using var transport = new RabbitMqTransport(options);
        if (kind == Fenced) return await FencedProcess.MainAsync(transport, link, folder);
        var source = new LinkSource<Keyed>(link, Keyed.Codec, new LinkOptions
        {
            FrameLength = 4096, Prefetch = 4, PositionOf = stream => LastOf(folder, stream),
        });
        await using var file = new FileStream(
            Path.Combine(folder, $"{Environment.ProcessId}"), FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0);
        await using Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(Capacity)
            .Stage("write", new Writing(file, source)).Stage("ack", source.Acknowledger).Run();
        await source.StartAsync(transport, pipeline);
        await source.SubscribeAsync(Enumerable.Range(0, link.Partitions));
        Console.WriteLine("ready");
        await Console.In.ReadToEndAsync();
        return 0;
    }

    private static long LastOf(string folder, LinkStream stream)
    {
        long last = -1;
        foreach (Written one in Read(folder))
            if (one.Position.Stream == stream) last = Math.Max(last, one.Position.Number);
        return last;
    }

    /// <summary>An item, where it came from, and when, by a clock that all processes share.</summary>
    internal readonly record struct Written(long Time, Keyed Item, LinkPosition Position);

    private sealed class Writing(FileStream file, LinkSource<Keyed> source) : IBatchHandler<Keyed>
    {
        private readonly Written[] _written = new Written[Capacity];

        public void OnBatch(Batch<Keyed> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                Assert.True(source.TryLocate(batch.Sequence + i, out LinkPosition position, out _));
                _written[i] = new Written(Stopwatch.GetTimestamp(), batch[i], position);
            }

            // To the system, which keeps it when the process is killed.
            file.Write(MemoryMarshal.AsBytes(_written.AsSpan(0, batch.Count)));
        }
    }
}
