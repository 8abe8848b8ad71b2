namespace Raceway.Logging.Tests;

/// <summary>A clock that is read again when the tick count has changed.</summary>
public sealed class CoarseTimeTests
{
    [Fact]
    public void Now_ManyReads_IsNeverAheadNorGoesBack()
    {
        DateTimeOffset last = default;
        for (int i = 0; i < 100_000; i++)
        {
            DateTimeOffset now = CoarseTimeProvider.Instance.GetUtcNow();
            Assert.True(now <= DateTimeOffset.UtcNow);
            Assert.True(now >= last);
            last = now;
        }

        Assert.Equal(TimeSpan.Zero, last.Offset);
    }

    [Fact]
    public void Now_TickCountChanges_IsReadAgain()
    {
        DateTimeOffset first = CoarseTimeProvider.Instance.GetUtcNow();
        long tick = Environment.TickCount64;
        while (Environment.TickCount64 == tick) Thread.Yield();
        Assert.True(CoarseTimeProvider.Instance.GetUtcNow() > first);
    }

    [Fact]
    public void Now_OneTick_IsOneTime()
    {
        // The tick count may change between two looks, but not each time.
        Assert.Contains(Enumerable.Range(0, 1_000), static _ =>
        {
            long tick = Environment.TickCount64;
            DateTimeOffset first = CoarseTimeProvider.Instance.GetUtcNow();
            while (DateTimeOffset.UtcNow == first) Thread.SpinWait(1);
            DateTimeOffset second = CoarseTimeProvider.Instance.GetUtcNow();
            return tick == Environment.TickCount64 && first == second;
        });
    }

    [Fact]
    public void Entries_OfAFileWithIt_HaveItsTime()
    {
        using var folder = new TempFolder();
        DateTimeOffset before = DateTimeOffset.UtcNow;
        List<DateTimeOffset> times = [];
        using (var file = new LogFile(folder.File(), new LogFileOptions { Time = CoarseTimeProvider.Instance }))
        {
            for (int i = 0; i < 100; i++) file.WriteLater(LogLevel.Information, times, static (times, writer) =>
            {
                times.Add(writer.Timestamp);
                writer.WriteTimestamp();
                writer.WriteLine();
            });
        }

        Assert.Equal(100, times.Count);
        Assert.Equal(times.Order(), times);
        // A hundred calls take less than a hundred ticks.
        Assert.InRange(times.Distinct().Count(), 1, times.Count - 1);
        Assert.True(times[0] > before.AddSeconds(-1));
        Assert.True(times[^1] <= DateTimeOffset.UtcNow);
    }
}
