using System.Diagnostics;
using Raceway.Measuring;
using Raceway.Suites.Batching;

namespace Raceway.Suites.JournalSuite.Logs;

/// <summary>One way to make items durable: it takes them one after another, says which are, and reads them back.</summary>
/// <remarks>
/// It stays open over all rounds of its contestant. <see cref="Begin"/>, then <see cref="Give"/> for each item by one thread, then
/// <see cref="ReadBack"/> when all of them have been acknowledged.
/// </remarks>
internal abstract class DurableLog : IDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);

    /// <summary>Groups that have been synced since it was opened.</summary>
    public abstract long Groups { get; }

    /// <summary>The round's acknowledgements.</summary>
    protected Acknowledgements Acknowledged { get; private set; } = null!;

    /// <summary>A round begins.</summary>
    public virtual void Begin(Acknowledgements acknowledged) => Acknowledged = acknowledged;

    /// <summary>Takes the next item of the round. It may wait for room.</summary>
    public abstract void Give(in Job job);

    /// <summary>Shows each item that is stored of this round, in the order of the store.</summary>
    /// <param name="count">How many at most.</param>
    /// <param name="item">Shown each.</param>
    public abstract void ReadBack(long count, StoredReader item);

    /// <summary>Waits for what it still does in the background, so that the next contestant has the disk alone.</summary>
    public virtual void Settle()
    {
    }

    /// <summary>Gives items one by one, each when the one before is durable and all threads have gone to sleep.</summary>
    public virtual Task OneByOneAsync(long items, LatencyHistogram latency)
    {
        for (long index = 0; index < items; index++)
        {
            Pause();
            long since = Stopwatch.GetTimestamp();
            Give(new Job(index, since));
            Acknowledged.Wait(index + 1);
            Record(latency, since);
        }

        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public abstract void Dispose();

    /// <summary>
    /// The pause between two items that come one by one. Everyone's is the same sleep: a timer's took 3 ms, and after that the
    /// threads of the contestant took longer to wake up.
    /// </summary>
    protected static void Pause() => Thread.Sleep(s_pause);

    /// <summary>Records how long it took since then.</summary>
    protected static void Record(LatencyHistogram latency, long since) => latency.Record((long)Stopwatch.GetElapsedTime(since).TotalNanoseconds);
}

/// <summary>Is shown a stored item.</summary>
internal delegate void StoredReader(ReadOnlySpan<byte> item);
