using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>Reads for one observer, until the end or until it is disposed of.</summary>
internal sealed class Subscription<T>(Pipeline<T> pipeline, Outlet<T> outlet, IObserver<T> observer) : IDisposable
{
    private readonly CancellationTokenSource _disposed = new();

    public void Dispose() => _disposed.Cancel();

    public async Task RunAsync()
    {
        try
        {
            await ObserveAsync().ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            // The observer's own, as everything else has been told to it.
            outlet.Poller.Fail(fault);
        }
    }

    private async Task ObserveAsync()
    {
        Exception? failure = null;
        bool more = true;
        while (more)
        {
            try
            {
                more = await outlet.WaitToReadAsync(_disposed.Token).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                // Disposed of, or the pipeline's.
                failure = error;
                more = false;
            }

            while (more && !_disposed.IsCancellationRequested && outlet.TryRead(out T? item)) observer.OnNext(item);
            more &= !_disposed.IsCancellationRequested;
        }

        if (_disposed.IsCancellationRequested) await LeaveAsync().ConfigureAwait(false);
        else if (failure is null) observer.OnCompleted();
        else observer.OnError(failure);
    }

    private async Task LeaveAsync()
    {
        try
        {
            await pipeline.DetachAsync(outlet.Poller.Stage.Name).ConfigureAwait(false);
        }
        catch (Exception refusal) when (refusal is InvalidOperationException or KeyNotFoundException)
        {
            // It is draining or has ended, or other code has taken the stage out: what is left is passed by reading it.
            await PassAsync().ConfigureAwait(false);
        }
    }

    private async Task PassAsync()
    {
        try
        {
            while (await outlet.WaitToReadAsync().ConfigureAwait(false)) outlet.TakeBatch();
        }
        catch (Exception end) when (end is RingFaultedException or RingStoppedException)
        {
            // No observer is left to be told.
        }
    }
}
