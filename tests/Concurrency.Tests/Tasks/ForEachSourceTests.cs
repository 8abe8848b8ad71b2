using System.Threading.Tasks.Sources;

namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>The result of each body's task is taken once, whenever it completes: its source may wait to be given back.</summary>
public sealed class ForEachSourceTests
{
    public static TheoryData<bool, int> Looks => Cross.Of([false, true], [0, 1, 2, 3]);

    [Theory]
    [MemberData(nameof(Looks))]
    public async Task ForEachAsync_BodiesThatCompleteWhileTheyAreLookedAt_TakesEachResultOnce(bool isSequence, int pendingLooks)
    {
        SeenSource[] sources = [.. Enumerable.Range(0, 100).Select(i => new SeenSource(pendingLooks * (i % 2)))];
        ValueTask Body(SeenSource one, CancellationToken _) => new(one, 0);

        if (isSequence) await BoundedParallel.ForEachAsync(sources.Where(static _ => true), 3, Body).OrHang();
        else await BoundedParallel.ForEachAsync(sources, 3, Body).OrHang();

        Assert.All(sources, static one => Assert.Equal(1, one.Results));
    }

    /// <summary>One that has completed, and says so from a later look on.</summary>
    private sealed class SeenSource(int pendingLooks) : IValueTaskSource
    {
        private int _pending = pendingLooks;
        private int _results;

        public int Results => Volatile.Read(ref _results);

        public ValueTaskSourceStatus GetStatus(short token) =>
            Interlocked.Decrement(ref _pending) >= 0 ? ValueTaskSourceStatus.Pending : ValueTaskSourceStatus.Succeeded;

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            ThreadPool.UnsafeQueueUserWorkItem(continuation, state, preferLocal: false);

        public void GetResult(short token) => Interlocked.Increment(ref _results);
    }
}
