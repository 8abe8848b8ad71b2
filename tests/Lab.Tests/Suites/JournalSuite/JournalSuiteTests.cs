using Raceway.Measuring;
using Raceway.Suites.Batching;
using Raceway.Suites.JournalSuite;
using Raceway.Suites.JournalSuite.Logs;

namespace Raceway.Lab.Tests.Suites.JournalSuite;

/// <summary>The contestants of the journal suite store all items, say when they are durable, and read them back.</summary>
public sealed class JournalSuiteTests
{
    private const int Items = 300;

    public static TheoryData<string> Cases =>
        [.. JournalCases.All.Where(static one => one.InQuick || one.Name == "blocks-4k").Select(static one => one.Name)];

    public static TheoryData<string, int> Logs =>
        [.. from length in new[] { 128, 1_024, 64 << 10 } from log in JournalCases.Logs(length) select (log.Name, length)];

    [Theory]
    [MemberData(nameof(Cases))]
    public void Run_EachContestantOfACase_IsVerified(string name)
    {
        SuiteCase one = JournalCases.All.Single(one => one.Name == name);
        foreach (IContestant contestant in one.Create())
        {
            using var made = contestant as IDisposable;

            // Twice: the second round finds what the first one left.
            foreach (int items in new[] { 10, 40 })
            {
                Sample sample = contestant.Run(items, CancellationToken.None);

                Assert.True(sample.Verified, $"{name}: {contestant.Name}");
                Assert.True(sample.Operations > 0, $"{name}: {contestant.Name}");
                Assert.Equal(one.Metric == MetricKind.Latency, sample.Latency is not null);
                // A round that was cut has latencies also of what was due and is not done.
                if (sample.Latency is { } latency && !sample.FellBehind) Assert.Equal(sample.Operations, latency.Count);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Logs))]
    public void ReadBack_OfEachLog_IsTheRoundAlone(string name, int length)
    {
        using var folder = new TempFolder();
        using DurableLog log = JournalCases.Logs(length).Single(log => log.Name == name).Open(folder.Path);
        // The second round is shorter: what is left of the first one must not be read.
        foreach ((long round, int count) in new[] { (1L, Items), (2L, Items / 3) })
        {
            List<bool> isRight = Store(log, length, round, count);

            Assert.Equal(Enumerable.Repeat(true, count), isRight);
        }

        Assert.InRange(log.Groups, 2, Items + (Items / 3));
    }

    /// <summary>A round that is longer than segments are: what an earlier round has stored goes, all of this one is read back.</summary>
    [Theory]
    [InlineData("raceway/default")]
    [InlineData("fasterlog")]
    public void Run_RoundOfSeveralSegments_IsVerified(string name)
    {
        const int Length = 64 << 10;
        const int Count = 2_100; // 131 MB
        using var contestant = new JournalContestant(name, Length, default, JournalCases.Logs(Length).Single(log => log.Name == name).Open);
        for (int round = 0; round < 2; round++) Assert.True(contestant.Run(Count, CancellationToken.None).Verified);
    }

    [Fact]
    public void Run_LogThatLosesOrChangesAnItem_IsNotVerified()
    {
        foreach (Func<long, bool> isShown in new Func<long, bool>[] { static index => index != 7, static _ => true })
        {
            using var contestant = new JournalContestant("planted", 128, default, _ => new PlantedLog(isShown, changes: isShown(7) ? 8 : -1));

            Assert.False(contestant.Run(20, CancellationToken.None).Verified);
        }

        using var right = new JournalContestant("right", 128, default, static _ => new PlantedLog(static _ => true, changes: -1));
        Assert.True(right.Run(20, CancellationToken.None).Verified);
    }

    /// <summary>What a log has no time for is late, not gone.</summary>
    [Fact]
    public void Run_LogThatDoesNotKeepUp_WhatWaitsHasALatency()
    {
        const int Rate = 10_000;
        using var contestant = new JournalContestant(
            "slow", 128, new Pace(Rate), static _ => new PlantedLog(static _ => true, changes: -1) { TimeOfItem = TimeSpan.FromMilliseconds(5) });

        Sample sample = contestant.Run(1, CancellationToken.None);

        Assert.True(sample.FellBehind);
        Assert.True(sample.Verified);
        // Never shorter than a tenth of a second.
        Assert.Equal(Rate / 10, sample.Latency!.Count);
        Assert.InRange(sample.Operations, 1, (Rate / 10) - 1);
    }

    [Fact]
    public void Run_LogThatFails_ThrowsWhatItThrew()
    {
        using var contestant = new JournalContestant("planted", 128, default, static _ => new PlantedLog(static _ => true, changes: -1) { FailsAt = 5 });

        Assert.Contains("planted", Assert.ThrowsAny<IOException>(() => contestant.Run(20, CancellationToken.None)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(127)]
    public void Is_ItemWithAByteChanged_IsFalse(int at)
    {
        byte[] item = new byte[128];
        Logged.Fill(item, 5, 3);
        Assert.True(Logged.Is(item, 128, 5, 3));
        Assert.False(Logged.Is(item, 128, 6, 3));
        Assert.False(Logged.Is(item, 128, 5, 4));
        Assert.False(Logged.Is(item.AsSpan(0, 127), 128, 5, 3));

        item[at] ^= 1;

        Assert.False(Logged.Is(item, 128, 5, 3));
    }

    private static List<bool> Store(DurableLog log, int length, long round, int count)
    {
        var acknowledged = new Acknowledgements(new JournalRound(round), feed: null, latency: null);
        log.Begin(acknowledged);
        for (int index = 0; index < count; index++) log.Give(new Job(index, 0));
        acknowledged.Wait(count);
        log.Settle();
        List<bool> isRight = [];
        log.ReadBack(count + 1, item => isRight.Add(Logged.Is(item, length, isRight.Count, round)));
        return isRight;
    }

    /// <summary>Keeps items in memory, with a fault.</summary>
    private sealed class PlantedLog(Func<long, bool> isShown, long changes) : DurableLog
    {
        private readonly List<byte[]> _items = [];

        public long FailsAt { get; init; } = -1;

        public TimeSpan TimeOfItem { get; init; }

        public override long Groups => _items.Count;

        public override void Give(in Job job)
        {
            if (TimeOfItem > TimeSpan.Zero) Thread.Sleep(TimeOfItem);
            if (job.Index == FailsAt) Acknowledged.Fail(new IOException("planted"));
            byte[] item = new byte[128];
            Logged.Fill(item, job.Index, Acknowledged.Round.Number);
            if (job.Index == changes) item[100] ^= 1;
            if (isShown(job.Index)) _items.Add(item);
            if (FailsAt < 0) Acknowledged.Reach(job.Index + 1);
        }

        public override void ReadBack(long count, StoredReader item)
        {
            foreach (byte[] one in _items) item(one);
        }

        public override void Dispose()
        {
        }
    }
}
