using System.ComponentModel;
using System.Diagnostics;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.RealFaults;

/// <summary>Faults of the real system: a killed process, a full disk, calls that fail, a folder that cannot be written, a second process.</summary>
public sealed class RealFaultTests
{
    private static int Kills => Tally.IsLong ? 500 : 12;

    [Fact]
    public async Task Kill_AtRandom_LosesNothingThatWasAcknowledged()
    {
        using var folder = new TempFolder();
        var random = new Random();
        long acknowledged = -1;
        for (int i = 0; i < Kills; i++)
        {
            using var writer = WriterProcess.Start(folder.Path);
            // The last one dies while it stores, however slowly it started.
            if (i == Kills - 1) acknowledged = Math.Max(acknowledged, await writer.FirstAsync().OrHang());
            // The others die within their start, their first segment, or a roll.
            await Task.Delay(random.Next(50, 600));
            acknowledged = Math.Max(acknowledged, writer.Kill());
            CheckIsRow(folder.Path, acknowledged);
        }

        Assert.True(acknowledged > 0);
        Tally.Add(Counted.Faults, Kills);
    }

    [Fact]
    public void Save_BesideASnapshotThatCannotBeRead_Succeeds()
    {
        using var folder = new TempFolder();
        SnapshotThatCannotBeRead(folder.Path, 50);
        using Journal<long> again = Open(folder.Path, snapshots: 3);
        Save(again, 70);
        again.Close();

        Assert.Null(again.Snapshots.Fault);
        Assert.Equal(1, again.Snapshots.Written);
    }

    [Fact]
    public void Open_WhereTheNewestSnapshotCannotBeRead_IsRefusedUntilItCan()
    {
        using var folder = new TempFolder();
        string newest = SnapshotThatCannotBeRead(folder.Path, 60);

        Assert.Contains(newest, Assert.Throws<JournalException>(() => Open(folder.Path)).Message, StringComparison.Ordinal);

        File.Delete(newest);
        using Journal<long> again = Open(folder.Path);
        Assert.Equal(50, again.Snapshots.Latest!.Next);
    }

    // A journal with snapshots before the items 50 and 60, one of which becomes a link to itself.
    private static string SnapshotThatCannotBeRead(string folder, int next)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run: a link to itself is a file that cannot be read on Linux");
        using (Journal<long> journal = Open(folder))
        {
            journal.Store([.. Enumerable.Range(0, 100).Select(static n => (long)n)]);
            Save(journal, 50);
            Save(journal, 60);
        }

