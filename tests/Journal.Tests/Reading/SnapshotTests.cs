using System.Buffers;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Reading;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Reading;

public sealed class SnapshotTests
{
    [Fact]
    public void TrySave_WithSegmentsThatAreNotNeeded_RemovesThemAndTheNextOpeningBeginsThere()
    {
        var disk = Kit.Hundred();
        int before = JournalFolder.Inspect(disk).Segments.Count;
        using (Journal<long> journal = Kit.Open(disk, Kit.Small with { KeepSnapshots = 1 }))
        {
            Assert.True(journal.Snapshots.TrySave(90, "sum", static (state, output) => output.Write(System.Text.Encoding.UTF8.GetBytes(state))));
            Assert.Null(journal.Snapshots.Fault);
            Assert.Equal(1, journal.Snapshots.Written);
        }

        JournalReport report = JournalFolder.Inspect(disk);
        Assert.InRange(report.Segments.Count, 1, before - 1);
        Assert.InRange(report.First, 1, 90);
        using Journal<long> again = Kit.Open(disk);
        Assert.Equal(90, again.Snapshots.Latest!.Next);
        Assert.Equal("sum"u8.ToArray(), again.Snapshots.Latest.State.ToArray());
        Assert.Equal(report.First, again.Found.First);
    }

    [Fact]
    public void Open_WithADamagedSnapshot_SaysSoAndOffersTheOneBefore()
    {
        var disk = Kit.Hundred();
        using (Journal<long> journal = Kit.Open(disk))
        {
            Save(journal, 50);
            Save(journal, 60);
        }

        string newest = disk.List().Single(static name => name.Contains("60.snapshot", StringComparison.Ordinal));
        disk[newest][^1] ^= 1;
        using (Journal<long> again = Kit.Open(disk, Kit.Small with { KeepSnapshots = 1 }))
        {
            Assert.Equal([newest], again.Snapshots.Damaged);
            Assert.Equal(50, again.Snapshots.Latest!.Next);
            Assert.InRange(again.Found.First, 0, 50);
            Save(again, 55);
        }

        // The damaged one is not the one that is kept.
        using Journal<long> last = Kit.Open(disk);
        Assert.Equal(55, last.Snapshots.Latest!.Next);
        Assert.InRange(last.Found.First, 0, 55);
    }

    // A second reading could find another one, or none that can be read: the items were checked beside the first.
    [Fact]
    public void Open_TheSnapshotChangesMeanwhile_OffersTheOneThatItHasChecked()
    {
        SimulatedDisk disk = Kit.Hundred();
        using (Journal<long> journal = Kit.Open(disk)) Save(journal, 50);
        string name = disk.List().Single(static name => name.EndsWith(".snapshot", StringComparison.Ordinal));
        long before = disk.Written;
        bool isChanged = false;
        disk.Plan = _ =>
        {
            // The first write comes behind the check.
            if (disk.Written > before && !isChanged) disk[name][^1] ^= 1;
            isChanged |= disk.Written > before;
            return DiskFault.None;
        };

        using Journal<long> again = Kit.Open(disk);
        Assert.True(isChanged);
        Assert.Equal(50, again.Snapshots.Latest?.Next);
        Assert.Empty(again.Snapshots.Damaged);
    }

    [Fact]
    public void Open_WithoutTheItemsOfASnapshot_IsRefused()
    {
        var disk = Kit.Hundred();
        using (Journal<long> journal = Kit.Open(disk)) Save(journal, 100);
        foreach (string segment in disk.List().Where(static name => JournalFormat.IsSegment(name, out _)).ToArray()) disk.Delete(segment);
        Assert.Throws<JournalDamagedException>(() => Kit.Open(disk));
    }

    [Fact]
    public void Open_WithATornTailThatASnapshotHolds_ChangesNothing()
    {
        SimulatedDisk disk = WithATornTailBeforeItsSnapshot(out string last);
        byte[] before = [.. disk[last]];
        JournalDamagedException refused = Assert.Throws<JournalDamagedException>(() => Kit.Open(disk));
        Assert.Equal((100, 105), (refused.Damage.Sequence, refused.Damage.NextKnown));
        Assert.Equal(before, disk[last]);
    }

