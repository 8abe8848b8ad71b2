using System.Globalization;
using System.Text.RegularExpressions;

namespace Raceway.Logging.Tests;

/// <summary>A full buffer: which callers wait, what is dropped, and how the file says it. The disk holds the writer back meanwhile.</summary>
public sealed partial class OverflowTests : IDisposable
{
    private const int Capacity = 16;

    private readonly TempFolder _folder = new();
    private readonly FaultyDisk _disk = new();

    public void Dispose()
    {
        _disk.Release();
        _folder.Dispose();
    }

    [Fact]
    public async Task Wait_BufferFull_HoldsTheCallerUntilThereIsRoom()
    {
        await using LogFile file = Full(LogOverflow.Wait);
        Task logged = Watchdog.Run(() => file.Numbered(0, Capacity));
        await Watchdog.UntilAsync(() => file.Blocked == 1);
        Assert.False(logged.IsCompleted);

        _disk.Release();
        await logged.OrHang();
        Assert.True(file.Flush());
        Assert.Equal([Capacity + 1], LogLines.AssertInOrder(_folder.Lines(), 1));
        Assert.Equal(0, file.GetStatistics().Dropped);
    }

    [Fact]
    public async Task DropNewest_BufferFull_DropsCountsAndTells()
    {
        await using LogFile file = Full(LogOverflow.DropNewest);
        for (int i = 0; i < 10; i++) file.Line("lost", LogLevel.Debug);
        for (int i = 0; i < 3; i++) file.Line("lost", LogLevel.Error);
        Assert.Equal(13, file.GetStatistics().Dropped);

        _disk.Release();
        // It says once that entries are missing.
        Assert.False(file.Flush());
        Assert.True(file.Flush());
        file.Line("then");
        await file.DisposeAsync().OrHang();

        string[] lines = _folder.Lines();
        Assert.Equal([Capacity], LogLines.AssertInOrder(lines[..Capacity], 1));
        Assert.EndsWith("13 log entries were dropped because the buffer was full (10 Debug, 3 Error)", lines[Capacity], StringComparison.Ordinal);
        Assert.Equal(["then"], lines[(Capacity + 1)..]);
        Assert.Equal((Capacity + 1, 13), (file.GetStatistics().Entries, file.GetStatistics().Dropped));
    }

