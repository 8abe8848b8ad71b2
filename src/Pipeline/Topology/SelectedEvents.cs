using System.Numerics;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A handler of single items with an input that selects; with all selected, as a handler of batches.</summary>
/// <remarks>Faults are exact, as they are without one, and a halt is looked for every 64 slots.</remarks>
internal struct SelectedEvents<T, THandler>(SelectionSet selection, THandler handler) : IBatchHandler<T>, IWrapper
    where THandler : IEventHandler<T>
{
    private THandler _handler = handler;

    public object Inner
    {
        readonly get => _handler;
        set => _handler = (THandler)value;
    }

    public void OnBatch(Batch<T> batch)
    {
        var words = new SelectedWords(selection, batch.Sequence, batch.Count);
        int last = SelectedWords.LastOf(selection, batch.Sequence, batch.Count);
        int reports = batch.ProgressInterval;
        THandler handler = _handler;
        // What is before it is done.
        int at = 0;
        try
        {
            while (words.MoveNext())
            {
                if (batch.IsHalted)
                {
                    at = Math.Max(0, words.Base);
                    throw new OperationCanceledException();
                }

                for (ulong bits = words.Bits; bits != 0; bits &= bits - 1)
                {
                    at = words.Base + BitOperations.TrailingZeroCount(bits);
                    handler.OnEvent(ref batch[at], batch.Sequence + at, at == last);
                    if (reports != 0) batch.Complete(at + 1);
                }
            }
        }
        catch
        {
            batch.FailAt(at);
            throw;
        }
        finally
        {
            _handler = handler;
        }
    }
}
