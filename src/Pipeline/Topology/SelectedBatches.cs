using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A batch handler with an input that selects: it is given the maximal runs of selected neighbours.</summary>
/// <remarks>What lies between the runs is passed over, and done.</remarks>
internal struct SelectedBatches<T, THandler>(SelectionSet selection, THandler handler) : IBatchHandler<T>, IWrapper
    where THandler : IBatchHandler<T>
{
    private THandler _handler = handler;

    public object Inner
    {
        readonly get => _handler;
        set => _handler = (THandler)value;
    }

    public void OnBatch(Batch<T> batch)
    {
        var runs = new SelectedRuns(selection, batch.Sequence, batch.Count);
        THandler handler = _handler;
        int start = 0;
        int length = 0;
        try
        {
            while (runs.MoveNext())
            {
                start = runs.Start;
                length = runs.Length;
                handler.OnBatch(batch.Slice(start, length));
            }
        }
        catch
        {
            batch.FailAt(start, length);
            throw;
        }
        finally
        {
            _handler = handler;
        }
    }
}
