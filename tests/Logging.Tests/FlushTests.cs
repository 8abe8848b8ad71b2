namespace Raceway.Logging.Tests;

/// <summary>When entries are written: by a deadline, at once if they are critical, and when a caller asks.</summary>
public sealed class FlushTests : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly VirtualTime _time = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Write_OfOneEntry_IsWrittenWhenItHasWaitedForTheInterval()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Time = _time, FlushInterval = TimeSpan.FromSeconds(1) });
        file.Line("one");
        await Watchdog.UntilAsync(() => _time.SetTimers > 0);
        _time.Advance(TimeSpan.FromSeconds(0.9));
        Assert.Equal((0, 1), (file.GetStatistics().Entries, file.GetStatistics().Backlog));

        _time.Advance(TimeSpan.FromSeconds(0.1));
        await Watchdog.UntilAsync(() => file.GetStatistics().Entries == 1);
        Assert.Equal(["one"], _folder.Lines());
    }

    [Fact]
    public async Task Write_WithoutAnInterval_IsWrittenAtOnce()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Time = _time, FlushInterval = TimeSpan.Zero });
        file.Line("one");
        await Watchdog.UntilAsync(() => file.GetStatistics().Entries == 1);
    }

    /// <summary>Time stands still: nothing but its level writes it, and what came before it.</summary>
    [Fact]
    public async Task Critical_ReturnsWhenItIsWritten()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Time = _time });
        for (int round = 0; round < 100; round++)
        {
            file.Line($"before {round}");
            file.Line($"critical {round}", LogLevel.Critical);
            Assert.Equal([$"before {round}", $"critical {round}"], _folder.Lines()[^2..]);
        }
    }

    [Fact]
    public async Task Critical_OfManyThreads_EachReturnsWhenItIsWritten()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Time = _time, Capacity = 64 });
        await Task.WhenAll(Enumerable.Range(0, 8).Select(thread => Watchdog.Run(() =>
        {
            for (int i = 0; i < 200; i++)
            {
                file.Numbered(thread, 2 * i);
                long before = file.GetStatistics().Entries;
                file.Numbered(thread, 2 * i + 1, LogLevel.Critical);
                Assert.True(file.GetStatistics().Entries >= before + 1);
            }
        }))).OrHang();
        await file.DisposeAsync().OrHang();

        Assert.Equal(Enumerable.Repeat(400, 8), LogLines.AssertInOrder(_folder.Lines(), 8));
    }

    [Theory]
    [InlineData(LogDurability.Written, 0)]
    [InlineData(LogDurability.Synced, 1)]
    public async Task Critical_IsSyncedIfOptionsSaySo(LogDurability durability, int syncs)
    {
        var disk = new FaultyDisk();
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Time = _time, Critical = durability, Disk = disk });
        file.Line("critical", LogLevel.Critical);

        Assert.Equal(syncs, disk.Syncs);
    }

    [Fact]
    public async Task Flush_WritesWhatWasLogged_AndTheIntervalCountsAgain()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Time = _time });
        Assert.True(file.Flush());
        file.Line("one");
        Assert.True(file.Flush());
        Assert.Equal(["one"], _folder.Lines());

        file.Line("two");
        await Watchdog.UntilAsync(() => _time.SetTimers > 0);
        Assert.Equal(1, file.GetStatistics().Entries);
        _time.Advance(TimeSpan.FromSeconds(1));
        await Watchdog.UntilAsync(() => file.GetStatistics().Entries == 2);
    }

    /// <summary>A disk that does not answer: callers wait for the time-out, and not for ever.</summary>
    [Fact]
    public async Task Wait_ForADiskThatHangs_EndsByTheTimeout()
    {
        var disk = new FaultyDisk();
        disk.Hold();
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Disk = disk, FlushTimeout = TimeSpan.FromMilliseconds(50) });
        file.Line("critical", LogLevel.Critical);
        Assert.False(file.Flush());

        disk.Release();
        await Watchdog.UntilAsync(() => file.GetStatistics().Entries == 1);
    }

    /// <summary>The writer is not left behind for good: it writes, tells and closes when the disk answers again.</summary>
    [Fact]
    public async Task Dispose_WhileTheDiskHangs_ReturnsAndTheFileIsClosedWhenItAnswers()
    {
        var disk = new FaultyDisk();
        disk.Hold();
        // Its clock stands still: that of entries says nothing about waiting.
        var file = new LogFile(_folder.File(), new LogFileOptions { Disk = disk, Time = _time, FlushTimeout = TimeSpan.FromMilliseconds(50) });
        file.Line("one");
        await file.DisposeAsync().OrHang();
        Assert.False(disk.Opened!.IsClosed);

        disk.Release();
        await Watchdog.UntilAsync(() => disk.Opened.IsClosed);
        Assert.Equal(["one"], _folder.Lines());
    }

    /// <summary>A Critical entry of one batch with the end of its file: it is synced before that file is closed.</summary>
    [Fact]
    public async Task Critical_ItsFileEndsInTheSameBatch_IsSynced()
    {
        var disk = new FaultyDisk();
        await using var file = new LogFile(_folder.File(), new LogFileOptions
        {
            Disk = disk, Critical = LogDurability.Synced, FlushInterval = TimeSpan.Zero, MaxEntryBytes = 256, MaxFileBytes = 256,
        });
        disk.Hold();
        file.Line("held");
        await Watchdog.UntilAsync(() => disk.HoldsOne);
        Task critical = Watchdog.Run(() => file.Line("critical", LogLevel.Critical));
        await Watchdog.UntilAsync(() => file.GetStatistics().Backlog == 2);
        for (int i = 0; i < 10; i++) file.Line(new string('x', 100));
        disk.Release();
        await critical.OrHang();

        Assert.Contains("critical", _folder.Lines());
        Assert.Contains("app.log", disk.SyncedPaths);
    }
}
