namespace Raceway.Rings;

/// <summary>Calls a handler that returns what has become of its batch; with batches of one where the policy says each or single.</summary>
/// <remarks>A struct handler is kept in a local for the call, see <see cref="EventStage{T,THandler}"/>.</remarks>
internal sealed class OutcomeStage<T, THandler>(
    Ring ring, Slots<T> column, THandler handler, StageOptions options, string name)
    : ColumnStage<T>(ring, column, options, name)
    where THandler : IOutcomeHandler<T>
{
    private THandler _handler = handler;

    private protected override object Handler
    {
        get => IWrapper.Unwrap(_handler);
        set => _handler = (THandler)IWrapper.Rewrap(_handler, value);
    }

    private protected override int MostFrom(long sequence, long within, Dispatch dispatch) =>
        dispatch.Level == DispatchLevel.Batch ? base.MostFrom(sequence, within, dispatch) : 1;

    private protected override bool Invoke(long first, int count, Dispatch dispatch)
    {
        FaultIsExact = count == 1;
        CallEnd = first + count;
        THandler handler = _handler;
        try
        {
            return Take(handler.OnBatch(Column.View(first, count, this)), first, count);
        }
        finally
        {
            _handler = handler;
        }
    }
}
