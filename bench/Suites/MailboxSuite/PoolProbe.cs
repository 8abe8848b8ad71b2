using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.MailboxSuite;

/// <summary>What unrelated work of the thread pool feels: a work item every millisecond, and how long until each runs.</summary>
/// <remarks>Queued whether the ones before have run or not: a pool that stands still is seen by all of them.</remarks>
internal sealed class PoolProbe : IDisposable
{
    private readonly LatencyHistogram _delays = new();
    private readonly Thread _thread;
    private volatile bool _stop;
    private int _open;

    public PoolProbe()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "pool-probe", Priority = ThreadPriority.Highest };
        _thread.Start();
    }

    /// <summary>Ends it, and waits for the last; the delays in nanoseconds.</summary>
    public LatencyHistogram Stop()
    {
        Dispose();
        while (Volatile.Read(ref _open) > 0) Thread.Sleep(1);
        return _delays;
    }

    public void Dispose()
    {
        _stop = true;
        _thread.Join();
    }

    private void Run()
    {
        while (!_stop)
        {
            Interlocked.Increment(ref _open);
            ThreadPool.UnsafeQueueUserWorkItem(new Item(this), preferLocal: false);
            Thread.Sleep(1);
        }
    }

    private sealed class Item(PoolProbe probe) : IThreadPoolWorkItem
    {
        private readonly long _queuedAt = Stopwatch.GetTimestamp();

        public void Execute()
        {
            var delay = (long)Stopwatch.GetElapsedTime(_queuedAt).TotalNanoseconds;
            lock (probe._delays) probe._delays.Record(delay);
            Interlocked.Decrement(ref probe._open);
        }
    }
}
