using System.Runtime.CompilerServices;

namespace Raceway.Logging.Tests;

/// <summary>Entries that the writer formats: the same in the file as those that their callers format.</summary>
public sealed class WriteLaterTests : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly VirtualTime _time = new();
    private readonly FaultyDisk _disk = new();

    public void Dispose()
    {
        _disk.Release();
        _folder.Dispose();
    }

    [Fact]
    public async Task Both_OfEightThreads_LoseNothingAndKeepTheOrderOfEach()
    {
        const int Threads = 8, Each = 20_000;
        using (var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = 64 }))
        {
            await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Watchdog.Run(() =>
            {
                for (int i = 0; i < Each; i++)
                {
                    if ((i & 3) == 0) file.Numbered(thread, i);
                    else Later(file, thread, i);
                }
            }))).OrHang();
            await file.DisposeAsync().OrHang();
            LogFileStatistics done = file.GetStatistics();
            Assert.Equal((Threads * Each, 0, 0, 0, 0), (done.Entries, done.Dropped, done.Unformatted, done.Refused, done.Backlog));
        }

        Assert.Equal(Enumerable.Repeat(Each, Threads), LogLines.AssertInOrder(_folder.Lines(), Threads));
    }

    [Theory]
    [InlineData(LogLevel.Information, false)]
    [InlineData(LogLevel.Critical, true)]
    public void Format_RunsOnTheWritersThread_UnlessTheEntryIsCritical(LogLevel level, bool isTheCallers)
    {
        int thread = 0;
        using var file = new LogFile(_folder.File());

        file.WriteLater(level, 0, (_, writer) =>
        {
            thread = Environment.CurrentManagedThreadId;
            writer.WriteLine("entry");
        });
        Assert.True(file.Flush());

        Assert.Equal(isTheCallers, thread == Environment.CurrentManagedThreadId);
    }

    [Theory]
    [InlineData(16)]
    [InlineData(4096)]
    public async Task Format_WriterIsBehind_RunsOnTheCallersThread(int capacity)
    {
        using var go = new ManualResetEventSlim();
        await using LogFile file = Held(capacity);
        int before = 0;
        for (int i = 0; i < capacity / 2; i++)
            file.WriteLater(LogLevel.Information, go, (gate, writer) =>
            {
                Interlocked.Increment(ref before);
                gate.Wait();
                writer.WriteLine("entry");
            });
        try
        {
            Assert.Equal(0, before);
            _disk.Release();
            // It has half of the buffer before it.
            await Watchdog.UntilAsync(() => Volatile.Read(ref before) == 1);

            int thread = 0;
            file.WriteLater(LogLevel.Information, 0, (_, writer) =>
            {
                thread = Environment.CurrentManagedThreadId;
                writer.WriteLine("own");
            });
            Assert.Equal(Environment.CurrentManagedThreadId, thread);
        }
        finally
        {
            _disk.Release();
            go.Set();
        }

        Assert.True(file.Flush());
        Assert.Equal(["held", .. Enumerable.Repeat("entry", capacity / 2), "own"], _folder.Lines());

        // It has caught up.
        int later = 0;
        file.WriteLater(LogLevel.Information, 0, (_, writer) => later = Environment.CurrentManagedThreadId);
        Assert.True(file.Flush());
        Assert.NotEqual(Environment.CurrentManagedThreadId, later);
    }

    [Fact]
    public async Task Format_OfTheNinthType_RunsOnTheCallersThread()
    {
        await using LogFile file = Held(64);
        int[] threads = new int[9];
        Later<byte>(0);
        Later<sbyte>(1);
        Later<short>(2);
        Later<ushort>(3);
        Later<int>(4);
        Later<uint>(5);
        Later<long>(6);
        Later<ulong>(7);
        Later<char>(8);
        void Later<T>(int index) => file.WriteLater(LogLevel.Information, default(T)!, (_, writer) =>
        {
            threads[index] = Environment.CurrentManagedThreadId;
            writer.WriteLine("entry");
        });

        Assert.Equal(Environment.CurrentManagedThreadId, threads[8]);
        Assert.All(threads[..8], static thread => Assert.Equal(0, thread));
        _disk.Release();
        Assert.True(file.Flush());
        Assert.Equal(10, _folder.Lines().Length);
        Assert.DoesNotContain(Environment.CurrentManagedThreadId, threads[..8]);
    }

    [Fact]
    public async Task Critical_BehindEntriesThatAreKept_ReturnsWhenAllAreWritten()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { FlushInterval = TimeSpan.FromHours(1) });
        for (int i = 0; i < 10; i++) Later(file, 0, i);
        file.Line("0 10", LogLevel.Critical);

        Assert.Equal([11], LogLines.AssertInOrder(_folder.Lines(), 1));
    }

    [Fact]
    public async Task Dispose_WhileOneWaitsForRoom_WritesIt()
    {
        const int Capacity = 16;
        LogFile file = Held(Capacity);
        for (int i = 0; i < Capacity - 1; i++) Later(file, 0, i);
        Task waits = Watchdog.Run(() => Later(file, 0, Capacity - 1));
        await Watchdog.UntilAsync(() => file.Blocked == 1);

        ValueTask ended = file.DisposeAsync();
        _disk.Release();
        await ended.AsTask().OrHang();
        await waits.OrHang();

        Assert.Equal([Capacity], LogLines.AssertInOrder(_folder.Lines()[1..], 1));
    }

    [Theory]
    [InlineData(7)]
    [InlineData(-1)]
    public void Level_OfNoName_IsWrittenLikeAnyOther(int level)
    {
        using (var file = new LogFile(_folder.File()))
        {
            file.WriteLater((LogLevel)level, 1, Line);
            file.Line("2", (LogLevel)level);
            file.WriteLater(LogLevel.Information, 3, Line);
            Assert.True(file.Flush());
            Assert.Equal((3, 0, 0), (file.GetStatistics().Entries, file.GetStatistics().Unformatted, file.GetStatistics().Failed));
        }

        Assert.Equal(["1", "2", "3"], _folder.Lines());
    }

    [Fact]
    public async Task Time_IsThatOfTheCall()
    {
        await using LogFile file = Held(16);
        file.WriteLater(LogLevel.Information, 0, static (_, writer) =>
        {
            writer.WriteTimestamp();
            writer.WriteLine();
        });
        _time.Advance(TimeSpan.FromSeconds(5));
        file.WriteLater(LogLevel.Information, 0, static (_, writer) => writer.WriteLine($"{writer.Timestamp:ss}"));
        _time.Advance(TimeSpan.FromSeconds(5));

        _disk.Release();
        Assert.True(file.Flush());

        Assert.Equal(["held", "1970-01-01 00:00:00.000Z", "05"], _folder.Lines());
    }

    [Fact]
    public async Task Format_Throws_TheEntryIsDroppedCountedAndTold_AndTheOthersAreWritten()
    {
        List<string> told = [];
        await using LogFile file = Held(16, selfLog: told.Add);
        file.WriteLater(LogLevel.Information, 1, Line);
        file.WriteLater(LogLevel.Error, 2, static (_, writer) =>
        {
            writer.Write("half of a li");
            throw new FormatException("no such format");
        });
        file.WriteLater(LogLevel.Debug, 0, static (_, _) => throw new FormatException("no such format"));
        file.WriteLater(LogLevel.Information, 3, Line);
        _disk.Release();
        Assert.False(file.Flush());

        string[] lines = _folder.Lines()[1..];
        Assert.Equal(["1", "3"], lines[..2]);
        Assert.EndsWith("2 log entries were dropped because their text could not be made (1 Debug, 1 Error)", Assert.Single(lines[2..]), StringComparison.Ordinal);
        // Once for both.
        Assert.Contains("no such format", Assert.Single(told), StringComparison.Ordinal);
        Assert.Equal((3, 2, 0), (file.GetStatistics().Entries, file.GetStatistics().Unformatted, file.GetStatistics().Faults));
    }

    /// <summary>What is told is logged, and fails as well: that ends there.</summary>
    [Fact]
    public async Task SelfLog_LogsWhatFailsToFormat_DoesNotGoOnForEver()
    {
        LogFile? file = null;
        int told = 0;
        void Log() => file!.WriteLater(LogLevel.Information, 0, static (_, _) => throw new FormatException("never"));
        await using (file = new LogFile(_folder.File(), new LogFileOptions
        {
            FlushInterval = TimeSpan.Zero,
            SelfLog = _ =>
            {
                Interlocked.Increment(ref told);
                Log();
            },
        }))
        {
            Log();
            await Watchdog.UntilAsync(() => Volatile.Read(ref told) > 0);
            Assert.False(file.Flush());
            file.Line("then");
            Assert.True(file.Flush());
        }

        Assert.Equal((1, 1), (told, file.GetStatistics().Unformatted));
        Assert.Contains("then", _folder.Lines());
    }

    [Fact]
    public async Task TooLong_IsCutAndCounted()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { MaxEntryBytes = 256 });
        file.WriteLater(LogLevel.Information, 300, static (length, writer) => writer.WriteLine(new string('x', length)));
        file.WriteLater(LogLevel.Information, 3, Line);
        Assert.True(file.Flush());

        Assert.Equal(1, file.GetStatistics().Cut);
        Assert.EndsWith("x [cut]", _folder.Lines()[0], StringComparison.Ordinal);
        Assert.Equal("3", _folder.Lines()[1]);
    }

    [Fact]
    public async Task DropNewest_BufferFull_DropsCountsAndTells()
    {
        const int Capacity = 16;
        await using LogFile file = Held(Capacity, LogOverflow.DropNewest);
        for (int i = 0; i < Capacity + 3; i++) Later(file, 0, i);
        // The one that the disk holds has its slot still.
        Assert.Equal(4, file.GetStatistics().Dropped);

        _disk.Release();
        Assert.False(file.Flush());
        file.Line("then");
        await file.DisposeAsync().OrHang();
        string[] lines = _folder.Lines();
        Assert.Equal([Capacity - 1], LogLines.AssertInOrder(lines[1..Capacity], 1));
        Assert.EndsWith("4 log entries were dropped because the buffer was full (4 Information)", lines[Capacity], StringComparison.Ordinal);
    }

    [Fact]
    public async Task AfterDisposal_IsCountedAndNotWritten()
    {
        var file = new LogFile(_folder.File());
        file.WriteLater(LogLevel.Information, 1, Line);
        await file.DisposeAsync().OrHang();

        file.WriteLater(LogLevel.Information, 2, Line);
        Assert.Equal(1, file.GetStatistics().Refused);
        Assert.Equal(["1"], _folder.Lines());
    }

    [Fact]
    public void Format_LogsToTheSameFile_DoesNotHang()
    {
        using (var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = 16 }))
        {
            file.WriteLater(LogLevel.Information, file, static (other, writer) =>
            {
                other.WriteLater(LogLevel.Information, 2, Line);
                writer.WriteLine("1");
            });
            Assert.True(file.Flush());
        }

        Assert.Equal(["1", "2"], _folder.Lines());
    }

    /// <summary>Slots stay; what was logged does not.</summary>
    [Fact]
    public async Task State_OnceItIsWritten_IsLetGo()
    {
        await using var file = new LogFile(_folder.File());
        WeakReference state = LogAnObject(file);
        Assert.True(file.Flush());
        await Watchdog.UntilAsync(() =>
        {
            GC.Collect();
            return !state.IsAlive;
        });
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference LogAnObject(LogFile file)
    {
        var logged = new List<int> { 1 };
        file.WriteLater(LogLevel.Information, in logged, static (list, writer) => writer.WriteLine($"{list.Count}"));
        return new WeakReference(logged);
    }

    private static void Line(int number, EntryWriter writer) => writer.WriteLine($"{number}");

    private static void Later(LogFile file, int thread, int number) => file.WriteLater(
        LogLevel.Information, (thread, number), static (state, writer) => writer.WriteLine($"{state.thread} {state.number}"));

    /// <summary>A file with one entry. The disk holds its writer.</summary>
    private LogFile Held(int capacity, LogOverflow overflow = LogOverflow.Wait, Action<string>? selfLog = null)
    {
        _disk.Hold();
        var file = new LogFile(
            _folder.File(),
            new LogFileOptions
            {
                Capacity = capacity, Overflow = overflow, FlushInterval = TimeSpan.Zero, Disk = _disk, Time = _time, SelfLog = selfLog,
            });
        file.Line("held");
        Watchdog.Until(() => _disk.HoldsOne, "the disk holds the writer");
        return file;
    }
}
