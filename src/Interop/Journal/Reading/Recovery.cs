using System.Buffers;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Snapshots;

namespace Raceway.Interop.Journal.Reading;

/// <summary>Where a writer goes on.</summary>
/// <param name="File">The last segment; null if there is none.</param>
/// <param name="Segment">Its header.</param>
/// <param name="First">The oldest item stored.</param>
/// <param name="Next">The sequence of the next item.</param>
/// <param name="Offset">Where the next group begins.</param>
/// <param name="Chain">The checksum that it has to hold.</param>
/// <param name="Epoch">The highest epoch found.</param>
/// <param name="IsSealed">Whether the last segment takes no more groups.</param>
/// <param name="WasClosed">Whether the last writer closed it.</param>
/// <param name="TornBytes">How many bytes were cut.</param>
/// <param name="Snapshots">The snapshots that were found.</param>
internal sealed record RecoveredTail(
    IJournalFile? File, SegmentHeader Segment, long First, long Next, long Offset, uint Chain, ulong Epoch, bool IsSealed, bool WasClosed,
    long TornBytes, FoundSnapshots Snapshots)
{
    public static RecoveredTail OfNothing(FoundSnapshots snapshots) =>
        new(null, default, 0, 0, 0, 0, 0, IsSealed: false, WasClosed: true, TornBytes: 0, snapshots);
}

/// <summary>Makes what a writer left behind into something to go on from.</summary>
/// <remarks>
/// 1. Every segment but the last must be whole. 2. The last is walked to the first group that is not right. If there is a
/// witness that it was, or a snapshot of what follows, the journal is damaged, and stays as it is. Otherwise all from there on is
/// a torn tail, and becomes zeros.
/// 3. What no group says was durable is written once more: if the sync that should have covered it failed, the system may
/// show bytes that never reached the disk, and no longer knows that they did not. 4. File and folder are synced, before a
/// byte is appended. A power cut within this leaves what it began with, or what it ends with, or less of the torn tail.
/// </remarks>
internal static class Recovery
{
    private const int Part = 64 << 10;

    public static RecoveredTail Run(JournalFiles files, bool checkAll)
    {
        foreach (string name in files.List())
        {
            if (name.EndsWith(JournalFormat.Unfinished, StringComparison.Ordinal)) files.Delete(name);
        }

        List<SegmentFile> segments = SegmentFiles.Find(files);
        files.SyncFolder();
        if (segments.Count == 0) return RecoveredTail.OfNothing(SnapshotFile.CheckAgainst(files, 0, 0));
        if (checkAll)
        {
            for (int i = 0; i + 1 < segments.Count; i++) Check(files, segments[i], segments[i + 1].Header.First);
        }

        return Settle(files, segments[^1], segments[0].Header.First);
    }

    /// <summary>Walks a segment that has a successor: it must be whole.</summary>
    public static void Check(JournalFiles files, SegmentFile segment, long next)
    {
        using var cursor = new SegmentCursor(files.Open(segment.Name, forWriting: false), segment.Header);
        while (cursor.Move() == CursorState.Group)
        {
            if (cursor.Group.Kind != GroupKind.Sealed) continue;
            if (cursor.Next == next) return;
            break;
        }

        throw Damaged(files, segment, cursor, next);
    }

    /// <summary>The damage where a cursor has stopped.</summary>
    public static JournalDamagedException Damaged(JournalFiles files, SegmentFile segment, SegmentCursor cursor, long? next) =>
        new(new JournalDamage(segment.Name, cursor.Stopped, cursor.Wrong, next, cursor.Problem), files.Folder);

    /// <summary>Makes zeros of a segment from an offset on: what is there is given up.</summary>
    public static void CutAt(JournalFiles files, SegmentFile segment, long offset)
    {
        using IJournalFile file = files.Open(segment.Name, forWriting: true);
        Clear(file, offset, segment.Header.Length);
        file.Sync();
    }

    /// <summary>Gives a file that is too short the length that its header says, where the header is right.</summary>
    public static void Lengthen(JournalFiles files, string name, long first)
    {
        try
        {
            SegmentHeader header = SegmentFiles.ReadHeader(files, name, first, out long length);
            if (length >= header.Length) return;
            using IJournalFile file = files.Open(name, forWriting: true);
            Clear(file, length, header.Length);
            file.Sync();
        }
        catch (JournalDamagedException)
        {
            // Without a header there is nothing to lengthen.
        }
    }

    private static RecoveredTail Settle(JournalFiles files, SegmentFile segment, long first)
    {
        IJournalFile file = files.Open(segment.Name, forWriting: true);
        try
        {
            var cursor = new SegmentCursor(file, segment.Header);
            GroupKind last = GroupKind.None;
            while (last != GroupKind.Sealed && cursor.Move() == CursorState.Group) last = cursor.Group.Kind;
            Tail tail = Tail.Of(cursor, segment.Header);
            if (tail.Witness is { } witness) throw Damaged(files, segment, cursor, witness.First);
            FoundSnapshots snapshots = SnapshotFile.CheckAgainst(files, first, cursor.Next);
            Rewrite(file, Math.Max(cursor.Durable, JournalFormat.SegmentHeaderLength), cursor.Offset);
            Clear(file, cursor.End, tail.End);
            file.Sync();
            return new RecoveredTail(
                file, segment.Header, first, cursor.Next, cursor.Offset, cursor.Chain, cursor.Epoch,
                IsSealed: last == GroupKind.Sealed, WasClosed: last == GroupKind.Closed && tail.End == cursor.End,
                TornBytes: tail.End - cursor.End, snapshots);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private static void Rewrite(IJournalFile file, long from, long to)
    {
        byte[] part = ArrayPool<byte>.Shared.Rent(Part);
        for (long at = from; at < to;)
        {
            int read = file.ReadAll(part.AsSpan(0, (int)Math.Min(part.Length, to - at)), at);
            if (read == 0) throw JournalErrors.NoProgress((int)(to - at), at);
            file.WriteAll(part.AsSpan(0, read), at);
            at += read;
        }

        ArrayPool<byte>.Shared.Return(part);
    }

    private static void Clear(IJournalFile file, long from, long to)
    {
        byte[] zeros = ArrayPool<byte>.Shared.Rent(Part);
        zeros.AsSpan().Clear();
        for (long at = from; at < to;)
        {
            int part = (int)Math.Min(zeros.Length, to - at);
            file.WriteAll(zeros.AsSpan(0, part), at);
            at += part;
        }

        ArrayPool<byte>.Shared.Return(zeros);
    }
}
