namespace Raceway.Suites.LanesSuite;

/// <summary>What runs in a case.</summary>
/// <param name="Workers">Workers, or lanes.</param>
/// <param name="Load">The items.</param>
public sealed record LanesShape(int Workers, KeyLoad Load)
{
    /// <summary>Items that a ring, or each bounded queue, holds.</summary>
    public int Capacity { get; init; } = 16_384;

    /// <summary>The worker of a key, for contestants that have no lanes of their own: Fibonacci hashing (Knuth, 1973).</summary>
    public int WorkerOf(int key) => (int)(((key * 0x9E37_79B9L & 0xFFFF_FFFF) * Workers) >> 32);
}
