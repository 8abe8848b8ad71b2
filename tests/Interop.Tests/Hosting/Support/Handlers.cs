using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>Adds up what it is given, and knows when it was disposed of.</summary>
internal sealed class Adder : IBatchHandler<long>, IStageLifetime, IDisposable
{
    private long _count;
    private long _sum;

    public long Count => Interlocked.Read(ref _count);

    public long Sum => Interlocked.Read(ref _sum);

    public bool Stopped { get; private set; }

    /// <summary>Whether the stage had ended when this was disposed of; null where it was not.</summary>
    public bool? DisposedAfterItsStage { get; private set; }

    public int Disposals { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        foreach (ref long item in batch)
        {
            Interlocked.Add(ref _sum, item);
            Interlocked.Increment(ref _count);
        }
    }

    public void OnStart()
    {
    }

    public void OnStop() => Stopped = true;

    public void Dispose()
    {
        DisposedAfterItsStage = Stopped;
        Disposals++;
    }
}

/// <summary>Handles some items, and waits at the next one until the pipeline is halted.</summary>
internal sealed class StopsAt(long last) : IAsyncBatchHandler<long>
{
    public long Handled { get; private set; }

    public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            if (Handled == last) await Task.Delay(Timeout.Infinite, cancellation);
            Handled++;
            batch.Complete(i + 1);
        }
    }
}

/// <summary>Does not return from its first call before it is let go.</summary>
internal sealed class Hangs : IBatchHandler<long>, IDisposable
{
    public ManualResetEventSlim Entered { get; } = new();

    public ManualResetEventSlim LetGo { get; } = new();

    public bool IsDisposed { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        Entered.Set();
        LetGo.Wait();
    }

    public void Dispose() => IsDisposed = true;
}
