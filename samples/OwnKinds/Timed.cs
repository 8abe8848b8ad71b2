using System.Diagnostics;
using Raceway.Pipelines;
using Raceway.Rings;

/// <summary>A stage that times the calls of its handler.</summary>
internal sealed class Timed<T>(Timings timings, SlotAction<T> action) : StageKind<T>
{
    public override Stage Attach(StageSite<T> site) => site.Attach(new Handler(timings, action));

    private sealed class Handler(Timings timings, SlotAction<T> action) : IBatchHandler<T>
    {
        public void OnBatch(Batch<T> batch)
        {
            long from = Stopwatch.GetTimestamp();
            int done = 0;
            foreach (ref T item in batch)
            {
                action(ref item);
                // An item behind it may fail: this one is not handled again.
                batch.Complete(++done);
            }

            timings.Add(batch.Count, Stopwatch.GetTimestamp() - from);
        }
    }
}

/// <summary>What was timed, by any of the threads that share the work.</summary>
internal sealed class Timings
{
    private long _calls;
    private long _items;
    private long _ticks;

    public long Calls => Volatile.Read(ref _calls);

    public long Items => Volatile.Read(ref _items);

    public long Ticks => Volatile.Read(ref _ticks);

    public void Add(int items, long ticks)
    {
        Interlocked.Increment(ref _calls);
        Interlocked.Add(ref _items, items);
        Interlocked.Add(ref _ticks, ticks);
    }
}
