using System.Runtime.InteropServices;

namespace Raceway.Suites.Batching;

/// <summary>Count and content of things in their order, as one number: another order, or one more or less, is another number.</summary>
public struct Fold
{
    private const ulong Prime = 1_099_511_628_211;

    /// <summary>Things taken.</summary>
    public long Count { get; private set; }

    /// <summary>The number.</summary>
    public ulong Value { get; private set; }

    /// <summary>Takes a number.</summary>
    public void Take(ulong value)
    {
        Count++;
        Value = (Value ^ value) * Prime;
    }

    /// <summary>Takes some bytes.</summary>
    public void Take(ReadOnlySpan<byte> bytes)
    {
        ulong sum = (ulong)bytes.Length;
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(bytes)) sum = (sum ^ word) * Prime;
        foreach (byte one in bytes[(bytes.Length & ~7)..]) sum = (sum ^ one) * Prime;
        Take(sum);
    }

    /// <summary>The fold of the first messages of a corpus.</summary>
    /// <param name="corpus">The messages.</param>
    /// <param name="jobs">How many.</param>
    public static Fold Of(Corpus corpus, long jobs)
    {
        Fold fold = default;
        for (long i = 0; i < jobs; i++) fold.Take(corpus[i]);
        return fold;
    }

    /// <summary>Whether both have taken the same.</summary>
    public readonly bool IsSameAs(Fold other) => Count == other.Count && Value == other.Value;
}
