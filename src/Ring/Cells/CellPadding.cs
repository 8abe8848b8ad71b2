namespace Raceway.Rings;

/// <summary>How far apart the ring's hot cells (cursor, progress of each stage, waiters) lie in memory.</summary>
/// <remarks>
/// The cells live in one pinned block, aligned to 128 bytes, so the distance is real and can be chosen at run time.
/// <see cref="None"/> packs them on purpose: it exists to study false sharing, not to be fast.
/// </remarks>
public enum CellPadding
{
    /// <summary>Cells lie side by side, eight to a 64-byte line.</summary>
    None = 8,

    /// <summary>One cell a 64-byte line.</summary>
    Line = 64,

    /// <summary>One cell a pair of lines: also safe from adjacent-line prefetch. The default.</summary>
    LinePair = 128,
}
