namespace Raceway.Measuring;

/// <summary>What the runtime counts anyway: work items of the thread pool, contended locks, collections.</summary>
/// <remarks>Of the whole process; contestants run one after another, so it is theirs.</remarks>
public readonly struct RuntimeCounts
{
    private readonly long _workItems;
    private readonly long _contentions;
    private readonly int _gen0;

    private RuntimeCounts(long workItems, long contentions, int gen0) =>
        (_workItems, _contentions, _gen0) = (workItems, contentions, gen0);

    /// <summary>The counts now.</summary>
    public static RuntimeCounts Start() =>
        new(ThreadPool.CompletedWorkItemCount, Monitor.LockContentionCount, GC.CollectionCount(0));

    /// <summary>What has been added since <see cref="Start"/>.</summary>
    public Count[] Stop() =>
    [
        new("work-items", "count", ThreadPool.CompletedWorkItemCount - _workItems),
        new("lock-contentions", "count", Monitor.LockContentionCount - _contentions),
        new("gen0", "count", GC.CollectionCount(0) - _gen0),
    ];
}
