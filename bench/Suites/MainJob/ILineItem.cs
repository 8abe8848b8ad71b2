namespace Raceway.Suites.MainJob;

/// <summary>What the stages need from an item, so that one stage code serves runs with and without hashes.</summary>
/// <remarks>Static members on a struct type parameter: the compiler makes a copy for each item and inlines them.</remarks>
/// <typeparam name="TSelf">The item itself.</typeparam>
public interface ILineItem<TSelf>
    where TSelf : struct, ILineItem<TSelf>
{
    /// <summary>Whether the item has room for a digest, and its pipelines a hash stage.</summary>
    static abstract bool Hashed { get; }

    /// <summary>The line in the item.</summary>
    static abstract ref Line LineOf(ref TSelf item);

    /// <summary>Room for the digest of the line's bytes; empty where there is none.</summary>
    static abstract Span<byte> DigestOf(ref TSelf item);

    /// <summary>The 64 bits of the item that go into the fold over all lines.</summary>
    static abstract ulong FoldOf(ref TSelf item);
}
