using System.Buffers.Binary;

namespace Raceway.Interop.Journal.Format;

/// <summary>What a group is.</summary>
internal enum GroupKind : uint
{
    None = 0,

    /// <summary>It holds items.</summary>
    Items = 1,

    /// <summary>A mark: the journal was opened for writing; what is before it was durable.</summary>
    Opened = 2,

    /// <summary>A mark: the journal was closed; what is before it was durable.</summary>
    Closed = 3,

    /// <summary>A mark: the segment is full, and another one follows.</summary>
    Sealed = 4,
}

/// <summary>The header of a group.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Length">Bytes of its records.</param>
/// <param name="Count">How many they are.</param>
/// <param name="First">The sequence of the first; of a mark, of the next item.</param>
/// <param name="Durable">The offset through which the segment was durable when the group was written.</param>
/// <param name="Chain">The checksum of the header before it.</param>
/// <param name="Epoch">Of the opening that wrote it.</param>
/// <param name="Content">A checksum over lengths and checksums of its records.</param>
internal readonly record struct GroupHeader(
    GroupKind Kind, int Length, int Count, long First, int Durable, uint Chain, ulong Epoch, uint Content)
{
    public const uint Magic = 0x474A5752; // "RWJG"

    /// <summary>Its own checksum, which the next group holds.</summary>
    public uint Checksum { get; private init; }

    /// <summary>Bytes with its records.</summary>
    public int Total => JournalFormat.GroupHeaderLength + Length;

    public GroupHeader WriteTo(Span<byte> bytes, in SegmentHeader segment, long offset)
    {
        bytes = bytes[..JournalFormat.GroupHeaderLength];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, Magic);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[4..], (uint)Kind);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[8..], Length);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[12..], Count);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[16..], First);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[24..], Durable);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[28..], Chain);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[32..], Epoch);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[40..], Content);
        uint checksum = ChecksumOf(bytes, segment, offset);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[44..], checksum);
        return this with { Checksum = checksum };
    }

    /// <summary>Reads a header that a writer has put at just this place; null for anything else.</summary>
    /// <remarks>Its lengths are within the segment, so they can be trusted as bounds. Its records may still be torn.</remarks>
    public static GroupHeader? Read(ReadOnlySpan<byte> bytes, in SegmentHeader segment, long offset)
    {
        if (bytes.Length < JournalFormat.GroupHeaderLength || BinaryPrimitives.ReadUInt32LittleEndian(bytes) != Magic) return null;
        bytes = bytes[..JournalFormat.GroupHeaderLength];
        uint checksum = BinaryPrimitives.ReadUInt32LittleEndian(bytes[44..]);
        if (checksum != ChecksumOf(bytes, segment, offset)) return null;
        var header = new GroupHeader(
            (GroupKind)BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[8..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[12..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[24..]),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[28..]),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[32..]),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[40..])) { Checksum = checksum };
        bool isMark = header.Kind is GroupKind.Opened or GroupKind.Closed or GroupKind.Sealed && header is { Length: 0, Count: 0 };
        bool hasItems = header is { Kind: GroupKind.Items, Count: > 0, Length: > 0 and <= JournalFormat.MostPayload }
            && header.Count <= header.Length / JournalFormat.RecordHeaderLength;
        return (isMark || hasItems) && header.First >= segment.First && header.Durable >= 0 && header.Durable <= offset
            && offset + header.Total <= segment.Length
            ? header
            : null;
    }

    private static uint ChecksumOf(ReadOnlySpan<byte> bytes, in SegmentHeader segment, long offset)
    {
        uint state = Crc32C.Add(Crc32C.Add(Crc32C.Start, segment.Journal), (ulong)segment.First);
        return Crc32C.End(Crc32C.Add(Crc32C.Add(state, (ulong)offset), bytes[..44]));
    }
}
