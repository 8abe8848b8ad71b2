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
}
