using System.Buffers.Binary;
using System.Numerics;

namespace Raceway.Interop.Journal.Format;

/// <summary>The first block of a segment. A checksum covers all of it.</summary>
/// <param name="Journal">A random number of the journal, the same in all its segments.</param>
/// <param name="First">The sequence of its first item.</param>
/// <param name="Previous">The first sequence of the segment before it; -1 for the first of the journal.</param>
/// <param name="Length">Bytes of the file.</param>
/// <param name="Epoch">Of the opening that made it.</param>
/// <param name="Schema">What its items are.</param>
/// <param name="Alignment">Groups begin at multiples of it.</param>
internal readonly record struct SegmentHeader(
    ulong Journal, long First, long Previous, long Length, ulong Epoch, JournalSchema Schema, int Alignment)
{
    private const ulong Magic = 0x4C4E524A59574352; // "RCWYJRNL"
    private const int Used = 72;

    /// <summary>The checksum of its block, which its first group holds.</summary>
    public uint Checksum { get; private init; }

    /// <summary>Writes the block, and returns the header with its checksum.</summary>
    public SegmentHeader WriteTo(Span<byte> block)
    {
        block = block[..JournalFormat.SegmentHeaderLength];
        block.Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(block, Magic);
        BinaryPrimitives.WriteUInt32LittleEndian(block[8..], JournalFormat.Version);
        BinaryPrimitives.WriteInt32LittleEndian(block[12..], JournalFormat.SegmentHeaderLength);
        BinaryPrimitives.WriteUInt64LittleEndian(block[16..], Journal);
        BinaryPrimitives.WriteInt64LittleEndian(block[24..], First);
        BinaryPrimitives.WriteInt64LittleEndian(block[32..], Previous);
        BinaryPrimitives.WriteInt64LittleEndian(block[40..], Length);
        BinaryPrimitives.WriteUInt64LittleEndian(block[48..], Epoch);
        BinaryPrimitives.WriteUInt64LittleEndian(block[56..], Schema.Fingerprint);
        BinaryPrimitives.WriteInt32LittleEndian(block[64..], Schema.Version);
        BinaryPrimitives.WriteInt32LittleEndian(block[68..], Alignment);
        uint checksum = ChecksumOf(block);
        BinaryPrimitives.WriteUInt32LittleEndian(block[^4..], checksum);
        return this with { Checksum = checksum };
    }

    /// <summary>Reads a block; says what is wrong with it where it is none.</summary>
    public static SegmentHeader? Read(ReadOnlySpan<byte> block, out string problem)
    {
        problem = "the segment's header is cut off";
        if (block.Length < JournalFormat.SegmentHeaderLength) return null;
        block = block[..JournalFormat.SegmentHeaderLength];
        problem = "this is not a segment of a journal";
        if (BinaryPrimitives.ReadUInt64LittleEndian(block) != Magic) return null;
        uint checksum = BinaryPrimitives.ReadUInt32LittleEndian(block[^4..]);
        problem = "the checksum of the segment's header is wrong";
        if (checksum != ChecksumOf(block)) return null;
        uint version = BinaryPrimitives.ReadUInt32LittleEndian(block[8..]);
        problem = $"the segment has format {version}, and this library reads {JournalFormat.Version}";
        if (version != JournalFormat.Version) return null;
        var header = new SegmentHeader(
            BinaryPrimitives.ReadUInt64LittleEndian(block[16..]),
            BinaryPrimitives.ReadInt64LittleEndian(block[24..]),
            BinaryPrimitives.ReadInt64LittleEndian(block[32..]),
            BinaryPrimitives.ReadInt64LittleEndian(block[40..]),
            BinaryPrimitives.ReadUInt64LittleEndian(block[48..]),
            new JournalSchema(BinaryPrimitives.ReadUInt64LittleEndian(block[56..]), BinaryPrimitives.ReadInt32LittleEndian(block[64..])),
            BinaryPrimitives.ReadInt32LittleEndian(block[68..])) { Checksum = checksum };
        problem = "the segment's header holds impossible values";
        bool possible = BinaryPrimitives.ReadInt32LittleEndian(block[12..]) == JournalFormat.SegmentHeaderLength
            && header.First >= 0 && header.Previous < header.First + 1
            && header.Length is > JournalFormat.SegmentHeaderLength and <= JournalFormat.MostSegmentLength
            && header.Alignment is >= JournalFormat.LeastAlignment and <= JournalFormat.MostAlignment && BitOperations.IsPow2(header.Alignment)
            && !block[Used..^4].ContainsAnyExcept((byte)0);
        return possible ? header : null;
    }

    private static uint ChecksumOf(ReadOnlySpan<byte> block) => Crc32C.Of(block[..^4]);
}
