using System.Numerics;
using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Says for which output an item is.</summary>
internal interface IClassifier<T>
{
    /// <summary>The output's index, below 255, or −1 where the item is for none.</summary>
    int OutputOf(ref T item);
}

/// <summary>The stage that writes selections: it looks at each item once, and sets its bit in that of its output.</summary>
/// <remarks>
/// The outputs of a word's items are written down first, and its bits stored once: readers of neighbours keep their cache
/// line meanwhile.
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
        Span<byte> chosen = stackalloc byte[64];
        int at = 0;
        try
        {
            while (words.MoveNext())
            {
                chosen.Fill(RouterOutputs.None);
                if (batch.IsHalted)
                {
                    at = Math.Max(0, words.Base);
                    throw new OperationCanceledException();
                }

                if (words.Bits == words.Range) ClassifyAll(batch, words.Base, words.Range, chosen, ref at);
                else ClassifySome(batch, words.Base, words.Bits, chosen, ref at);
                outputs.Store(words.Word, words.Range, chosen);
            }
        }
        catch
        {
            outputs.Store(words.Word, words.Range, chosen);
            chosen.Fill(RouterOutputs.None);
            while (words.MoveNext()) outputs.Store(words.Word, words.Range, chosen);
            batch.FailAt(at);
            throw;
        }
    }

    private void ClassifyAll(Batch<T> batch, int first, ulong range, Span<byte> chosen, ref int at)
    {
        int bit = BitOperations.TrailingZeroCount(range);
        int left = BitOperations.PopCount(range);
        while (left > 0)
        {
            // SAFETY: the run lies inside the batch, and a word has 64 bits.
            ref T item = ref batch.Run(first + bit, left, out int length);
            left -= length;
            for (int end = bit + length; bit < end; bit++)
            {
                at = first + bit;
                chosen[bit] = (byte)classifier.OutputOf(ref item);
                item = ref Unsafe.Add(ref item, batch.Step);
            }
        }
    }

    private void ClassifySome(Batch<T> batch, int first, ulong bits, Span<byte> chosen, ref int at)
    {
        for (; bits != 0; bits &= bits - 1)
        {
            int bit = BitOperations.TrailingZeroCount(bits);
            at = first + bit;
            chosen[bit] = (byte)classifier.OutputOf(ref batch[at]);
        }
    }
}
