using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>A handler around another: the optional interfaces are those of the one inside.</summary>
internal abstract class TracedHooks(object handler) : IStageLifetime, IIdleHandler, IWideHandler, IWholeBatchHandler
{
    public int Width => (handler as IWideHandler)?.Width ?? 1;

    public bool TakesAll => handler is IWholeBatchHandler { TakesAll: true };

    public void OnStart() => (handler as IStageLifetime)?.OnStart();

    public void OnStop() => (handler as IStageLifetime)?.OnStop();

    public void OnIdle() => (handler as IIdleHandler)?.OnIdle();
}

/// <summary>A span around each call.</summary>
internal sealed class TracedHandler<T>(IBatchHandler<T> handler, string name, ItemContext<T> contextOf)
    : TracedHooks(handler), IBatchHandler<T>
{
    public void OnBatch(Batch<T> batch)
    {
        if (BatchTracing.IsOn) Trace(batch);
        else handler.OnBatch(batch);
    }

    private void Trace(Batch<T> batch)
    {
        var links = new BatchTracing.Links();
        foreach (ref T item in batch) links.Add(contextOf(ref item));
        Activity? outer = Activity.Current;
        Activity? span = BatchTracing.Start(name, links, batch.Sequence, batch.Count, batch.CloseReason);
        try
        {
            handler.OnBatch(batch);
        }
        catch (Exception fault)
        {
            BatchTracing.Fail(span, fault);
            throw;
        }
        finally
        {
            span?.Dispose();
            Activity.Current = outer;
        }
    }
}

/// <summary>A span around each call, until its task completes.</summary>
internal sealed class TracedAsyncHandler<T>(IAsyncBatchHandler<T> handler, string name, ItemContext<T> contextOf)
    : TracedHooks(handler), IAsyncBatchHandler<T>
{
    public ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation) =>
        BatchTracing.IsOn ? TraceAsync(batch, cancellation) : handler.OnBatchAsync(batch, cancellation);

    private async ValueTask TraceAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        var links = new BatchTracing.Links();
        for (int i = 0; i < batch.Count; i++) links.Add(contextOf(ref batch[i]));
        // An async method gives its caller the context back that it came with.
        using Activity? span = BatchTracing.Start(name, links, batch.Sequence, batch.Count, batch.CloseReason);
        try
        {
            await handler.OnBatchAsync(batch, cancellation).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            BatchTracing.Fail(span, fault);
            throw;
        }
    }
}
