namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>The chains that the write-up times with tasks, each a hop of <see cref="Chain.Hop"/> deep at a time.</summary>
public static class TaskChains
{
    private static readonly Task s_cached = Task.FromResult(true);

    /// <summary>The rows by name, as in the write-up.</summary>
    public static IReadOnlyList<(string Name, Func<Chain, int, Task> Run)> All { get; } =
    [
        ("subtask-chain-return", SubTaskReturn),
        ("subtask-chain-awaited", SubTaskAwaited),
        ("subtask-fanout-awaited", SubTaskFanout),
        ("continuation-chain", ContinuationChain),
        ("continuation-fanout", ContinuationFanout),
        ("yield-chain-awaited", YieldAwaited),
        ("async-chain-awaited", AsyncAwaited),
        ("async-chain-return", AsyncReturn),
        ("sync-chain-awaited", SyncAwaited),
        ("cached-task-await", CachedAwait),
        ("cached-task-check", CachedCheck),
        ("cached-task-return", CachedReturn),
    ];

    private static Task SubTaskReturn(Chain chain, int depth) => Task.Run(() =>
    {
        chain.Hop();
        return depth > 1 ? SubTaskReturn(chain, depth - 1) : Task.CompletedTask;
    });

    private static async Task SubTaskAwaited(Chain chain, int depth)
    {
        await Task.Run(chain.Hop).ConfigureAwait(false);
        if (depth > 1) await SubTaskAwaited(chain, depth - 1).ConfigureAwait(false);
    }

    // Beside each other they cannot count in one place: those that completed are counted at the end.
    private static async Task SubTaskFanout(Chain chain, int depth)
    {
        var tasks = new Task[depth];
        for (int i = 0; i < depth; i++) tasks[i] = Task.Run(static () => { });
        await Task.WhenAll(tasks).ConfigureAwait(false);
        foreach (Task task in tasks) Counted(chain, task);
    }

    private static async Task ContinuationChain(Chain chain, int depth)
    {
        Task last = Task.Run(chain.Hop);
        for (int i = 1; i < depth; i++)
            last = last.ContinueWith(static (_, state) => ((Chain)state!).Hop(), chain, TaskScheduler.Default);
        await last.ConfigureAwait(false);
    }

    private static async Task ContinuationFanout(Chain chain, int depth)
    {
        Task first = Task.Run(static () => { });
        var tasks = new Task[depth];
        for (int i = 0; i < depth; i++) tasks[i] = first.ContinueWith(static _ => { }, TaskScheduler.Default);
        await Task.WhenAll(tasks).ConfigureAwait(false);
        foreach (Task task in tasks) Counted(chain, task);
    }

    private static async Task YieldAwaited(Chain chain, int depth)
    {
        await Task.Yield();
        chain.Hop();
        if (depth > 1) await YieldAwaited(chain, depth - 1).ConfigureAwait(false);
    }

    private static async Task AsyncAwaited(Chain chain, int depth)
    {
        if (depth > 1) await AsyncAwaited(chain, depth - 1).ConfigureAwait(false);
        else await Task.Yield();
        chain.Hop();
    }

    private static Task AsyncReturn(Chain chain, int depth)
    {
        chain.Hop();
        return depth > 1 ? AsyncReturn(chain, depth - 1) : YieldOnce();
    }

    private static async Task YieldOnce() => await Task.Yield();

    private static async Task SyncAwaited(Chain chain, int depth)
    {
        chain.Hop();
        if (depth > 1) await SyncAwaited(chain, depth - 1).ConfigureAwait(false);
    }

    private static async Task CachedAwait(Chain chain, int depth)
    {
        await Cached(chain).ConfigureAwait(false);
        if (depth > 1) await CachedAwait(chain, depth - 1).ConfigureAwait(false);
    }

    private static Task CachedCheck(Chain chain, int depth)
    {
        Task task = Cached(chain);
        if (!task.IsCompletedSuccessfully) return task;
        return depth > 1 ? CachedCheckNext(CachedCheck(chain, depth - 1)) : s_cached;
    }

    private static Task CachedCheckNext(Task task) => task.IsCompletedSuccessfully ? s_cached : task;

    private static Task CachedReturn(Chain chain, int depth)
    {
        chain.Hop();
        return depth > 1 ? CachedReturn(chain, depth - 1) : s_cached;
    }

    private static Task Cached(Chain chain)
    {
        chain.Hop();
        return s_cached;
    }

    private static void Counted(Chain chain, Task task)
    {
        if (task.IsCompletedSuccessfully) chain.Hop();
    }
}
