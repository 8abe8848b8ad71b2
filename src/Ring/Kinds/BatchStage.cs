namespace Raceway.Rings;

/// <summary>Calls a handler of batches, and takes what it returns has become of each.</summary>
/// <remarks>
/// <para>A call is given all items of the step, or one at a time, as the policy says (<see cref="Dispatch.CallSize"/>).
/// Handlers that return nothing are wrapped (<see cref="PlainBatches{T,THandler}"/>).</para>
/// <para>A struct handler is kept in a local for the call, see <see cref="EventStage{T,THandler}"/>.</para>
/// </remarks>
internal sealed class BatchStage<T, THandler>(
    Ring ring, Slots<T> column, THandler handler, StageOptions options, string name)
    : ColumnStage<T>(ring, column, options, name)
    where THandler : IOutcomeHandler<T>
{
    private THandler _handler = handler;

    internal override object Handler
    {
        get => IWrapper.Unwrap(_handler);
        set => _handler = (THandler)IWrapper.Rewrap(_handler, value);
    }

    // What a handler returns is said of its whole batch: only those that return nothing are wrapped.
    internal override bool CanSplit => _handler is IWrapper && !IWrapper.KeepsState(_handler);

    internal override bool Invoke(long first, int count, Dispatch dispatch)
    {
        CallEnd = first + count;
        THandler handler = _handler;
        try
        {
            if (count > dispatch.CallSize) return InvokeOneByOne(ref handler, first, count, dispatch.ReportInterval);
            return Take(handler.OnBatch(Column.View(first, count, this)), first, count);
        }
        finally
        {
            _handler = handler;
        }
    }

    private bool InvokeOneByOne(ref THandler handler, long first, int count, int interval)
    {
        long end = first + count;
        long reported = first;
        for (long sequence = first; sequence < end && !Owner.Control.IsHalted; sequence++)
        {
            CallEnd = sequence + 1;
            if (!Take(handler.OnBatch(Column.View(sequence, 1, this)), sequence, 1)) return false;
            if (Reached - reported < interval || Reached == end) continue;
            Done.Advance(sequence);
            reported = Reached;
        }

        return true;
    }
}

/// <summary>A handler class of batches that returns nothing: what returns is done.</summary>
/// <remarks>Not generic in the handler: code that all classes share would look the wrapper up at every call.</remarks>
internal readonly struct PlainBatches<T>(IBatchHandler<T> handler) : IOutcomeHandler<T>, IWrapper
{
    public object Inner
    {
        get => handler;
        set { }
    }

    public BatchOutcome OnBatch(Batch<T> batch)
    {
        handler.OnBatch(batch);
        return BatchOutcome.Done;
    }
}

/// <summary>The same for a struct, which is called directly.</summary>
internal struct PlainBatches<T, THandler>(THandler handler) : IOutcomeHandler<T>, IWrapper
    where THandler : IBatchHandler<T>
{
    private THandler _handler = handler;

    public object Inner
    {
        readonly get => _handler;
        set => _handler = (THandler)value;
    }

    public BatchOutcome OnBatch(Batch<T> batch)
    {
        _handler.OnBatch(batch);
        return BatchOutcome.Done;
    }
}
