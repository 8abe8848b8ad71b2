using System.Buffers;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Reading;

/// <summary>A segment of a journal: its name, and its header, which has been checked against its neighbours.</summary>
internal sealed record SegmentFile(string Name, SegmentHeader Header);

/// <summary>Finds the segments of a journal, and says where their row is broken.</summary>
internal static class SegmentFiles
{
    /// <summary>All segments, oldest first; or those up to one of them.</summary>
    /// <exception cref="JournalDamagedException">A header is wrong, a file is cut off, or a segment is missing.</exception>
    public static List<SegmentFile> Find(JournalFiles files, string? until = null)
    {
        List<SegmentFile> found = [];
        foreach ((string name, long first) in Names(files))
        {
            found.Add(Checked(files, name, first, found.Count == 0 ? null : found[^1]));
            if (name == until) break;
        }

        return found;
    }

    public static List<SegmentFile> Find(JournalFiles files) => Find(files, until: null);

    /// <summary>A segment with a header that is right, and follows the one before it.</summary>
    /// <exception cref="JournalDamagedException">It is not so.</exception>
    public static SegmentFile Checked(JournalFiles files, string name, long first, SegmentFile? before)
    {
        SegmentHeader header = ReadHeader(files, name, first, out long length);
        bool isMissing = before is not null && header.Previous != before.Header.First;
        string? problem =
            header.First != first ? $"the header names {header.First} as the first item"
            : length != header.Length ? $"the file has {length} bytes, and its header says {header.Length}"
            : isMissing ? $"the segment before it, from {header.Previous} on, is missing"
            : before is not null && header.Journal != before.Header.Journal ? "it belongs to another journal"
            : before is not null && header.Epoch < before.Header.Epoch ? "it is older than the segment before it"
            : null;
        return problem is null
            ? new SegmentFile(name, header)
            : throw new JournalDamagedException(new JournalDamage(name, 0, isMissing ? header.Previous : first, null, problem), files.Folder);
    }

    public static IEnumerable<(string Name, long First)> Names(JournalFiles files) =>
        files.List()
            .Select(static name => (Name: name, IsOne: JournalFormat.IsSegment(name, out long first), First: first))
            .Where(static one => one.IsOne)
            .OrderBy(static one => one.First)
            .Select(static one => (one.Name, one.First));

    /// <summary>The header of a file.</summary>
    public static SegmentHeader ReadHeader(JournalFiles files, string name, long first, out long length)
    {
        byte[] block = ArrayPool<byte>.Shared.Rent(JournalFormat.SegmentHeaderLength);
        try
        {
            using IJournalFile file = files.Open(name, forWriting: false);
            length = file.Length;
            int read = file.ReadAll(block.AsSpan(0, JournalFormat.SegmentHeaderLength), 0);
            return SegmentHeader.Read(block.AsSpan(0, read), out string problem)
                ?? throw new JournalDamagedException(new JournalDamage(name, 0, first, null, problem), files.Folder);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(block);
        }
    }
}
