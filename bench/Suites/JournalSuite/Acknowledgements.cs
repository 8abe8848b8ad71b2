using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Raceway.Measuring;
using Raceway.Suites.Batching;

namespace Raceway.Suites.JournalSuite;

/// <summary>How many items of a round are durable, and how long after it was due each one was told to be.</summary>
/// <param name="feed">The items; null where they come one by one.</param>
/// <param name="latency">Where latencies go; null at full speed.</param>
internal sealed class Acknowledgements(JournalRound round, JobFeed? feed, LatencyHistogram? latency)
{
    private readonly object _gate = new();
    private long _count;
    private Exception? _fault;

    /// <summary>The round.</summary>
    public JournalRound Round => round;

    /// <summary>Items acknowledged.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>All items below that index are durable. Called in order, by one thread at a time.</summary>
    public void Reach(long count)
    {
        if (latency is not null && feed is not null)
        {
            long now = Stopwatch.GetTimestamp();
            for (long index = _count; index < count; index++) Record(now - feed.DueOf(index));
        }

        lock (_gate)
        {
            _count = count;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>One item is durable, in any order. By any thread.</summary>
    public void Take(in Job job)
    {
        long now = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            if (latency is not null) Record(now - job.Due);
            _count++;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Nothing more will be durable.</summary>
    public void Fail(Exception fault)
    {
        lock (_gate)
        {
            _fault = fault;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Waits until so many are durable.</summary>
    public void Wait(long count)
    {
        lock (_gate)
        {
            while (_count < count && _fault is null) Monitor.Wait(_gate);
            if (_count < count) ExceptionDispatchInfo.Throw(_fault!);
        }
    }

    private void Record(long ticks) => latency!.Record(JobFeed.Nanoseconds(ticks));
}

/// <summary>A round of a log.</summary>
/// <param name="Number">Written into each item.</param>
internal readonly record struct JournalRound(long Number);
