namespace Raceway.Logging.Tests;

/// <summary>A file that cannot be written: no caller sees it, a counter and one line of the self-log do, and then the file itself.</summary>
public sealed class FaultTests : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly FaultyDisk _disk = new();
    private readonly List<string> _told = [];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Disk_Full_LosesCountsTellsOnceAndGoesOnWhenThereIsRoom()
    {
        await using LogFile file = Open();
        file.Line("first");
        Assert.True(file.Flush());
        _disk.IsFull = true;
        for (int i = 0; i < 5; i++)
        {
            file.Line("lost", LogLevel.Warning);
            Assert.False(file.Flush());
            Assert.True(file.Flush());
        }

        Assert.Equal((1, 5), (file.GetStatistics().Entries, file.GetStatistics().Failed));
        Assert.True(file.GetStatistics().Faults >= 2);
        Assert.Contains(_folder.File(), Assert.Single(_told), StringComparison.Ordinal);

        _disk.IsFull = false;
        await LogUntilWritten(file, "again");
        await file.DisposeAsync().OrHang();
        string[] lines = _folder.Lines();
        // Nothing is left of the writes that failed in the middle.
        Assert.Equal("first", lines[0]);
        Assert.All(lines[1..^1], static line => Assert.Equal("again", line));
        Assert.Contains("dropped because the file could not be written (", lines[^1], StringComparison.Ordinal);
        Assert.Contains("5 Warning", lines[^1], StringComparison.Ordinal);
        Assert.Single(_told);
    }

    [Fact]
    public async Task Write_FailsOnce_IsRepeatedAndNothingIsLost()
    {
        await using LogFile file = Open();
        file.Line("one");
        Assert.True(file.Flush());
        _disk.FailingWrites = 1;
        file.Line("two");
        Assert.True(file.Flush());

        Assert.Equal(["one", "two"], _folder.Lines());
        Assert.Equal((0, 1), (file.GetStatistics().Failed, file.GetStatistics().Faults));
        Assert.Empty(_told);
    }

    /// <summary>What can be written is written, once, also where no sync works.</summary>
    [Theory]
    [InlineData(1, 2, 1, 0)]
    [InlineData(int.MaxValue, 4, 4, 1)]
    public async Task Sync_Fails_EntriesAreWrittenOnce(int failing, int syncs, int faults, int told)
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Disk = _disk, SelfLog = _told.Add, Critical = LogDurability.Synced });
        _disk.FailingSyncs = failing;
        file.Line("critical", LogLevel.Critical);
        file.Line("then");
        Assert.True(file.Flush());
        if (failing > 1) file.Line("again", LogLevel.Critical);
        _disk.FailingSyncs = 0;

        Assert.Equal(failing > 1 ? ["critical", "then", "again"] : ["critical", "then"], _folder.Lines());
        Assert.Equal((0, faults, syncs), (file.GetStatistics().Failed, file.GetStatistics().Faults, _disk.Syncs));
        Assert.Equal(told, _told.Count(static line => line.Contains("not synced", StringComparison.Ordinal)));
    }

    /// <summary>The real thing: a device without room.</summary>
    [Fact]
    public async Task Device_Full_LosesAndCounts()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "There is no /dev/full.");
        await using var file = new LogFile("/dev/full", new LogFileOptions { SelfLog = _told.Add });
        file.Line("lost");
        file.Line("lost", LogLevel.Critical);

        Assert.Equal((0, 2), (file.GetStatistics().Entries, file.GetStatistics().Failed));
        Assert.Single(_told);
    }

    [Fact]
    public async Task Folder_Removed_IsMadeAgain()
    {
        string folder = Path.Combine(_folder.Path, "logs");
        string path = Path.Combine(folder, "app.log");
        await using var file = new LogFile(path, new LogFileOptions { SelfLog = _told.Add });
        file.Line("first");
        Assert.True(file.Flush());
        Directory.Delete(folder, recursive: true);

        await Watchdog.UntilAsync(() =>
        {
            file.Line("again");
            return file.Flush() && File.Exists(path);
        });
        await file.DisposeAsync().OrHang();
        Assert.All(File.ReadAllLines(path), static line => Assert.Equal("again", line));
    }

    /// <summary>What logrotate does.</summary>
    [Fact]
    public async Task File_RenamedByAnother_IsBegunAnewAndNothingIsLost()
    {
        await using LogFile file = Open();
        int logged = 0;
        file.Numbered(0, logged++);
        Assert.True(file.Flush());
        File.Move(_folder.File(), _folder.File("app.log.1"));
        await Watchdog.UntilAsync(() =>
        {
            file.Numbered(0, logged++);
            return file.Flush() && File.Exists(_folder.File());
        });
        await file.DisposeAsync().OrHang();

        Assert.Equal([logged], LogLines.AssertInOrder([.. _folder.Lines("app.log.1"), .. _folder.Lines()], 1));
    }

    /// <summary>What logrotate does with copytruncate.</summary>
    [Fact]
    public async Task File_CutByAnother_HasNoHole()
    {
        await using LogFile file = Open();
        file.Line("first");
        Assert.True(file.Flush());
        await using (FileStream other = new(_folder.File(), FileMode.Open, FileAccess.Write, FileShare.ReadWrite)) other.SetLength(0);
        file.Line("again");
        Assert.True(file.Flush());

        Assert.Equal(["again"], _folder.Lines());
    }

    [Fact]
    public async Task Path_ThatCannotBe_LosesAndCounts()
    {
        File.WriteAllText(_folder.File("taken"), "");
        await using var file = new LogFile(Path.Combine(_folder.File("taken"), "app.log"), new LogFileOptions { SelfLog = _told.Add });
        file.Line("lost");
        Assert.False(file.Flush());

        Assert.Equal(1, file.GetStatistics().Failed);
        Assert.Single(_told);
    }

    [Fact]
    public async Task SelfLog_ThatLogsFlushesAndDisposes_NeitherHangsNorRecurses()
    {
        LogFile? file = null;
        int calls = 0;
        _disk.IsFull = true;
        file = new LogFile(_folder.File(), new LogFileOptions
        {
            Capacity = 16,
            Disk = _disk,
            SelfLog = _ =>
            {
                calls++;
                // More than there is room for, and levels that wait.
                for (int i = 0; i < 40; i++) file!.Line("told", i % 2 == 0 ? LogLevel.Error : LogLevel.Critical);
                Assert.False(file!.Flush());
                file.Dispose();
            },
        });
        file.Line("lost");
        file.Line("lost", LogLevel.Critical);
        await file.DisposeAsync().OrHang();

        Assert.Equal(1, calls);
        LogFileStatistics done = file.GetStatistics();
        Assert.Equal(42, done.Entries + done.Failed + done.Dropped + done.Refused);
    }

    [Fact]
    public async Task SelfLog_ThatThrows_DoesNotEndTheWriter()
    {
        _disk.IsFull = true;
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Disk = _disk, SelfLog = static _ => throw new InvalidOperationException() });
        file.Line("lost");
        Assert.False(file.Flush());
        _disk.IsFull = false;

        await LogUntilWritten(file, "again");
    }

    private LogFile Open() => new(_folder.File(), new LogFileOptions { Disk = _disk, SelfLog = _told.Add });

    // It is tried again a second after it failed.
    private static Task LogUntilWritten(LogFile file, string text)
    {
        long before = file.GetStatistics().Entries;
        return Watchdog.UntilAsync(() =>
        {
            file.Line(text);
            return file.Flush() && file.GetStatistics().Entries > before;
        });
    }
}
