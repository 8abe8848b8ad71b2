namespace Raceway.Rings;

/// <summary>Calls a batch handler: once a batch, or with batches of one where the policy says each or single.</summary>
/// <remarks>A struct handler is kept in a local for the call, see <see cref="EventStage{T,THandler}"/>.</remarks>
internal sealed class BatchStage<T, THandler>(
    Ring ring, Slots<T> column, THandler handler, StageOptions options, string name)
    : ColumnStage<T>(ring, column, options, name)
    where THandler : IBatchHandler<T>
{
    private THandler _handler = handler;

    private protected override object Handler
    {
        get => IWrapper.Unwrap(_handler);
        set => _handler = (THandler)IWrapper.Rewrap(_handler, value);
    }

    private protected override bool Invoke(long first, int count, Dispatch dispatch)
    {
        FaultIsExact = count == 1;
        CallEnd = first + count;
        THandler handler = _handler;
        try
        {
            if (dispatch.Level == DispatchLevel.Batch)
            {
                handler.OnBatch(Column.View(first, count, this));
                Reached = first + count;
                Done.Advance(Reached - 1);
                return true;
            }

            FaultIsExact = true;
            bool single = dispatch.Level == DispatchLevel.Single;
            int interval = dispatch.ProgressInterval == 0 ? int.MaxValue : dispatch.ProgressInterval;
            long end = first + count;
            long reported = first;
            for (long sequence = first; sequence < end && !Owner.Control.IsHalted; sequence++)
            {
                CallEnd = sequence + 1;
                handler.OnBatch(Column.View(sequence, 1, this));
                Reached = sequence + 1;
                if (!single && Reached - reported < interval && Reached != end) continue;
                Done.Advance(sequence);
                reported = Reached;
            }

            if (reported != Reached) Done.Advance(Reached - 1);
            return true;
        }
        finally
        {
            _handler = handler;
        }
    }
}