    [Fact]
    public void Cut_OfATornTailThatASnapshotHolds_LetsItBeOpened()
    {
        SimulatedDisk disk = WithATornTailBeforeItsSnapshot(out _);
        Assert.Equal(100, JournalFolder.Inspect(disk).Damage?.Sequence);
        Assert.NotNull(JournalFolder.Cut(disk).Damage);
        Assert.Null(JournalFolder.Inspect(disk).Damage);
        using Journal<long> journal = Kit.Open(disk);
        Assert.Equal(100, journal.Found.Next);
        Assert.Equal(50, journal.Snapshots.Latest!.Next);
    }

    // Its items begin behind the snapshot, or are all gone.
    [Theory]
    [InlineData(false, 10)]
    [InlineData(true, 0)]
    public void Cut_OfSegmentsThatDoNotReachTheSnapshot_LetsItBeOpened(bool areAllGone, long lost)
    {
        SimulatedDisk disk = Kit.Hundred();
        using (Journal<long> journal = Kit.Open(disk)) Save(journal, 10);
        string[] segments = [.. disk.List().Where(static name => JournalFormat.IsSegment(name, out _)).Order()];
        Array.ForEach(segments[..(areAllGone ? segments.Length : 1)], disk.Delete);

        JournalDamage seen = JournalFolder.Inspect(disk).Damage!;
        Assert.Equal(seen, Assert.Throws<JournalDamagedException>(() => Kit.Open(disk)).Damage);
        Assert.True(seen.Sequence < seen.NextKnown, $"{seen}");
        Assert.Equal(lost, seen.Sequence);
        Assert.NotNull(JournalFolder.Cut(disk).Damage);

        using Journal<long> again = Kit.Open(disk);
        Assert.Null(again.Snapshots.Latest);
        Assert.Equal(areAllGone, again.Found.First == 0);
    }

    // Every segment goes with the first one's header; the snapshot is at its first item.
    [Fact]
    public void Cut_OfAllSegments_LeavesNoSnapshotThatNeedsThem()
    {
        SimulatedDisk disk = Kit.Hundred();
        (string name, long first) = Segments(disk)[1];
        using (Journal<long> journal = Kit.Open(disk)) Save(journal, first);
        Assert.Equal(name, Segments(disk)[0].Name);
        disk[name][0] ^= 1;

        Assert.NotNull(JournalFolder.Cut(disk).Damage);

        using Journal<long> again = Kit.Open(disk);
        Assert.Equal(0, again.Found.Next);
        Assert.Null(again.Snapshots.Latest);
    }

    // Between the two listings a writer goes on to the next segment, and saves a snapshot of items in it.
    [Fact]
    public void Inspect_WhileASnapshotIsSavedInTheNextSegment_FindsNoDamage()
    {
        SimulatedDisk disk = Kit.Hundred();
        using Journal<long> journal = Kit.Open(disk);
        int segments = Segments(disk).Count;
        int second = disk.Calls + 2;
        disk.Plan = call =>
        {
            if (call != second) return DiskFault.None;
            disk.Plan = static _ => DiskFault.None;
            while (Segments(disk).Count == segments) journal.Store(1, 2, 3, 4);
            Save(journal, journal.NextSequence);
            return DiskFault.None;
        };

        Assert.Null(JournalFolder.Inspect(disk).Damage);
        Assert.Equal(1, journal.Snapshots.Written);
    }

    [Fact]
    public void TrySave_OfASequenceThatIsNotThere_IsRefused()
    {
        using Journal<long> journal = Kit.Open(Kit.Hundred());
        Assert.Throws<ArgumentOutOfRangeException>(() => journal.Snapshots.TrySave(101, 0, static (_, _) => { }));
        Save(journal, 100);
        Assert.Equal(1, journal.Snapshots.Written);
    }

    [Fact]
    public void TrySave_WithAnArchive_MovesSegmentsThere()
    {
        using var folder = new TempFolder();
        string archive = Path.Combine(folder.Path, "archive");
        using (Journal<long> journal = Journal<long>.Open(
            folder.Path, JournalCodec.Unmanaged<long>(), Kit.Small with { ArchiveFolder = archive, KeepSnapshots = 1 }))
        {
            for (int i = 0; i < 200; i++) journal.Store(i);
            Save(journal, 200);
            Assert.Null(journal.Snapshots.Fault);
        }

        long kept = JournalFolder.Inspect(folder.Path).First;
        Assert.InRange(kept, 1, 200);
        Assert.Equal(Enumerable.Range(0, (int)kept).Select(static n => (long)n), JournalFolder.Read(archive).Select(static item => BitConverter.ToInt64(item.Bytes.Span)));
    }

