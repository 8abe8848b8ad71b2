namespace Raceway.Logging.Tests;

/// <summary>Any call, by any thread, in any order: none hangs, none throws what is not the caller's own.</summary>
public sealed class HostileTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Dispose_TwiceAndByManyThreads_IsDoneOnce()
    {
        var file = new LogFile(_folder.File());
        file.Line("one");
        await Task.WhenAll(Enumerable.Range(0, 8).Select(n => Watchdog.Run(() =>
        {
            if (n % 2 == 0) file.Dispose();
            else file.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }))).OrHang();
        file.Dispose();

        Assert.Equal(["one"], _folder.Lines());
    }

    [Fact]
    public void Calls_AfterDisposal_AreRefusedAndCounted()
    {
        var file = new LogFile(_folder.File());
        file.Dispose();
        bool formatted = false;
        file.Line("late");
        file.Line("late", LogLevel.Critical);
        file.Write(LogLevel.Error, 0, (_, _) => formatted = true);

        Assert.Equal(3, file.GetStatistics().Refused);
        Assert.False(formatted);
        Assert.True(file.Flush());
        Assert.Empty(_folder.Lines());
    }

    [Fact]
    public void Formatter_ThatLogs_HasBothEntriesWritten()
    {
        using (var file = new LogFile(_folder.File()))
        {
            file.Write(LogLevel.Information, file, static (file, writer) =>
            {
                writer.Write("outer ");
                file.Line("inner");
                file.Line("critical inner", LogLevel.Critical);
                writer.WriteLine("end");
            });
        }

        Assert.Equal(["inner", "critical inner", "outer end"], _folder.Lines());
    }

    /// <summary>Its exception is the caller's, as with other loggers; the entry is not there, the next one is.</summary>
    [Fact]
    public void Formatter_ThatThrows_LeavesNothingBehind()
    {
        using (var file = new LogFile(_folder.File()))
        {
            Assert.Throws<FormatException>(() => file.Write(LogLevel.Information, 0, static (_, writer) =>
            {
                writer.Write("half");
                throw new FormatException();
            }));
            file.Line("whole");
        }

        Assert.Equal(["whole"], _folder.Lines());
    }

    [Fact]
    public void Formatter_ThatFillsTheBufferByLogging_DoesNotWaitForItself()
    {
        const int Inner = 100;
        using (var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = 16 }))
        {
            file.Write(LogLevel.Information, file, static (file, writer) =>
            {
                for (int i = 0; i < Inner; i++) file.Line("inner");
                writer.WriteLine("outer");
            });
        }

        Assert.Equal([.. Enumerable.Repeat("inner", Inner), "outer"], _folder.Lines());
    }

    [Fact]
    public void Notice_OfAFormatterThatThrowsOrLogs_DoesNotEndTheWriter()
    {
        var disk = new FaultyDisk();
        List<string> told = [];
        LogFile? file = null;
        disk.Hold();
        file = new LogFile(
            _folder.File(),
            new LogFileOptions { Capacity = 16, FlushInterval = TimeSpan.Zero, Overflow = LogOverflow.DropNewest, Disk = disk, SelfLog = told.Add },
            (_, _) =>
            {
                file!.Line("by the notice");
                throw new FormatException("no notice");
            });
        for (int i = 0; i < 20; i++) file.Line("entry");
        disk.Release();
        file.Dispose();

        // Its own entry may find the buffer full as well.
        Assert.True(file.GetStatistics().Dropped >= 4);
        Assert.Contains("no notice", told[0], StringComparison.Ordinal);
        Assert.Equal(16, _folder.Lines().Count(static line => line == "entry"));
    }

    [Fact]
    public async Task Calls_OfAllKindsAtOnce_EndTogether()
    {
        for (int round = 0; round < 10; round++)
        {
            var file = new LogFile(_folder.File($"{round}.log"), new LogFileOptions { Capacity = 16, Overflow = (LogOverflow)(round % 3) });
            int logged = 0;
            Task[] calls = [.. Enumerable.Range(0, 6).Select(thread => Watchdog.Run(() =>
            {
                for (int i = 0; i < 300; i++)
                {
                    if (thread == 0) _ = file.Flush();
                    else if (thread == 1 && i == 250) file.Dispose();
                    else
                    {
                        Interlocked.Increment(ref logged);
                        file.Line("entry", (LogLevel)(i % 6));
                    }
                }
            }))];
            await Task.WhenAll(calls).OrHang();
            await file.DisposeAsync().OrHang();
            LogFileStatistics done = file.GetStatistics();

            Assert.Equal(logged, done.Entries + done.Dropped + done.Refused);
            Assert.Equal(done.Entries, _folder.Lines($"{round}.log").Count(static line => line == "entry"));
        }
    }

    /// <summary>A file keeps the options that it was made with.</summary>
    [Fact]
    public void Options_ChangedLater_HaveNoEffect()
    {
        var options = new LogFileOptions { MaxEntryBytes = 256 };
        using (var file = new LogFile(_folder.File(), options))
        {
            options.MaxEntryBytes = 1 << 20;
            file.Line(new string('x', 1000));
            file.WriteLater(LogLevel.Information, 0, static (_, writer) => writer.WriteLine(new string('y', 1000)));
        }

        Assert.All(_folder.Lines(), static line => Assert.EndsWith("[cut]", line, StringComparison.Ordinal));
        Assert.Equal(2, _folder.Lines().Length);
    }

    /// <summary>Two files whose self-logs log to each other, both full: neither writer waits for the other.</summary>
    [Fact]
    public async Task SelfLogs_OfFullFilesThatLogToEachOther_DoNotHang()
    {
        FaultyDisk[] disks = [new(), new()];
        var files = new LogFile[2];
        for (int i = 0; i < 2; i++)
        {
            int other = 1 - i;
            disks[i].Hold();
            files[i] = new LogFile(_folder.File($"{i}.log"), new LogFileOptions
            {
                Capacity = 16, FlushInterval = TimeSpan.Zero, Disk = disks[i], SelfLog = line => files[other].Line(line, LogLevel.Error),
            });
        }

        foreach ((LogFile file, FaultyDisk disk) in files.Zip(disks))
        {
            for (int i = 0; i < 16; i++) file.Line("entry");
            Watchdog.Until(() => disk.HoldsOne, "the writer writes");
            disk.IsFull = true;
        }

        foreach (FaultyDisk disk in disks) disk.Release();
        foreach (LogFile file in files) await Watchdog.UntilAsync(() => file.GetStatistics().Backlog == 0);
        foreach (LogFile file in files) await file.DisposeAsync().OrHang();
        Assert.All(files, static file => Assert.True(file.GetStatistics().Failed >= 16));
    }

    [Fact]
    public void Entries_OfLevelNone_AreNone()
    {
        using (var file = new LogFile(_folder.File())) file.Line("none", LogLevel.None);

        Assert.Empty(_folder.Lines());
    }
}
