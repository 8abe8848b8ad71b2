using System.Buffers.Binary;

namespace Raceway.Interop.Journal.Format;

/// <summary>The records of a group: length, checksum and bytes of each item, one behind the other.</summary>
/// <remarks>A record's checksum begins with epoch and sequence, so bytes of another item, or of another opening, do not pass.</remarks>
internal static class Records
{
    public static uint Checksum(ulong epoch, long sequence, ReadOnlySpan<byte> bytes) =>
        Crc32C.End(Crc32C.Add(Crc32C.Add(Crc32C.Add(Crc32C.Start, epoch), (ulong)sequence), bytes));

    /// <summary>Goes on with the checksum of a group's content.</summary>
    public static uint AddTo(uint content, int length, uint checksum) => Crc32C.Add(content, ((ulong)checksum << 32) | (uint)length);

    public static void WriteHeader(Span<byte> at, int length, uint checksum)
    {
        BinaryPrimitives.WriteInt32LittleEndian(at, length);
        BinaryPrimitives.WriteUInt32LittleEndian(at[4..], checksum);
    }

    /// <summary>The bytes of the record at <paramref name="at"/>, and where the next one is. Only of records that are <see cref="AreRight"/>.</summary>
    public static ReadOnlySpan<byte> Next(ReadOnlySpan<byte> records, ref int at)
    {
        int length = BinaryPrimitives.ReadInt32LittleEndian(records[at..]);
        ReadOnlySpan<byte> bytes = records.Slice(at + JournalFormat.RecordHeaderLength, length);
        at += JournalFormat.RecordHeaderLength + length;
        return bytes;
    }

    /// <summary>Whether they are what the header of their group says. Otherwise <paramref name="wrong"/> is the sequence of the first that is not.</summary>
    public static bool AreRight(in GroupHeader header, ReadOnlySpan<byte> records, out long wrong)
    {
        uint content = Crc32C.Start;
        int at = 0;
        for (wrong = header.First; wrong < header.First + header.Count; wrong++)
        {
            if (records.Length - at < JournalFormat.RecordHeaderLength) return false;
            int length = BinaryPrimitives.ReadInt32LittleEndian(records[at..]);
            uint checksum = BinaryPrimitives.ReadUInt32LittleEndian(records[(at + 4)..]);
            at += JournalFormat.RecordHeaderLength;
            if ((uint)length > (uint)(records.Length - at)) return false;
            if (checksum != Checksum(header.Epoch, wrong, records.Slice(at, length))) return false;
            content = AddTo(content, length, checksum);
            at += length;
        }

        wrong = header.First;
        return at == records.Length && Crc32C.End(content) == header.Content;
    }
}
