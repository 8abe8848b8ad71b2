using System.Numerics;

namespace Raceway.Analysis.Layouts;

/// <summary>The lines that something may lie on.</summary>
/// <param name="Size">Bytes of a line, or of a pair of them where neighbours are fetched together; a power of two.</param>
/// <param name="At">How far into a line its address is; null where it may be any multiple of its step.</param>
public sealed record CacheLines(int Size, int? At = null)
{
    /// <summary>Where in a line an address may be, multiples of <paramref name="step"/> all.</summary>
    public IReadOnlyList<int> Places(int step) => At is { } at
        ? [at]
        : [.. Enumerable.Range(0, Math.Max(1, Size / step)).Select(place => place * step)];

    /// <summary>The line of a byte, counted from the line of the address.</summary>
    /// <param name="place">How far into its line the address is.</param>
    /// <param name="distance">Bytes from the address to the byte.</param>
    public int LineOf(int place, int distance) => (place + distance) >> BitOperations.Log2((uint)Size);

    /// <summary>Whether two runs of bytes have a line in common.</summary>
    public bool AreShared(int place, (int First, int End) one, (int First, int End) other) =>
        LineOf(place, one.First) <= LineOf(place, other.End - 1) && LineOf(place, other.First) <= LineOf(place, one.End - 1);
}
