using System.Diagnostics.CodeAnalysis;

namespace Raceway.Suites.MainJob.Hashing;

/// <summary>What SHA-512 does with words, for as many of them as <typeparamref name="T"/> holds: a word of each lane's message.</summary>
/// <typeparam name="T">A vector of 64-bit words, or one.</typeparam>
internal interface IWords<T>
    where T : struct
{
    /// <summary>The same word in each lane.</summary>
    static abstract T All(ulong word);

    /// <summary>The sum of each lane.</summary>
    static abstract T Add(T left, T right);

    /// <summary>The words moved right by <paramref name="by"/> bits; what leaves comes back at the left.</summary>
    static abstract T Rotate(T words, [ConstantExpected] byte by);

    /// <summary>The words moved right by <paramref name="by"/> bits.</summary>
    static abstract T Shift(T words, [ConstantExpected] byte by);

    /// <summary>Exclusive or of three.</summary>
    static abstract T Xor(T first, T second, T third);

    /// <summary>Bits of <paramref name="one"/> where <paramref name="chooser"/> has a 1, else of <paramref name="zero"/>.</summary>
    static abstract T Choose(T chooser, T one, T zero);

    /// <summary>Takes as many rows as there are lanes, each with words of one lane in a row: afterwards each has one word of each lane.</summary>
    static abstract void Transpose(Span<T> rows);

    /// <summary>The bytes of each word the other way round.</summary>
    static abstract T Reverse(T words);

    /// <summary>Bits that at least two of the three have.</summary>
    static abstract T Majority(T first, T second, T third);
}
