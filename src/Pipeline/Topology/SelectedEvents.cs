using System.Numerics;
using System.Runtime.CompilerServices;
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
        // On the stack its state is forwarded for less than in the heap.
        THandler handler = _handler;
        // What is before it is done.
        long at = batch.Sequence;
        try
        {
            Handle(ref handler, batch, ref at);
        }
        catch
        {
            batch.FailAt((int)(at - batch.Sequence));
            throw;
        }
        finally
        {
            _handler = handler;
        }
    }

    private void Handle(ref THandler handler, Batch<T> batch, ref long at)
    {
        long last = batch.Sequence + SelectedWords.LastOf(selection, batch.Sequence, batch.Count);
        bool reports = batch.ProgressInterval != 0;
        var words = new SelectedWords(selection, batch.Sequence, batch.Count);
        while (words.MoveNext())
        {
            int from = Math.Max(0, words.Base);
            if (batch.IsHalted)
            {
                at = batch.Sequence + from;
                throw new OperationCanceledException();
            }

            for (ulong bits = words.Bits >> (from - words.Base); bits != 0;)
            {
                // SAFETY: the run lies inside the batch, and only bits of the batch are set.
                ref T first = ref batch.Run(from, reports ? 1 : Math.Min(64, batch.Count - from), out int length);
                ulong run = length == 64 ? bits : bits & ((1UL << length) - 1);
                HandleRun(ref handler, ref first, batch.Step, run, batch.Sequence + from, last, ref at);
                from += length;
                if (reports && run != 0) batch.Complete(from);
                bits = length == 64 ? 0 : bits >> length;
            }
        }
    }

    // By itself, so that what it needs is in registers. The fewer instructions an item takes, the more items a processor has under way
    // while it waits for memory.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void HandleRun(ref THandler handler, ref T first, nint step, ulong bits, long sequence, long last, ref long at)
    {
        for (; bits != 0; bits &= bits - 1)
        {
            int bit = BitOperations.TrailingZeroCount(bits);
            at = sequence + bit;
            handler.OnEvent(ref Unsafe.Add(ref first, bit * step), sequence + bit, sequence + bit == last);
        }
    }
}
