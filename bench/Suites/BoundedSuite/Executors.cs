using System.Collections.Concurrent;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Concurrency;

namespace Raceway.Suites.BoundedSuite;

/// <summary>Runs a body for each item, with at most <paramref name="bound"/> of them in flight.</summary>
internal delegate Task Executor(int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation);

/// <summary>The write-up's seven executors, rebuilt by their names; three more; and ours.</summary>
internal static class Executors
{
    /// <summary>Ours.</summary>
    public static IReadOnlyList<(string Name, Executor Run)> Ours { get; } =
    [
        ("raceway/default", static (items, bound, body, cancellation) =>
            BoundedParallel.ForEachAsync(items, bound, body, cancellation).AsTask()),
        ("raceway/sequence", static (items, bound, body, cancellation) =>
            BoundedParallel.ForEachAsync(items.AsEnumerable(), bound, body, cancellation).AsTask()),
    ];

    /// <summary>Those of the write-up.</summary>
    public static IReadOnlyList<(string Name, Executor Run)> OfWriteUp { get; } =
    [
        ("enumerator", Enumerator),
        ("channel", Channel),
        ("parallel-for-each", ParallelForEach),
        ("semaphore", Semaphore),
        ("dataflow", Dataflow),
        ("partition", Partition),
        ("batched", Batched),
    ];

    /// <summary>What else the platform has, and an even split by hand.</summary>
    public static IReadOnlyList<(string Name, Executor Run)> Others { get; } =
    [
        ("parallel-for", ParallelFor),
        ("static-partition", StaticPartition),
    ];

    // As many loops as the bound, which take turns at one enumerator.
    private static Task Enumerator(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation)
    {
        IEnumerator<int> enumerator = items.AsEnumerable().GetEnumerator();
        return AtOnce(bound, async _ =>
        {
            while (true)
            {
                int item;
                lock (enumerator)
                {
                    if (!enumerator.MoveNext()) return;
                    item = enumerator.Current;
                }

                await body(item, cancellation).ConfigureAwait(false);
            }
        });
    }

    // All items through a channel that as many loops as the bound read from.
    private static Task Channel(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation)
    {
        Channel<int> channel = System.Threading.Channels.Channel.CreateUnbounded<int>();
        Task readers = AtOnce(bound, async _ =>
        {
            await foreach (int item in channel.Reader.ReadAllAsync(cancellation).ConfigureAwait(false))
            {
                await body(item, cancellation).ConfigureAwait(false);
            }
        });
        foreach (int item in items) channel.Writer.TryWrite(item);
        channel.Writer.Complete();
        return readers;
    }

    private static Task ParallelForEach(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation) =>
        Parallel.ForEachAsync(items, Options(bound, cancellation), body);

    private static Task ParallelFor(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation) =>
        Parallel.ForAsync(0, items.Length, Options(bound, cancellation), (i, token) => body(items[i], token));

    // A task for each item, begun when the semaphore lets it.
    private static async Task Semaphore(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation)
    {
        using var semaphore = new SemaphoreSlim(bound);
        var tasks = new List<Task>();
        foreach (int item in items)
        {
            await semaphore.WaitAsync(cancellation).ConfigureAwait(false);
            tasks.Add(Run(item));
        }

        await Task.WhenAll(tasks).ConfigureAwait(false);

        async Task Run(int item)
        {
            try
            {
                await body(item, cancellation).ConfigureAwait(false);
            }
            finally
            {
                semaphore.Release();
            }
        }
    }

    private static Task Dataflow(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation)
    {
        var block = new ActionBlock<int>(
            item => body(item, cancellation).AsTask(),
            new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = bound, CancellationToken = cancellation });
        foreach (int item in items) block.Post(item);
        block.Complete();
        return block.Completion;
    }

    // The platform's partitioner with its default, chunks that grow; as many partitions as the bound.
    private static Task Partition(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation)
    {
        IList<IEnumerator<int>> partitions = Partitioner.Create(items.AsEnumerable()).GetPartitions(bound);
        return AtOnce(bound, async index =>
        {
            using IEnumerator<int> partition = partitions[index];
            while (partition.MoveNext()) await body(partition.Current, cancellation).ConfigureAwait(false);
        });
    }

    // As many as the bound, then as many again when they all have ended.
    private static async Task Batched(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation)
    {
        foreach (int[] batch in items.Chunk(bound))
        {
            await Task.WhenAll(batch.Select(item => body(item, cancellation).AsTask())).ConfigureAwait(false);
        }
    }

    // The same number of items for each loop, given beforehand.
    private static Task StaticPartition(
        int[] items, int bound, Func<int, CancellationToken, ValueTask> body, CancellationToken cancellation) =>
        AtOnce(bound, async index =>
        {
            int end = (int)((long)items.Length * (index + 1) / bound);
            for (int i = (int)((long)items.Length * index / bound); i < end; i++)
            {
                await body(items[i], cancellation).ConfigureAwait(false);
            }
        });

    private static Task AtOnce(int count, Func<int, Task> loop)
    {
        var loops = new Task[count];
        for (int i = 0; i < count; i++)
        {
            int index = i;
            loops[i] = Task.Run(() => loop(index));
        }

        return Task.WhenAll(loops);
    }

    private static ParallelOptions Options(int bound, CancellationToken cancellation) =>
        new() { MaxDegreeOfParallelism = bound, CancellationToken = cancellation };
}
