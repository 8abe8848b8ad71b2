using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

/// <summary>A journal that is synced at an interval.</summary>
public sealed class IntervalTests
{
    [Fact]
    public async Task Every_Interval_AcknowledgesWhenTheSyncHasReturned()
    {
        var time = new VirtualTime();
        var disk = new SimulatedDisk(new Random(1));
        using Journal<long> journal = Kit.Open(disk, Kit.Small with { Durability = Durability.Every(TimeSpan.FromSeconds(1)), Time = time });
        journal.Store(1, 2);
        Task second = journal.WaitForDurableAsync(1).AsTask();
        Assert.Equal(-1, journal.DurableSequence);
        Assert.False(second.IsCompleted);
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(1, journal.DurableSequence);
        await second.OrHang();
    }

    // The writer has its file by then, and the next segment.
    [Fact]
    public void Open_TheTimerIsRefused_ReleasesTheWriterAndLeavesNoMark()
    {
        using var folder = new TempFolder();
        JournalOptions options = Kit.Small with { Ahead = static work => work(), Durability = Durability.Every(TimeSpan.FromSeconds(1)) };
        Assert.Throws<NotSupportedException>(() => Open(options with { Time = new NoTimers() }));

        Assert.Empty(Directory.GetFiles(folder.Path, "*.unfinished"));
        if (OperatingSystem.IsLinux()) Assert.DoesNotContain(OpenFiles(), file => file.StartsWith(folder.Path, StringComparison.Ordinal));
        Assert.False(JournalFolder.Inspect(folder.Path).WasClosed);
        using Journal<long> again = Open(options);
        Assert.Equal(0, again.Found.Next);

        Journal<long> Open(JournalOptions options) => Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), options);
    }

    // The system's timer takes a period below a millisecond for none.
    [Fact]
    public async Task Every_LessThanAMillisecond_SyncsAgainAndAgain()
    {
        using var folder = new TempFolder();
        using Journal<long> journal = Journal<long>.Open(
            folder.Path, JournalCodec.Unmanaged<long>(), Kit.Small with { Durability = Durability.Every(TimeSpan.FromMicroseconds(500)) });
        for (int i = 0; i < 3; i++)
        {
            journal.Store(i);
            await journal.WaitForDurableAsync(i).OrHang();
        }
    }

    private static IEnumerable<string> OpenFiles() =>
        Directory.GetFiles("/proc/self/fd").Select(static file => new FileInfo(file).LinkTarget).OfType<string>();

    private sealed class NoTimers : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            throw new NotSupportedException("no timers");
    }
}
