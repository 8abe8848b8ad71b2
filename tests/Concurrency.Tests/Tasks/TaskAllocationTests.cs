namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>Neither an item of a for-each nor a child of a scope costs an allocation of ours.</summary>
[Collection(AloneCollection.Name)]
public sealed class TaskAllocationTests
{
    private const int Items = 100_000;

    [Fact]
    public async Task ForEachAsync_BodiesThatSuspendOnPooledSources_AllocateNothing()
    {
        int[] items = [.. Enumerable.Range(0, Items)];
        var sum = new Sum();
        await AssertFewer(Items / 256, () => BoundedParallel.ForEachAsync(items, 4, sum, static (item, sum, _) =>
        {
            Interlocked.Add(ref sum.Value, item);
            return (item & 7) == 0 ? Hop.Rent() : default;
        }));
        Assert.Equal(0, sum.Value % ((long)Items * (Items - 1) / 2));
    }

    [Fact]
    public async Task Spawn_ManyChildren_AllocateNothing()
    {
        var sum = new Sum();
        // A cancellation source a scope, and what the pool's queues grow by.
        await AssertFewer(Items / 24, async () =>
        {
            for (int run = 0; run < Items / 1000; run++)
            {
                await using var scope = TaskScope.Rent();
                for (int i = 0; i < 1000; i++) scope.Spawn(sum, static (sum, _) => Interlocked.Increment(ref sum.Value));
                await scope.JoinAsync();
            }
        });

        Assert.Equal(0, sum.Value % Items);
    }

    [Fact]
    public async Task Add_ManyChildren_AllocateNothing()
    {
        const int Children = 1000;
        // Made before: a run measures what the scope adds to them.
        var made = new Queue<TaskCompletionSource[]>(Enumerable.Range(0, Allocated.Runs + 1).Select(static _ =>
            Enumerable.Range(0, Children).Select(static _ => new TaskCompletionSource()).ToArray()));
        await AssertFewer(Children / 24, async () =>
        {
            TaskCompletionSource[] children = made.Dequeue();
            await using var scope = TaskScope.Rent();
            foreach (TaskCompletionSource child in children) scope.Add(child.Task);
            Task join = scope.JoinAsync().AsTask();
            foreach (TaskCompletionSource child in children) child.SetResult();
            await join;
        });
    }

    private static async Task AssertFewer(long objects, Func<ValueTask> run)
    {
        await run();
        await Allocated.AssertFewerAsync(objects, () => run().AsTask());
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