        string file = Directory.GetFiles(folder, $"*{next}.snapshot").Single();
        File.Delete(file);
        File.CreateSymbolicLink(file, file);
        return file;
    }

    private static void Save(Journal<long> journal, long next) =>
        Watchdog.Until(() => journal.Snapshots.TrySave(next, next, static (_, _) => { }), "the snapshot before it");

    [Fact]
    public void Open_BesideAProcessThatHasIt_IsRefusedUntilThatIsKilled()
    {
        using var folder = new TempFolder();
        using var first = WriterProcess.Start(folder.Path);
        Assert.StartsWith("durable", first.Process.StandardOutput.ReadLine(), StringComparison.Ordinal);
        using (var second = WriterProcess.Start(folder.Path))
        {
            second.Last();
            Assert.Equal(3, second.Process.ExitCode);
            Assert.Contains("one writer", second.Output, StringComparison.Ordinal);
        }

        Assert.Throws<JournalException>(() => Open(folder.Path));
        first.Kill();
        Open(folder.Path).Dispose();
    }

    [Fact]
    public void Store_OnAFullDisk_FailsAndGoesOnWhenThereIsRoom()
    {
        using var folder = new TempFolder();
        string mount = Path.Combine(folder.Path, "small");
        Directory.CreateDirectory(mount);
        if (!OperatingSystem.IsLinux() || Run("mount", "-t", "tmpfs", "-o", "size=102400", "tmpfs", mount) != 0)
            Assert.Skip("not run: a small file system cannot be mounted here, which takes root on Linux");
        try
        {
            using (var writer = WriterProcess.Start(mount))
            {
                long acknowledged = writer.Last();
                Assert.Equal(4, writer.Process.ExitCode);
                Assert.Contains("No space left", writer.Output, StringComparison.Ordinal);
                Assert.True(acknowledged > 0);
                CheckIsRow(mount, acknowledged);
            }

            // Still full: refused, with a reason, or opened; never damaged.
            Assert.Equal(0, Run("mount", "-o", "remount,size=1048576", mount));
            using Journal<long> journal = Open(mount);
            journal.Store(journal.Found.Next);
        }
        finally
        {
            Run("umount", "-l", mount);
        }
    }

    [Fact]
    public void TrySave_WithAnArchiveThatIsFull_SaysSoAndLeavesTheArchiveWhole()
    {
        using var folder = new TempFolder();
        string archive = Path.Combine(folder.Path, "archive");
        Directory.CreateDirectory(archive);
        if (!OperatingSystem.IsLinux() || Run("mount", "-t", "tmpfs", "-o", "size=40960", "tmpfs", archive) != 0)
            Assert.Skip("not run: a small file system cannot be mounted here, which takes root on Linux");
        try
        {
            using Journal<long> journal = Journal<long>.Open(
                folder.Path, JournalCodec.Unmanaged<long>(), Kit.Small with { SegmentLength = 16_384, ArchiveFolder = archive, KeepSnapshots = 1 });
            for (int i = 0; i < 2_000; i++) journal.Store(i);
            Assert.True(journal.Snapshots.TrySave(2_000, 0, static (_, _) => { }));
            Assert.NotNull(journal.Snapshots.Fault);

            // What is there can be read, and together with the journal it is all.
            long archived = JournalFolder.Read(archive).Count();
            Assert.True(archived > 0);
            Assert.InRange(JournalFolder.Inspect(folder.Path).First, 0, archived);
            Assert.Equal(2_000 - archived, JournalFolder.Read(folder.Path, archived).Count());
        }
        finally
        {
            Run("umount", "-l", archive);
        }
    }

    [Theory]
    [InlineData("fdatasync", "EIO", 20)]
    [InlineData("pwrite64", "EIO", 40)]
    [InlineData("pwrite64", "ENOSPC", 25)]
    [InlineData("fsync", "EIO", 3)]
    [InlineData("rename", "EIO", 2)]
    public async Task Store_WithACallThatFails_AcknowledgesNothingMore(string call, string error, int number)
    {
        if (!OperatingSystem.IsLinux() || !Exists("strace")) Assert.Skip("not run: strace is not there");
        using var folder = new TempFolder();
        using var writer = WriterProcess.Start(
            folder.Path, "strace", "-f", "-qq", "-o", Path.Combine(folder.Path, "trace"), "-e", $"trace={call}", "-e",
            $"inject={call}:error={error}:when={number}+");
        Task<string> errors = writer.Process.StandardError.ReadToEndAsync();
        long acknowledged = writer.Last();
        if ((await errors).Contains("ptrace", StringComparison.Ordinal)) Assert.Skip("not run: this process may not trace another");
        Assert.Equal(4, writer.Process.ExitCode);
        // A part of the batch that failed may be durable: a new segment began behind that part.
        Assert.InRange(writer.DurableAtFault, acknowledged, acknowledged + WriterProcess.LongestBatch - 1);
        CheckIsRow(folder.Path, writer.DurableAtFault);
    }

    // Else a power cut could take the whole folder, with all that was acknowledged.
    [Fact]
    public async Task Open_OfAFolderThatIsMade_SyncsEachFolderAboveIt()
    {
        if (!OperatingSystem.IsLinux() || !Exists("strace")) Assert.Skip("not run: strace is not there");
        using var folder = new TempFolder();
        string above = Path.Combine(folder.Path, "above");
        string trace = Path.Combine(folder.Path, "trace");
        // A sync that fails ends the writer.
        using var writer = WriterProcess.Start(
            Path.Combine(above, "journal"), "strace", "-f", "-y", "-qq", "-o", trace, "-e", "trace=fsync,fdatasync", "-e",
            "inject=fdatasync:error=EIO:when=20+");
        Task<string> errors = writer.Process.StandardError.ReadToEndAsync();
        writer.Last();
        if ((await errors).Contains("ptrace", StringComparison.Ordinal)) Assert.Skip("not run: this process may not trace another");
        string[] calls = File.ReadAllLines(trace);
        foreach (string path in new[] { folder.Path, above }) Assert.Contains(calls, call => call.Contains($"<{path}>", StringComparison.Ordinal));
    }

    [Fact]
    public void Open_OfAFolderThatCannotBeMade_SaysSo()
    {
        JournalException refused = Assert.Throws<JournalException>(() => Open(OperatingSystem.IsLinux() ? "/proc/journal" : "\0"));
        Assert.Contains("cannot be used", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>A folder with a journal in it and one without, by the rights of the folder.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Open_OfAFolderThatThisUserMayNotWrite_SaysSoAndChangesNothing(bool hasJournal)
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("not run: it needs the file modes of Unix");
            return;
        }

        if (Environment.IsPrivilegedProcess) Assert.Skip("not run: the modes of files do not bind root; root tests a read-only file system instead");
        using var folder = new TempFolder();
        if (hasJournal) Fill(folder.Path);
        File.SetUnixFileMode(folder.Path, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        string[] files = Directory.GetFiles(folder.Path, "*.segment");
        foreach (string file in files) File.SetUnixFileMode(file, UnixFileMode.UserRead);
        try
        {
            CheckIsRefused(folder.Path, hasJournal);
        }
        finally
        {
            File.SetUnixFileMode(folder.Path, UnixFileMode.UserRead | UnixFileMode.UserExecute | UnixFileMode.UserWrite);
        }
    }

    /// <summary>The same by a file system that is mounted read-only, which binds root too.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Open_OnAReadOnlyFileSystem_SaysSoAndChangesNothing(bool hasJournal)
    {
        using var folder = new TempFolder();
        string mount = Path.Combine(folder.Path, "mounted");
        Directory.CreateDirectory(mount);
        if (!OperatingSystem.IsLinux() || Run("mount", "-t", "tmpfs", "-o", "size=1048576", "tmpfs", mount) != 0)
            Assert.Skip("not run: a read-only file system cannot be mounted here, which takes root on Linux");
        try
        {
            if (hasJournal) Fill(mount);
            Assert.Equal(0, Run("mount", "-o", "remount,ro", mount));
            CheckIsRefused(mount, hasJournal);
            Assert.Equal(0, Run("mount", "-o", "remount,rw", mount));
            using Journal<long> journal = Open(mount);
            Assert.Equal(hasJournal ? 3 : 0, journal.Found.Next);
        }
        finally
        {
            Run("umount", "-l", mount);
        }
    }

    private static void Fill(string folder)
    {
        using Journal<long> journal = Open(folder);
        journal.Store(0, 1, 2);
    }

    private static void CheckIsRefused(string folder, bool hasJournal)
    {
        JournalException refused = Assert.Throws<JournalException>(() => Open(folder));
        Assert.Contains("cannot be used", refused.Message, StringComparison.Ordinal);
        // Reading takes no right to write.
        if (hasJournal) Assert.Equal(3, JournalFolder.Read(folder).Count());
    }

    private static Journal<long> Open(string folder, int snapshots = 2) => Journal<long>.Open(
        folder, JournalCodec.Unmanaged<long>(), Kit.Small with { SegmentLength = 16_384, KeepSnapshots = snapshots });

    private static void CheckIsRow(string folder, long acknowledged)
    {
        if (Directory.GetFiles(folder, "*.segment").Length == 0)
        {
            Assert.Equal(-1, acknowledged);
            return;
        }

        JournalReport report = JournalFolder.Inspect(folder);
        Assert.Null(report.Damage);
        long[] items = [.. JournalFolder.Read(folder).Select(static item => BitConverter.ToInt64(item.Bytes.Span))];
        Assert.Equal(Enumerable.Range(0, items.Length).Select(static n => (long)n), items);
        Assert.True(items.Length > acknowledged, $"{items.Length} items are stored, and {acknowledged} was acknowledged");
    }

    private static bool Exists(string command)
    {
        try
        {
            return Run(command, "--version") == 0;
        }
        catch (Win32Exception)
        {
            return false;
        }
    }

    private static int Run(string command, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(command, arguments) { RedirectStandardError = true, RedirectStandardOutput = true })!;
        process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode;
    }
}
