using System.Buffers;

namespace Raceway.Rings;

/// <summary>What a ring's payloads are made of.</summary>
public sealed record PayloadOptions
{
    /// <summary>The longest payload, in bytes. Default 64 KiB.</summary>
    public int MaxLength { get; init; } = 64 * 1024;

    /// <summary>Buffers up to this length stay with their slot for its next item; longer ones go back at once. Default 4 KiB.</summary>
    public int KeepLength { get; init; } = 4 * 1024;

    /// <summary>Whether buffers are cleared before they go back to the pool. Default: no.</summary>
    public bool ClearOnReturn { get; init; }

    /// <summary>Where buffers come from. Every one is returned exactly once. Default: the shared pool.</summary>
    public ArrayPool<byte> Pool { get; init; } = ArrayPool<byte>.Shared;
}
