namespace Raceway.Rings;

/// <summary>A map handler as a batch handler: the result column rides along.</summary>
internal struct MapAdapter<TIn, TOut, THandler>(THandler handler, Slots<TOut> results) : IBatchHandler<TIn>, IWrapper
    where THandler : IMapHandler<TIn, TOut>
{
    private THandler _handler = handler;

    public object Inner
    {
        readonly get => _handler;
        set => _handler = (THandler)value;
    }

    public void OnBatch(Batch<TIn> batch)
    {
        try
        {
            _handler.OnBatch(batch, results.View(batch.Sequence, batch.Count, null));
        }
        catch
        {
            // What is passed over by policy has no result, rather than that of another item a lap ago.
            long first = Math.Max(batch.Sequence, batch.FirstUnmarked);
            for (long sequence = first; sequence < batch.Sequence + batch.Count; sequence++) results.Reset(sequence);
            throw;
        }
    }
}
