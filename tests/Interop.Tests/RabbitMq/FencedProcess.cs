using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>A worker in a process of its own that writes with its fencing tokens, into a store that all workers share.</summary>
internal static class FencedProcess
{
    /// <summary>So little that the sender is never far ahead.</summary>
    public const long MaxQueueBytes = 20_000;

    private const int Capacity = 4096;

    /// <summary>The process: runs until it is killed, or its parent has ended.</summary>
    public static async Task<int> MainAsync(RabbitMqTransport transport, LinkAddress link, string folder)
    {
        var source = new LinkSource<Keyed>(link, Keyed.Codec, new LinkOptions
        {
            FrameLength = 4096, Prefetch = 4, Fencing = true, PositionOf = stream => new SharedStore(folder).PositionOf(stream),
        });
        await using Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(Capacity)
            .Stage("write", new Writing(new SharedStore(folder), source)).Stage("ack", source.Acknowledger).Run();
        await source.StartAsync(transport, pipeline);
        await source.SubscribeAsync(Enumerable.Range(0, link.Partitions));
        Console.WriteLine("ready");
        await Console.In.ReadToEndAsync();
        return 0;
    }

    private sealed class Writing(SharedStore store, LinkSource<Keyed> source) : IBatchHandler<Keyed>
    {
        private readonly StoredItem[] _items = new StoredItem[Capacity];

        public void OnBatch(Batch<Keyed> batch)
        {
            for (int at = 0; at < batch.Count;)
            {
                if (!source.TryOwn(batch.Sequence + at, out OwnedItem owned))
                {
                    at++;
                    continue;
                }

                int count = Math.Min(owned.Following + 1, batch.Count - at);
                for (int i = 0; i < count; i++)
                {
                    LinkPosition position = owned.Position with { Number = owned.Position.Number + i };
                    _items[i] = new StoredItem(owned.Term, Environment.ProcessId, batch[at + i], position);
                }

                // At the worst moment: the worker believes that the items are its own.
                store.StandStillIfAsked();
                // So that there is always something left to be done.
                Thread.Sleep(100);
                if (!store.TryWrite(_items.AsSpan(0, count))) source.Disown(batch.Sequence + at);
                at += count;
            }
        }
    }
}

/// <summary>A row of the store.</summary>
internal readonly record struct StoredItem(long Term, int Process, Keyed Item, LinkPosition Position);

/// <summary>A file a partition, that one process opens at a time: so to compare and to set is one step.</summary>
internal sealed class SharedStore(string folder)
{
    /// <summary>Writes items of one partition; false, and nothing is written, if a newer term has written there.</summary>
    public bool TryWrite(ReadOnlySpan<StoredItem> items)
    {
        using FileStream file = Open(items[0].Position.Stream.Partition);
        StoredItem[] there = Read(file);
        if (there.Length > 0 && there[^1].Term > items[0].Term)
        {
            File.AppendAllText(Path.Combine(folder, "refused"), $"{items.Length} of {Environment.ProcessId}\n");
            return false;
        }

        LinkStream stream = items[0].Position.Stream;
        long last = there.Where(one => one.Position.Stream == stream).Select(one => one.Position.Number).DefaultIfEmpty(-1).Max();
        foreach (StoredItem one in items)
            if (one.Position.Number > last) file.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<StoredItem>(in one)));
        return true;
    }

    public long? PositionOf(LinkStream stream) =>
        ReadAll(stream.Partition).Where(one => one.Position.Stream == stream).Select(one => one.Position.Number).DefaultIfEmpty(-1).Max();

    public StoredItem[] ReadAll(int partition)
    {
        using FileStream file = Open(partition);
        return Read(file);
    }

    /// <summary>Asks a process to stand still (SIGSTOP) before its next write.</summary>
    public void AskToStandStill(int process) => File.WriteAllText(Path.Combine(folder, $"still-{process}"), "");

    /// <summary>As asked: it goes on with SIGCONT.</summary>
    public void StandStillIfAsked()
    {
        string asked = Path.Combine(folder, $"still-{Environment.ProcessId}");
        if (!File.Exists(asked)) return;
        File.Delete(asked);
        using Process stop = Process.Start("kill", ["-STOP", $"{Environment.ProcessId}"]);
        stop.WaitForExit();
    }

    /// <summary>What workers tried to write too late.</summary>
    public int Refusals
    {
        get
        {
            string file = Path.Combine(folder, "refused");
            return File.Exists(file) ? File.ReadAllLines(file).Length : 0;
        }
    }

    private FileStream Open(int partition)
    {
        while (true)
        {
            try
            {
                return new FileStream(
                    Path.Combine(folder, $"p{partition}"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, bufferSize: 0);
            }
            catch (IOException)
            {
                // Another process has it.
                Thread.Sleep(1);
            }
        }
    }

    // What a killed one wrote last may be cut off: it is written over.
    private static StoredItem[] Read(FileStream file)
    {
        var bytes = new byte[file.Length - (file.Length % Unsafe.SizeOf<StoredItem>())];
        file.Position = 0;
        file.ReadExactly(bytes);
        return MemoryMarshal.Cast<byte, StoredItem>(bytes).ToArray();
    }
}
