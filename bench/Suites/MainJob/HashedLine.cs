using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;

namespace Raceway.Suites.MainJob;

#pragma warning disable CA1051 // An item lives in a slot and is reached by ref; so are its parts, which must be fields for that.

/// <summary>Room for a SHA-512 digest inside an item.</summary>
[InlineArray(SHA512.HashSizeInBytes)]
public struct Digest
{
    private byte _first;
}

/// <summary>A line with its digest: the item of a run with hashes (96 bytes).</summary>
public struct HashedLine : ILineItem<HashedLine>
{
    /// <summary>The line.</summary>
    public Line Line;

    /// <summary>Set by hash: SHA-512 of the line's bytes.</summary>
    public Digest Digest;

    /// <inheritdoc/>
    public static bool Hashed => true;

    /// <inheritdoc/>
    public static ref Line LineOf(ref HashedLine item) => ref item.Line;

    /// <inheritdoc/>
    public static Span<byte> DigestOf(ref HashedLine item) => item.Digest;

    /// <summary>The eight words of the digest, combined.</summary>
    public static ulong FoldOf(ref HashedLine item) => Combine(item.Digest);

    /// <summary>Combines the eight words of a digest into one: a wrong byte anywhere changes it.</summary>
    internal static ulong Combine(ReadOnlySpan<byte> digest)
    {
        ulong all = 0;
        for (int at = 0; at < SHA512.HashSizeInBytes; at += sizeof(ulong))
        {
            all ^= BinaryPrimitives.ReadUInt64LittleEndian(digest[at..]);
        }

        return all;
    }
}
