using System.Globalization;

namespace Raceway.Interop.Journal.Format;

/// <summary>Sizes, limits and names of the files of a journal.</summary>
/// <remarks>
/// A journal is a folder of segments. A segment is a file of a fixed size that is named by its first sequence:
/// <code>
/// 0      segment header (4,096 bytes)            SegmentHeader
/// 4096   group │ group │ … │ group │ zeros       GroupHeader, then its records
///          └ header (48) │ record │ record │ …
///                            └ length (4) │ CRC-32C (4) │ bytes
/// </code>
/// A group is what one write appends: the items of a batch, or a mark (opened, closed, sealed). All numbers are little-endian.
/// <para>What makes recovery decide rightly, given that a power cut may lose, keep or tear every sector that no sync covered:</para>
/// <para>1. <b>A chain.</b> Each group holds the checksum of the header before it, and the first one that of the segment's
/// header. So no group is accepted without all groups before it. Bytes of an earlier epoch behind a cut never continue a chain.</para>
/// <para>2. <b>A place.</b> The checksum of a group's header begins with the journal's id, the segment and the group's offset.
/// A copy of a group at another place is not a group.</para>
/// <para>3. <b>A witness.</b> Each group says through which offset of its segment everything was durable when it was written.
/// If a group at offset A is invalid and a later header is witness of an offset above A, then A was durable once: the file is
/// <em>damaged</em>. Without a witness the group at A, and all behind it, were never acknowledged: a <em>torn tail</em>.
/// Leftovers behind a cut cannot be false witnesses: what they say was durable ends at or before the cut.</para>
/// </remarks>
internal static class JournalFormat
{
    public const uint Version = 1;

    public const int SegmentHeaderLength = 4096;

    public const int GroupHeaderLength = 48;

    public const int RecordHeaderLength = 8;

    /// <summary>Groups begin at multiples of this, or of a larger power of two that the segment's header names.</summary>
    public const int LeastAlignment = 8;

    public const int MostAlignment = 4096;

    public const long MostSegmentLength = 1L << 30;

    /// <summary>No item is longer, and no reader allocates more than twice as much for a group.</summary>
    public const int MostItemLength = 16 << 20;

    /// <summary>A group is closed at the latest when it has this many bytes of records; its last item may go beyond.</summary>
    public const int MostGroupTarget = 16 << 20;

    /// <summary>The longest records of a group that a reader accepts.</summary>
    public const int MostPayload = MostGroupTarget + MostItemLength + (2 * RecordHeaderLength);

    /// <summary>Where writers build a segment before it gets its name.</summary>
    public const string Unfinished = ".unfinished";

    public const string LockName = "journal.lock";

    private const string SegmentEnd = ".segment";

    public static string SegmentName(long first) => string.Create(CultureInfo.InvariantCulture, $"{first:D20}{SegmentEnd}");

    public static bool IsSegment(string name, out long first)
    {
        first = -1;
        return name.EndsWith(SegmentEnd, StringComparison.Ordinal)
            && long.TryParse(name.AsSpan(0, name.Length - SegmentEnd.Length), NumberStyles.None, CultureInfo.InvariantCulture, out first)
            && name == SegmentName(first);
    }

    public static long Align(long offset, int alignment) => (offset + alignment - 1) & ~(long)(alignment - 1);
}
