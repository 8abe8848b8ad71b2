namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>Neither an item of a for-each nor a child of a scope costs an allocation of ours.</summary>
[Collection(AloneCollection.Name)]
public sealed class TaskAllocationTests
{
    private const int Items = 100_000;

    // Something else in the process may allocate meanwhile; what an item costs it costs every time.
    private const int Attempts = 10;

    [Fact]
    public async Task ForEachAsync_BodiesThatSuspendOnPooledSources_AllocateNothing()
    {
        int[] items = [.. Enumerable.Range(0, Items)];
        var sum = new Sum();
        long least = await LeastBytes(Items / 10, () => BoundedParallel.ForEachAsync(items, 4, sum, static (item, sum, _) =>
        {
            Interlocked.Add(ref sum.Value, item);
            return (item & 7) == 0 ? Hop.Rent() : default;
        }));
        Assert.InRange(least, 0, Items / 10);
        Assert.Equal(0, sum.Value % ((long)Items * (Items - 1) / 2));
    }

    [Fact]
    public async Task Spawn_ManyChildren_AllocateNothing()
    {
        var sum = new Sum();
        long least = await LeastBytes(Items, async () =>
        {
            for (int run = 0; run < Items / 1000; run++)
            {
                await using var scope = TaskScope.Rent();
                for (int i = 0; i < 1000; i++) scope.Spawn(sum, static (sum, _) => Interlocked.Increment(ref sum.Value));
                await scope.JoinAsync();
            }
        });

        // A cancellation source a scope, and what the pool's queues grow by.
        Assert.InRange(least, 0, Items);
        Assert.Equal(0, sum.Value % Items);
    }

    [Fact]
    public async Task Add_ManyChildren_AllocateNothing()
    {
        var children = new TaskCompletionSource[1000];
        long least = long.MaxValue;
        for (int attempt = 0; attempt < Attempts + 1; attempt++)
        {
            for (int i = 0; i < children.Length; i++) children[i] = new TaskCompletionSource();
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await using (var scope = TaskScope.Rent())
            {
                foreach (TaskCompletionSource child in children) scope.Add(child.Task);
                Task join = scope.JoinAsync().AsTask();
                foreach (TaskCompletionSource child in children) child.SetResult();
                await join;
            }

            if (attempt > 0) least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.InRange(least, 0, children.Length);
    }

    private static async Task<long> LeastBytes(long most, Func<ValueTask> run)
    {
        await run();
        return await Allocated.LeastAsync(most, () => run().AsTask());
    }

    private sealed class Sum
    {
        public long Value;
    }

    /// <summary>A value task that completes by a work item of the pool, without allocation.</summary>
    private sealed class Hop : PooledCompletion<bool>, IThreadPoolWorkItem
    {
        public static ValueTask Rent()
        {
            Hop hop = Pool<Hop>.Rent();
            ValueTask task = hop.TaskWithoutResult;
            ThreadPool.UnsafeQueueUserWorkItem(hop, preferLocal: false);
            return task;
        }

        void IThreadPoolWorkItem.Execute() => SetResult(true);

        protected override void Release() => Pool<Hop>.Return(this);
    }
}
