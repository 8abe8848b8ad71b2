namespace Raceway.Logging.Tests;

/// <summary>What is logged is in the file: all of it, in each thread's order, when the file is disposed.</summary>
public sealed class LogFileTests : IDisposable
{
    private const int Threads = 8;

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Write_OfOneThread_IsInTheFileInOrder()
    {
        using (var file = new LogFile(_folder.File()))
            for (int i = 0; i < 10_000; i++) file.Numbered(0, i);

        Assert.Equal([10_000], LogLines.AssertInOrder(_folder.Lines(), 1));
    }

    [Fact]
    public async Task Write_OfEightThreads_LosesNothingAndKeepsTheOrderOfEach()
    {
        const int Each = 20_000;
        using (var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = 64 }))
        {
            await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Watchdog.Run(() =>
            {
                for (int i = 0; i < Each; i++) file.Numbered(thread, i);
            }))).OrHang();
            await file.DisposeAsync().OrHang();
            LogFileStatistics done = file.GetStatistics();
            Assert.Equal((Threads * Each, 0, 0, 0, 0), (done.Entries, done.Dropped, done.Failed, done.Refused, done.Backlog));
            Assert.Equal(new FileInfo(_folder.File()).Length, done.Bytes);
        }

        Assert.Equal(Enumerable.Repeat(Each, Threads), LogLines.AssertInOrder(_folder.Lines(), Threads));
    }

    /// <summary>Shutdown at any moment: an entry is in the file, or it came after the end and is counted.</summary>
    [Fact]
    public async Task Dispose_WhileEightThreadsLog_LosesNoEntryThatCameBefore()
    {
        for (int round = 0; round < 20; round++)
        {
            string name = $"{round}.log";
            var file = new LogFile(_folder.File(name), new LogFileOptions { Capacity = 256 });
            int[] logged = new int[Threads];
            Task[] logging = [.. Enumerable.Range(0, Threads).Select(thread => Watchdog.Run(() =>
            {
                while (file.GetStatistics().Refused == 0) file.Numbered(thread, logged[thread]++);
            }))];
            await Watchdog.UntilAsync(() => file.GetStatistics().Entries > round * 100);
            await file.DisposeAsync().OrHang();
            await Task.WhenAll(logging).OrHang();

            LogFileStatistics done = file.GetStatistics();
            int[] written = LogLines.AssertInOrder(_folder.Lines(name), Threads);
            Assert.Equal(logged.Sum() - done.Refused, written.Sum());
            Assert.Equal(done.Entries, written.Sum());
            Assert.Equal((0, 0), (done.Dropped, done.Failed));
        }
    }

    /// <summary>A caller that waited for room when the end began came before it.</summary>
    [Fact]
    public async Task Dispose_WhileCallersWaitForRoom_LetsThemIn()
    {
        const int Capacity = 16;
        var disk = new FaultyDisk();
        disk.Hold();
        var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = Capacity, FlushInterval = TimeSpan.Zero, Disk = disk });
        for (int i = 0; i < Capacity; i++) file.Numbered(0, i);
        Task[] waiting = [.. Enumerable.Range(1, Threads).Select(thread => Watchdog.Run(() => file.Numbered(thread, 0)))];
        await Watchdog.UntilAsync(() => file.Blocked == Threads);

        Task disposed = file.DisposeAsync().AsTask();
        disk.Release();
        await disposed.OrHang();
        await Task.WhenAll(waiting).OrHang();

        Assert.Equal(0, file.GetStatistics().Refused);
        Assert.Equal([Capacity, .. Enumerable.Repeat(1, Threads)], LogLines.AssertInOrder(_folder.Lines(), Threads + 1));
    }

    [Fact]
    public void Write_ToAFileThatIsThere_GoesOnAtItsEnd()
    {
        File.WriteAllText(_folder.File(), "before\n");
        using (var file = new LogFile(_folder.File())) file.Line("behind");

        Assert.Equal(["before", "behind"], _folder.Lines());
    }

    [Fact]
    public void Write_IntoAFolderThatIsNotThere_MakesIt()
    {
        string path = Path.Combine(_folder.Path, "deep", "er", "app.log");
        using (var file = new LogFile(path)) file.Line("one");

        Assert.Equal(["one"], File.ReadAllLines(path));
    }

    [Fact]
    public void Flush_OfABatch_TakesTwoWritesAtMost()
    {
        var time = new VirtualTime();
        using var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = 4096, Time = time });
        for (int i = 0; i < 100; i++) file.Numbered(0, i);
        Assert.True(file.Flush());

        // Below its share of the ring the writer waits for more, and time stands still. What it had seen by then may be a write of its own.
        Assert.Equal(100, file.GetStatistics().Entries);
        Assert.InRange(file.GetStatistics().Writes, 1, 2);
    }

    [Fact]
    public async Task Write_SecondFileOfTheSamePath_TakesTheNextNumber()
    {
        await using var first = new LogFile(_folder.File());
        await using var second = new LogFile(_folder.File());
        first.Line("one");
        second.Line("two");
        Assert.True(first.Flush() && second.Flush());

        Assert.Equal(["app.001.log", "app.log"], _folder.Names());
        Assert.Equal(["one", "two"], _folder.Names().SelectMany(_folder.Lines).Order());
    }

    [Theory]
    [InlineData(15)]
    [InlineData(17)]
    [InlineData(0)]
    public void Options_CapacityThatIsNoPowerOfTwo_IsRefused(int capacity) =>
        Assert.Contains(
            $": {capacity}.",
            Assert.Throws<ArgumentOutOfRangeException>(() => new LogFile(_folder.File(), new LogFileOptions { Capacity = capacity })).Message,
            StringComparison.Ordinal);

    public static TheoryData<LogFileOptions> WrongOptions =>
    [
        new LogFileOptions { MaxEntryBytes = 255 },
        new LogFileOptions { Overflow = (LogOverflow)7 },
        new LogFileOptions { Critical = (LogDurability)7 },
        new LogFileOptions { KeepFrom = (LogLevel)9 },
        new LogFileOptions { FlushInterval = TimeSpan.FromSeconds(-1) },
        new LogFileOptions { FlushTimeout = TimeSpan.Zero },
        new LogFileOptions { MaxFileBytes = 1000 },
        new LogFileOptions { RetainedFiles = 0 },
    ];

    [Theory]
    [MemberData(nameof(WrongOptions))]
    public void Options_OutOfRange_AreRefused(LogFileOptions options) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new LogFile(_folder.File(), options));

    [Fact]
    public void Path_Empty_IsRefused() => Assert.Throws<ArgumentException>(() => new LogFile(" "));
}
