using System.Buffers.Binary;

namespace Raceway.Interop.Distributed;

/// <summary>What a frame says of itself: one frame is one mini-batch, and one message of the transport.</summary>
/// <remarks>
/// 56 bytes, little-endian: magic (4), version and flags (4), CRC-32C of everything behind it (4), length of the frame (4),
/// producer (8), epoch (8), sequence of the first item (8), count (4), bytes of an item or 0 (4), link (4), partition (4). The
/// items follow; where the length of an item is 0, each has its own in front, in 4 bytes. A signed frame ends with the number of
/// its key (4) and the HMAC-SHA256 (32) of everything behind the checksum and before it. The checksum authenticates nothing.
/// </remarks>
/// <param name="Producer">The sender: the hash of its name.</param>
/// <param name="Epoch">Which life of that producer.</param>
/// <param name="First">The number of the first item, counted by the producer in this partition from 0.</param>
/// <param name="Count">Items.</param>
/// <param name="ItemLength">Bytes of each item; 0: each has its own length.</param>
/// <param name="Link">The hash of the link's name.</param>
/// <param name="Partition">The partition that it was sent to.</param>
internal readonly record struct FrameHeader(
    ulong Producer, ulong Epoch, long First, int Count, int ItemLength, uint Link, int Partition)
{
    public const int Size = 56;

    private const uint Magic = 0x3146_5752;
    private const int Version = 1;
    private const int SignedVersion = Version | (1 << 16);
    internal const int ChecksumEnd = 12;

    /// <summary>The number of the last item.</summary>
    public long Last => First + Count - 1;

    /// <summary>
    /// Writes the header of a finished <paramref name="frame"/> into its first bytes, and with keys the signature into its last.
    /// </summary>
    public void Seal(Span<byte> frame, LinkKeys? keys = null)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(frame, Magic);
        BinaryPrimitives.WriteInt32LittleEndian(frame[4..], keys is null ? Version : SignedVersion);
        BinaryPrimitives.WriteInt32LittleEndian(frame[12..], frame.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(frame[16..], Producer);
        BinaryPrimitives.WriteUInt64LittleEndian(frame[24..], Epoch);
        BinaryPrimitives.WriteInt64LittleEndian(frame[32..], First);
        BinaryPrimitives.WriteInt32LittleEndian(frame[40..], Count);
        BinaryPrimitives.WriteInt32LittleEndian(frame[44..], ItemLength);
        BinaryPrimitives.WriteUInt32LittleEndian(frame[48..], Link);
        BinaryPrimitives.WriteInt32LittleEndian(frame[52..], Partition);
        keys?.Sign(frame);
        BinaryPrimitives.WriteUInt32LittleEndian(frame[8..], Crc32C.Of(frame[ChecksumEnd..]));
    }

    /// <summary>Reads and checks the whole frame: after this, <see cref="FrameItems"/> stays inside it. Allocates nothing.</summary>
    /// <param name="frame">What came.</param>
    /// <param name="maxLength">No frame is longer.</param>
    /// <param name="header">What it says of itself, if it is right.</param>
    /// <param name="keys">It must be signed with one of these; without any it must not be signed.</param>
    public static FrameError Open(ReadOnlySpan<byte> frame, int maxLength, out FrameHeader header, LinkKeys? keys = null)
    {
        header = default;
        if (frame.Length > maxLength) return FrameError.TooLong;
        if (frame.Length < Size) return FrameError.TooShort;
        if (BinaryPrimitives.ReadUInt32LittleEndian(frame) != Magic) return FrameError.Magic;
        int version = BinaryPrimitives.ReadInt32LittleEndian(frame[4..]);
        if (version is not (Version or SignedVersion)) return FrameError.Version;
        if (BinaryPrimitives.ReadInt32LittleEndian(frame[12..]) != frame.Length) return FrameError.Length;
        if (BinaryPrimitives.ReadUInt32LittleEndian(frame[8..]) != Crc32C.Of(frame[ChecksumEnd..])) return FrameError.Checksum;
        if (version == SignedVersion != keys is not null) return FrameError.Signature;
        int end = frame.Length;
        if (keys is not null)
        {
            end -= LinkKeys.TrailerSize;
            if (end < Size || !keys.Verify(frame)) return FrameError.Signature;
        }

        var read = new FrameHeader(
            BinaryPrimitives.ReadUInt64LittleEndian(frame[16..]),
            BinaryPrimitives.ReadUInt64LittleEndian(frame[24..]),
            BinaryPrimitives.ReadInt64LittleEndian(frame[32..]),
            BinaryPrimitives.ReadInt32LittleEndian(frame[40..]),
            BinaryPrimitives.ReadInt32LittleEndian(frame[44..]),
            BinaryPrimitives.ReadUInt32LittleEndian(frame[48..]),
            BinaryPrimitives.ReadInt32LittleEndian(frame[52..]));
        if (read.Count < 1 || read.ItemLength < 0 || read.First < 0 || read.First > long.MaxValue - read.Count)
            return FrameError.Items;
        if (!FrameItems.Fit(frame[Size..end], read.Count, read.ItemLength)) return FrameError.Items;
        header = read;
        return FrameError.None;
    }
}

/// <summary>Why a frame is not one.</summary>
public enum FrameError
{
    /// <summary>It is one.</summary>
    None,

    /// <summary>Shorter than a header.</summary>
    TooShort,

    /// <summary>Longer than the receiver's limit.</summary>
    TooLong,

    /// <summary>It does not begin as a frame does.</summary>
    Magic,

    /// <summary>Of a version that is not known here.</summary>
    Version,

    /// <summary>It says another length than it has.</summary>
    Length,

    /// <summary>Its bytes are not those that were sent.</summary>
    Checksum,

    /// <summary>Its items are not as many, or as long, as it says.</summary>
    Items,

    /// <summary>Sent to another link or partition.</summary>
    Address,

    /// <summary>The codec could not read an item.</summary>
    Codec,

    /// <summary>It is not known how far its stream has come (<see cref="LinkOptions.PositionOf"/>).</summary>
    Position,

    /// <summary>Signed with no key of this side, or not at all, or altered; or signed, and this side has no keys
    /// (<see cref="LinkOptions.Keys"/>).</summary>
    Signature,

    /// <summary>Too many workers ended with it.</summary>
    Workers,
}
