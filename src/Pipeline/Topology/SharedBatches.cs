using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A worker's handler: of each batch it takes chunks that no other worker has, and passes over the rest.</summary>
/// <remarks>
/// <para>What others have taken is theirs to hold back: a stage that follows the share follows all workers. So an item goes on when
/// its worker, and each worker that passed over it, has reported it. While a chunk is handled the worker's progress stands
/// before it, and no further back.</para>
/// <para>After a fault the stage comes again with what is left. The rest of the chunk is this worker's still; everything
/// behind it may go to any worker.</para>
/// </remarks>
internal struct SharedBatches<T, THandler>(WorkShare share, THandler handler) : IBatchHandler<T>, IWrapper
    where THandler : IBatchHandler<T>
{
    private THandler _handler = handler;
    private long _ownEnd;

    public object Inner
    {
        readonly get => _handler;
        set => _handler = (THandler)value;
    }

    public void OnBatch(Batch<T> batch)
    {
        long first = batch.Sequence;
        long end = first + batch.Count;
        if (_ownEnd > first) Handle(batch, first, (int)(Math.Min(_ownEnd, end) - first));
        while (share.TryTake(first, end, out long from, out int count))
        {
            _ownEnd = from + count;
            Handle(batch, from, count);
        }
    }

    private void Handle(Batch<T> batch, long from, int count)
    {
        int start = (int)(from - batch.Sequence);
        batch.Complete(start);
        if (batch.IsHalted) throw new OperationCanceledException();
        try
        {
            _handler.OnBatch(batch.Slice(start, count));
        }
        catch
        {
            batch.FailAt(start, count);
            throw;
        }
    }
}
