using System.Numerics;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Says for which output an item is.</summary>
internal interface IClassifier<T>
{
    /// <summary>The output's index, or −1 where the item is for none.</summary>
    int OutputOf(ref T item);
}

/// <summary>The stage that writes selections: it looks at each item once, and sets its bit in that of its output.</summary>
/// <remarks>
/// A word of bits is put together first and stored once: readers of its neighbours keep their cache line meanwhile.
/// An item that the classifier fails at is for no output, whatever the policy does with it: the bits behind a failure are
/// cleared before the exception leaves.
/// </remarks>
/// <param name="classifier">Chooses the output.</param>
/// <param name="from">The items that it is for: all others are for no output.</param>
/// <param name="outputs">Written by this stage alone.</param>
internal sealed class Router<T, TClassifier>(TClassifier classifier, SelectionSet from, RouterOutputs outputs)
    : IBatchHandler<T>
    where TClassifier : IClassifier<T>
{
    public void OnBatch(Batch<T> batch)
    {
        var words = new SelectedWords(from, outputs.Capacity, batch.Sequence, batch.Count);
        Span<ulong> chosen = outputs.Chosen;
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
                    int output = classifier.OutputOf(ref batch[at]);
                    if (output >= 0) chosen[output] |= bits & (0 - bits);
                }

                outputs.Store(words.Word, words.Range);
            }
        }
        catch
        {
            do outputs.Store(words.Word, words.Range);
            while (words.MoveNext());
            batch.FailAt(at);
            throw;
        }
    }
}