    [Fact]
    public async Task DropBelow_BufferFull_DropsBelowTheLevelAndWaitsFromItOn()
    {
        await using LogFile file = Full(LogOverflow.DropBelow, LogLevel.Warning);
        file.Line("lost", LogLevel.Information);
        Task kept = Watchdog.Run(() => file.Line("kept", LogLevel.Warning));
        await Watchdog.UntilAsync(() => file.Blocked == 1);
        // Behind one that waits as well: it does not wait with it.
        file.Line("lost", LogLevel.Information);
        Assert.Equal(2, file.GetStatistics().Dropped);

        _disk.Release();
        await kept.OrHang();
        await file.DisposeAsync().OrHang();
        string[] lines = _folder.Lines();
        Assert.Equal([Capacity], LogLines.AssertInOrder(lines[..Capacity], 1));
        Assert.Contains("kept", lines);
        Assert.Contains(lines, static line => line.EndsWith("2 log entries were dropped because the buffer was full (2 Information)", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Critical_BufferFull_WaitsUnderEachPolicy()
    {
        await using LogFile file = Full(LogOverflow.DropNewest);
        Task logged = Watchdog.Run(() => file.Line("critical", LogLevel.Critical));
        await Watchdog.UntilAsync(() => file.Blocked == 1);

        _disk.Release();
        await logged.OrHang();
        Assert.Contains("critical", _folder.Lines());
        Assert.Equal(0, file.GetStatistics().Dropped);
    }

    /// <summary>A disk that hangs, and a clock of entries that stands still: where others of its level are dropped, a Critical entry is too, once it has waited.</summary>
    [Fact]
    public async Task Critical_BufferFullForLongerThanItWaits_IsDroppedAndCounted()
    {
        await using LogFile file = Full(LogOverflow.DropNewest, flushTimeout: TimeSpan.FromMilliseconds(50), time: new VirtualTime());
        await Watchdog.Run(() => file.Line("critical", LogLevel.Critical)).OrHang();

        Assert.Equal(1, file.GetStatistics().Dropped);
        _disk.Release();
    }

    /// <summary>The line that says what is missing could not be written: it is, later.</summary>
    [Fact]
    public async Task Notice_CannotBeWritten_IsToldWhenItCan()
    {
        await using LogFile file = Full(LogOverflow.DropNewest);
        for (int i = 0; i < 13; i++) file.Line("lost");
        (_disk.FailingText, _disk.FailingWrites) = ("dropped", 2);
        _disk.Release();
        await Watchdog.UntilAsync(() => file.GetStatistics().Faults > 0);
        await Watchdog.UntilAsync(() =>
        {
            file.Line("then");
            return file.Flush() && _folder.Lines().Contains("then");
        });
        await file.DisposeAsync().OrHang();

        // Of the lines that it waited with, the first ones may have been dropped, too.
        long told = _folder.Lines().Select(static line => Notices().Match(line)).Where(static notice => notice.Success)
            .Sum(static notice => long.Parse(notice.Groups[1].Value, CultureInfo.InvariantCulture));
        Assert.Equal(file.GetStatistics().Dropped, told);
        Assert.InRange(told, 13, long.MaxValue);
    }

    /// <summary>Callers that copy their entries in at the same time meet each other, which is no reason to drop one.</summary>
    [Fact]
    public async Task DropNewest_ManyThreadsWithRoom_DropsNothing()
    {
        const int Threads = 8, Each = 500;
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = 8192, Overflow = LogOverflow.DropNewest });
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Watchdog.Run(() =>
        {
            for (int i = 0; i < Each; i++) file.Numbered(thread, i);
        }))).OrHang();
        await file.DisposeAsync().OrHang();

        Assert.Equal(Enumerable.Repeat(Each, Threads), LogLines.AssertInOrder(_folder.Lines(), Threads));
    }

    /// <summary>Whatever is dropped meanwhile: what was written, and what the file says is missing, is what was logged.</summary>
    [Fact]
    public async Task DropNewest_UnderLoad_WrittenAndToldAddUp()
    {
        const int Threads = 4, Each = 20_000;
        var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = Capacity, Overflow = LogOverflow.DropNewest });
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Watchdog.Run(() =>
        {
            for (int i = 0; i < Each; i++) file.Numbered(thread, i);
        }))).OrHang();
        await file.DisposeAsync().OrHang();

        string[] lines = _folder.Lines();
        string[] notices = [.. lines.Where(static line => line.Contains("dropped", StringComparison.Ordinal))];
        long told = notices.Sum(static line => long.Parse(line.Split(' ')[2], System.Globalization.CultureInfo.InvariantCulture));
        Assert.Equal(file.GetStatistics().Dropped, told);
        Assert.Equal(Threads * Each, lines.Length - notices.Length + told);
    }

    // The writer is inside a write, and the ring has no slot left.
    private LogFile Full(LogOverflow overflow, LogLevel keepFrom = LogLevel.Warning, TimeSpan? flushTimeout = null, TimeProvider? time = null)
    {
        _disk.Hold();
        var file = new LogFile(_folder.File(), new LogFileOptions
        {
            Capacity = Capacity, FlushInterval = TimeSpan.Zero, Overflow = overflow, KeepFrom = keepFrom, Disk = _disk,
            Time = time ?? TimeProvider.System, FlushTimeout = flushTimeout ?? TimeSpan.FromSeconds(10),
        });
        for (int i = 0; i < Capacity; i++) file.Numbered(0, i);
        Watchdog.Until(() => _disk.HoldsOne, "the writer writes");
        return file;
    }

    [GeneratedRegex("([0-9]+) log entr(?:y was|ies were) dropped because the buffer was full")]
    private static partial Regex Notices();
}
