using System.Diagnostics;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Testing;

// A wait strategy and a kind of stage that Raceway does not have, written here, on its public types alone.
var timings = new Timings();
await using (Pipeline<long> pipeline = Pipeline.Of<long>(1024)
    .WaitWith(new SleepyWait(TimeSpan.FromMilliseconds(1)))
    .Stage("root", new Timed<long>(timings, static (ref long item) => item = (long)Math.Sqrt(item)))
    .Run())
{
    SingleProducer<long> producer = pipeline.CreateProducer();
    for (long item = 0; item < 10_000; item++) producer.Publish(item);
    Console.WriteLine(await pipeline.DrainAsync(TimeSpan.FromSeconds(30)));
}

Console.WriteLine($"{timings.Items} items in {timings.Calls} calls, each timed: {timings.Ticks > 0}");

// What Raceway's own strategies and kinds are held to.
WaitContract.Check(new SleepyWait(TimeSpan.FromMilliseconds(1)));
Console.WriteLine("the wait strategy keeps its contract");
StageKindContract.Check(action => new Timed<long>(new Timings(), action));
Console.WriteLine("the kind of stage keeps its contract");

/// <summary>Looks a hundred times, then sleeps: little processor time, and late by one sleep.</summary>
internal sealed class SleepyWait(TimeSpan sleep) : PolledWait("sleepy")
{
    protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => new Sleeper(sleep);

    private sealed class Sleeper(TimeSpan sleep) : PolledWaiter
    {
        public override void Wait(WaitView target)
        {
            for (int i = 0; i < 100; i++)
            {
                if (target.IsOver || target.IsDue) return;
                Thread.SpinWait(10);
            }

            Thread.Sleep(sleep);
        }
    }
}

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
