// Value tasks are kept in windows, as callers keep them that have several calls under way.
#pragma warning disable CA2012

namespace Raceway.Concurrency.Tests.Executors;

/// <summary>A call costs no allocation, whatever the executor, the handler and the way of calling.</summary>
[Collection(AloneCollection.Name)]
public sealed class ExecutorAllocationTests
{
    private const int WarmUp = 20_000;
    private const int Count = 1_200 * 64;

    // 9,600 bytes: a run takes some tasks itself. One object for each 64 calls would be three times as much.
    private const int Most = 400;

    public static TheoryData<string> Ways => [.. s_ways.Keys];

    private static readonly SerialExecutor s_serial = new();
    private static readonly SerialExecutor s_inline = new(new SerialExecutorOptions { AllowSynchronousContinuations = true });
    private static readonly SerialExecutor s_direct = new(new SerialExecutorOptions { RunDirectlyWhenIdle = true });
    private static readonly ParallelExecutor s_parallel = new(4);
    private static readonly CancellationTokenSource s_token = new();
    private static readonly ValueTask<long>[] s_window = new ValueTask<long>[64];
    private static readonly long[] s_many = new long[64];
    private static readonly long[] s_results = new long[64];

    private static readonly Dictionary<string, Func<int, Task<long>>> s_ways = new()
    {
        ["round trip"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += await s_serial.ExecuteAsync(i, static i => i);
            return sum;
        },
        ["round trip, with a token"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += await s_serial.ExecuteAsync(i, static i => i, s_token.Token);
            return sum;
        },
        ["round trip of a class"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += (await s_serial.ExecuteAsync("a", static text => text)).Length + i - 1;
            return sum;
        },
        ["round trip, suspending"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += await s_serial.ExecuteAsync(i, static (i, _) => Hop.Through(i));
            return sum;
        },
        ["inline"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += await s_inline.ExecuteAsync(i, static i => i);
            return sum;
        },
        ["direct"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += await s_direct.ExecuteAsync(i, static i => i);
            return sum;
        },
        ["window of 64"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++)
            {
                int slot = i % s_window.Length;
                if (i >= s_window.Length) sum += await s_window[slot];
                s_window[slot] = s_serial.ExecuteAsync((long)i, static (in i) => i);
            }

            for (int i = 0; i < s_window.Length; i++) sum += await s_window[(count + i) % s_window.Length];
            return sum;
        },
        ["64 in one call"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i += s_many.Length)
            {
                for (int j = 0; j < s_many.Length; j++) s_many[j] = i + j;
                await s_serial.ExecuteManyAsync(s_many, s_results, static i => i);
                for (int j = 0; j < s_many.Length; j++) sum += s_results[j];
            }

            return sum;
        },
        ["parallel"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += await s_parallel.ExecuteAsync(i, static i => i);
            return sum;
        },
        ["parallel, suspending"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++) sum += await s_parallel.ExecuteAsync(i, static (i, _) => Hop.Through(i));
            return sum;
        },
        ["parallel, with calls that wait"] = static async count =>
        {
            long sum = 0;
            for (int i = 0; i < count; i++)
            {
                int slot = i % s_window.Length;
                if (i >= s_window.Length) sum += await s_window[slot];
                s_window[slot] = s_parallel.ExecuteAsync((long)i, static (i, _) => Hop.Through(i));
            }

            for (int i = 0; i < s_window.Length; i++) sum += await s_window[(count + i) % s_window.Length];
            return sum;
        },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Calls_InTheSteadyState_AllocateNothing(string way)
    {
        Func<int, Task<long>> run = s_ways[way];
        await Task.Run(() => run(WarmUp)).OrHang();
        await Allocated.AssertFewerAsync(Most, async () =>
            Assert.Equal((long)Count * (Count - 1) / 2, await Task.Run(() => run(Count)).OrHang()));
    }

    /// <summary>A handler that goes through the pool once, and allocates nothing itself.</summary>
    private sealed class Hop : PooledCompletion<long>, IThreadPoolWorkItem
    {
        private long _item;

        public static ValueTask<long> Through(long item)
        {
            Hop hop = Pool<Hop>.Rent();
            hop._item = item;
            ValueTask<long> task = hop.Task;
            ThreadPool.UnsafeQueueUserWorkItem(hop, preferLocal: false);
            return task;
        }

        void IThreadPoolWorkItem.Execute() => SetResult(_item);

        protected override void Release() => Pool<Hop>.Return(this);
    }
}
