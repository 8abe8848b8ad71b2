using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Reading;

/// <summary>What lies behind the last right group of a segment.</summary>
/// <param name="End">Behind the last byte that is not zero.</param>
/// <param name="Witness">A header that says that something here was durable; null if there is none.</param>
internal readonly record struct Tail(long End, GroupHeader? Witness)
{
    private const int Part = 64 << 10;

    /// <summary>Looks from where a cursor has stopped to the end of its segment, for a witness as <see cref="JournalFormat"/> explains.</summary>
    public static Tail Of(SegmentCursor cursor, in SegmentHeader segment)
    {
        long stop = cursor.Stopped;
        long end = cursor.End;
        GroupHeader? witness = null;
        // Parts overlap by a header, so that none is cut in two.
        for (long at = cursor.End & ~(JournalFormat.LeastAlignment - 1L); at < segment.Length; at += Part)
        {
            ReadOnlySpan<byte> part = cursor.Bytes(at, Part + JournalFormat.GroupHeaderLength);
            if (part.IsEmpty) break;
            int used = part.LastIndexOfAnyExcept((byte)0) + 1;
            if (used == 0) continue;
            end = Math.Max(end, at + used);
            int first = part.IndexOfAnyExcept((byte)0) & ~(JournalFormat.LeastAlignment - 1);
            for (int i = first; i < Math.Min(used, Part) && witness is null; i += JournalFormat.LeastAlignment)
            {
                if (GroupHeader.Read(part[i..], segment, at + i) is { } header && header.Durable > stop) witness = header;
            }
        }

        return new Tail(end, witness);
    }
}