    [Fact]
    public void TrySave_WithTheArchiveOfAnotherJournal_LeavesBothAsTheyAre()
    {
        using var folder = new TempFolder();
        string archive = Path.Combine(folder.Path, "archive");
        Archive("first", 0);
        byte[][] before = [.. JournalFolder.Read(archive).Select(static item => item.Bytes.ToArray())];
        Exception? fault = Archive("second", 1_000);
        Assert.Contains("of another one", Assert.IsType<JournalException>(fault).Message, StringComparison.Ordinal);
        Assert.Equal(before, JournalFolder.Read(archive).Select(static item => item.Bytes.ToArray()));
        Assert.Equal(0, JournalFolder.Inspect(Path.Combine(folder.Path, "second")).First);

        Exception? Archive(string name, int from)
        {
            using Journal<long> journal = Journal<long>.Open(
                Path.Combine(folder.Path, name), JournalCodec.Unmanaged<long>(), Kit.Small with { ArchiveFolder = archive, KeepSnapshots = 1 });
            for (int i = 0; i < 200; i++) journal.Store(from + i);
            Save(journal, 200);
            return journal.Snapshots.Fault;
        }
    }

    // Another process archives its journal into the same folder at this moment.
    [Fact]
    public void TrySave_WithAnArchiveThatAnotherWritesInto_LeavesItsUnfinishedFile()
    {
        using var folder = new TempFolder();
        string archive = Path.Combine(folder.Path, "archive");
        Directory.CreateDirectory(archive);
        string[] others = [Path.Combine(archive, ".unfinished"), Path.Combine(archive, "0123456789abcdef.unfinished")];
        foreach (string other in others) File.WriteAllText(other, "under way");
        using (Journal<long> journal = Journal<long>.Open(
            Path.Combine(folder.Path, "own"), JournalCodec.Unmanaged<long>(), Kit.Small with { ArchiveFolder = archive, KeepSnapshots = 1 }))
        {
            for (int i = 0; i < 200; i++) journal.Store(i);
            Save(journal, 200);
            Assert.Null(journal.Snapshots.Fault);
        }

        Assert.All(others, static other => Assert.Equal("under way", File.ReadAllText(other)));
        Assert.Equal(others.Length, Directory.GetFiles(archive, "*.unfinished").Length);
    }

    [Theory]
    [InlineData("")]
    [InlineData("/")]
    [InlineData("/../journal")]
    public void Open_WithItsOwnFolderAsTheArchive_IsRefused(string end)
    {
        using var folder = new TempFolder();
        string own = Path.Combine(folder.Path, "journal");
        ArgumentException refused = Assert.Throws<ArgumentException>(
            () => Journal<long>.Open(own, JournalCodec.Unmanaged<long>(), Kit.Small with { ArchiveFolder = own + end }));
        Assert.Contains("another folder than their journal's", refused.Message, StringComparison.Ordinal);
    }

    private static List<(string Name, long First)> Segments(SimulatedDisk disk) => [.. SegmentFiles.Names(disk)];

    // Nothing but the snapshot says that the last group was durable.
    private static SimulatedDisk WithATornTailBeforeItsSnapshot(out string last)
    {
        SimulatedDisk disk = Kit.Hundred();
        Journal<long> journal = Kit.Open(disk);
        Save(journal, 50);
        journal.Store(100, 101, 102, 103, 104);
        Save(journal, 105);
        SimulatedDisk copy = disk.Copy();
        last = copy.List().Where(static name => JournalFormat.IsSegment(name, out _)).Max()!;
        copy[last][copy[last].AsSpan().LastIndexOfAnyExcept((byte)0)] ^= 1;
        return copy;
    }

    private static void Save(Journal<long> journal, long next) =>
        Assert.True(journal.Snapshots.TrySave(next, next, static (state, output) => output.Write(BitConverter.GetBytes(state))));
}
