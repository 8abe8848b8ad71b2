using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Reading;
using Raceway.Interop.Journal.Snapshots;

namespace Raceway.Interop.Journal;

/// <summary>Looks at a journal without its codec, and gives up what is behind a damage. The command <c>raceway journal</c> is made of it.</summary>
/// <example>
/// <code>
/// JournalReport report = JournalFolder.Inspect("data/orders");
/// Console.WriteLine($"{report.Count} items, damage: {report.Damage}");
/// foreach (StoredItem item in JournalFolder.Read("data/orders", from: report.First)) Console.WriteLine(item.Bytes.Length);
/// </code>
/// </example>
public static class JournalFolder
{
    /// <summary>Reads and checks every group. Nothing is changed, and no lock is taken.</summary>
    /// <exception cref="JournalException">There is no journal, or it cannot be read.</exception>
    public static JournalReport Inspect(string folder) => Guard(folder, Inspect);

    /// <summary>The stored items from a sequence on.</summary>
    /// <param name="folder">Where.</param>
    /// <param name="from">The first sequence; null: the oldest.</param>
    /// <exception cref="JournalDamagedException">Thrown by the enumeration at the item that is not right.</exception>
    public static IEnumerable<StoredItem> Read(string folder, long? from = null)
    {
        JournalFiles files = FilesOf(folder);
        List<SegmentFile> segments = Guard(folder, SegmentFiles.Find);
        return segments.Count == 0 ? throw JournalErrors.NoFolder(files.Folder) : Read(files, segments, Math.Max(from ?? 0, segments[0].Header.First));
    }

    /// <summary>Gives up the damage of a journal and all behind it, so that it can be opened again.</summary>
    /// <returns>How it was before.</returns>
    /// <exception cref="JournalException">A writer has it, or the file system refuses.</exception>
    public static JournalReport Cut(string folder) => Guard(folder, Cut);

    internal static JournalReport Inspect(JournalFiles files)
    {
        List<SegmentReport> reports = [];
        // Before the segments: the items of a snapshot were there before it, so also where a writer is at work they are found.
        long reach = SnapshotFile.Names(files).FirstOrDefault().Next;
        List<(string Name, long First)> names = [.. SegmentFiles.Names(files)];
        if (names.Count == 0)
        {
            return Lost(0, 0) is { } all
                ? new JournalReport(files.Folder, 0, 0, reports, 0, WasClosed: false, all)
                : throw JournalErrors.NoFolder(files.Folder);
        }

        long first = names[0].First;
        SegmentFile? before = null;
        Walked last = default;
        for (int i = 0; i < names.Count; i++)
        {
            JournalDamage? damage = null;
            try
            {
                SegmentFile segment = SegmentFiles.Checked(files, names[i].Name, names[i].First, before);
                last = Walk(files, segment, i + 1 < names.Count ? names[i + 1].First : null);
                reports.Add(last.Report);
                damage = last.Damage;
                before = segment;
            }
            catch (JournalDamagedException found)
            {
                damage = found.Damage;
            }

            if (damage is null) continue;
            long next = Math.Clamp(damage.Sequence, first, last.Report?.Next ?? first);
            return new JournalReport(files.Folder, first, next, reports, 0, WasClosed: false, damage);
        }

        return new JournalReport(
            files.Folder, first, last.Report.Next, reports, last.TornBytes, last.WasClosed, Lost(first, last.Report.Next));

        // A writer at work has none beside its items, so none of its files is read while it may delete it.
        JournalDamage? Lost(long from, long next) =>
            SnapshotFile.Names(files).Any(one => one.Next <= reach && (one.Next < from || one.Next > next))
                ? SnapshotFile.FindLost(files, from, next, reach)
                : null;
    }

    internal static JournalReport Cut(JournalFiles files)
    {
        using IDisposable held = files.TryLock() ?? throw JournalErrors.Locked(files.Folder);
        JournalReport before = Inspect(files);
        if (before.Damage is null) return before;
        // A file that is cut off has items that are right: with zeros behind them they are found.
        foreach ((string name, long first) in SegmentFiles.Names(files)) Recovery.Lengthen(files, name, first);
        JournalReport report = Inspect(files);
        if (report.Damage is not { } damage) return before;
        // The newest first, so that a row without a gap is left at any time.
        foreach ((string name, _) in SegmentFiles.Names(files).Reverse())
        {
            bool isWhole = report.Segments.Any(one => one.File == name);
            if (name == damage.File && isWhole)
            {
                SegmentFile segment = SegmentFiles.Find(files, until: name)[^1];
                Recovery.CutAt(files, segment, damage.Offset);
                break;
            }

            if (isWhole && name != damage.File) break;
            files.Delete(name);
            files.SyncFolder();
        }

        // A snapshot of items that are given up would be the state of another journal, and behind one from before its first item
        // there is a gap. Without a segment the next opening begins at 0.
        (long oldest, long end) = SegmentFiles.Names(files).Any() ? (report.First, report.Next) : (0, 0);
        foreach ((string name, long next) in SnapshotFile.Names(files))
        {
            if (next > end || next < oldest) files.Delete(name);
        }

        files.SyncFolder();
        return before;
    }

    private static Walked Walk(JournalFiles files, SegmentFile segment, long? next)
    {
        using var cursor = new SegmentCursor(files.Open(segment.Name, forWriting: false), segment.Header);
        long groups = 0;
        GroupKind last = GroupKind.None;
        Tail tail = default;
        while (last != GroupKind.Sealed && (next is null ? cursor.MoveInLast(out tail) : cursor.Move()) == CursorState.Group)
        {
            last = cursor.Group.Kind;
            if (last == GroupKind.Items) groups++;
        }

        var report = new SegmentReport(
            segment.Name, segment.Header.First, cursor.Next, groups, cursor.End, segment.Header.Length, (long)cursor.Epoch, segment.Header.Schema);
        if (next is null && last == GroupKind.Sealed) tail = Tail.Of(cursor, segment.Header);
        bool isBroken = next is null ? tail.Witness is not null : last != GroupKind.Sealed || cursor.Next != next;
        JournalDamage? damage = isBroken
            ? new JournalDamage(segment.Name, cursor.Stopped, cursor.Wrong, next ?? tail.Witness?.First, cursor.Problem)
            : null;
        return new Walked(report, damage, next is null ? tail.End - cursor.End : 0, last == GroupKind.Closed && tail.End == cursor.End);
    }

    private static IEnumerable<StoredItem> Read(JournalFiles files, List<SegmentFile> segments, long from)
    {
        using var items = new StoredItems(files, segments, from, long.MaxValue);
        while (true)
        {
            if (!items.TryRead(out ReadOnlySpan<byte> bytes)) yield break;
            yield return new StoredItem(items.Next - 1, items.Schema, bytes.ToArray());
        }
    }

    private static SystemFiles FilesOf(string folder)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        string full = Path.GetFullPath(folder);
        return Directory.Exists(full) ? new SystemFiles(full) : throw JournalErrors.NoFolder(full);
    }

    private static TResult Guard<TResult>(string folder, Func<JournalFiles, TResult> read)
    {
        SystemFiles files = FilesOf(folder);
        try
        {
            return read(files);
        }
        catch (Exception cause) when (cause is not JournalException and (IOException or UnauthorizedAccessException))
        {
            throw JournalErrors.Unusable(files.Folder, cause);
        }
    }

    private readonly record struct Walked(SegmentReport Report, JournalDamage? Damage, long TornBytes, bool WasClosed);
}
