using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A worker's async handler, see <see cref="SharedBatches{T,THandler}"/>.</summary>
internal sealed class SharedAsync<T>(WorkShare share, IAsyncBatchHandler<T> handler) : IAsyncBatchHandler<T>, IWrapper
{
    private long _ownEnd;

    public object Inner
    {
        get => handler;
        set { }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        long first = batch.Sequence;
        long end = first + batch.Count;
        int start = 0;
        int count = (int)(Math.Min(_ownEnd, end) - first);
        while (count > 0 || Take(first, end, out start, out count))
        {
            batch.Complete(start);
            cancellation.ThrowIfCancellationRequested();
            try
            {
                await handler.OnBatchAsync(batch.Slice(start, count), cancellation).ConfigureAwait(false);
            }
            catch
            {
                batch.FailAt(start, count);
                throw;
            }

            count = 0;
        }
    }

    private bool Take(long first, long end, out int start, out int count)
    {
        bool taken = share.TryTake(first, end, out long from, out count);
        if (taken) _ownEnd = from + count;
        start = (int)(from - first);
        return taken;
    }
}
