using Raceway.Measuring;
using Raceway.Rings;
using Raceway.Suites.Batching;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>Rounds in which jobs come at a rate.</summary>
public sealed class PacedRoundTests
{
    // The ring, or the channel, is full long before the round is cut.
    private const double Rate = 10 * RacewayBatching.Capacity;

    /// <summary>The publisher waits for room when the round is cut: it must not wait for a reader that has left.</summary>
    [Theory]
    [InlineData("channel")]
    [InlineData("channel-batched")]
    [InlineData("raceway")]
    public async Task Run_WorkThatDoesNotKeepUp_IsCutAndSaysSo(string name)
    {
        var kind = new BatchingCase("slow", "", Rate, static _ => new SlowWork());
        using BatchingContestant contestant = name switch
        {
            "channel" => new ChannelBatching(name, kind, Arrival.FixedRate, 1),
            "channel-batched" => new ChannelBatching(name, kind, Arrival.FixedRate, 8),
            _ => new RacewayBatching(name, kind, Arrival.FixedRate, Dispatch.Single),
        };

        Sample sample = await Watchdog.Run(() => contestant.Run((long)(Rate / 4), CancellationToken.None)).OrHang();

        Assert.True(sample.Verified);
        Assert.InRange(sample.Operations, 1, (long)(Rate / 4) - 1);
        Assert.True(sample.FellBehind);
        // All were due before it was cut: each has the latency that it had reached.
        Assert.Equal((long)(Rate / 4), sample.Latency!.Count);
    }

    /// <summary>Nothing cuts it: it has lost what is missing.</summary>
    [Fact]
    public void Run_LastJobIsLostInTime_IsNotVerified()
    {
        var kind = new BatchingCase("quick", "", 10, static _ => new QuickWork()) { LeastRound = TimeSpan.Zero };
        using var contestant = new LosingContestant(kind);

        Sample sample = contestant.Run(10, CancellationToken.None);

        Assert.Equal((9, false, false), (sample.Operations, sample.FellBehind, sample.Verified));
    }

    /// <summary>Half of a speed that was found cold, or without reading the clock, would be another share of what it can do.</summary>
    [Fact]
    public void Run_AtHalfSpeed_FindsTheRateWarmAndWithLatencies()
    {
        // Its first round, of 16 jobs, is that of code that is not compiled yet: 200 jobs/s at the most.
        var work = new QuickWork { ColdRounds = 1 };
        using var half = new ByHand("by-hand/1", new BatchingCase("quick", "", 10, _ => work), Arrival.HalfSpeed, 1);

        half.Run(1, CancellationToken.None);

        Assert.InRange(half.MaxOperations, 1_000, long.MaxValue);
        Assert.Equal(10, half.RunAt(null, 10, CancellationToken.None).Latency!.Count);
        Assert.Contains("jobs/s", half.Note, StringComparison.Ordinal);
    }

    /// <summary>A call of the Channel's reader may have as many jobs as one of the default.</summary>
    [Theory]
    [InlineData("raceway/default")]
    [InlineData("channel-batched")]
    public void Run_AtOnce_TheLargestCallIsTheSameForBoth(string name)
    {
        var work = new SlowWork();
        var kind = new BatchingCase("slow", "", null, _ => work);
        IContestant contestant = BatchingCases.Made(kind, Arrival.AtOnce, [64]).Single(one => one.Name == name).Make();
        using var owned = contestant as IDisposable;

        Assert.True(contestant.Run(20 * RacewayBatching.Capacity, CancellationToken.None).Verified);

        Assert.Equal(Dispatch.Batch().MaxIn(RacewayBatching.Capacity), work.Largest);
    }

    private sealed class LosingContestant(BatchingCase one) : BatchingContestant("losing", one, Arrival.FixedRate)
    {
        protected override void Drive(JobFeed feed, WorkStage stage)
        {
            feed.Start();
            while (feed.Next(out Job job))
            {
                if (job.Index < 9) stage.Do([job]);
            }
        }
    }

    private sealed class QuickWork : IBatchWork
    {
        private long _done;

        private int _rounds;

        public int ColdRounds { get; init; }

        public void Begin()
        {
            _done = 0;
            _rounds++;
        }

        public void Do(ReadOnlySpan<Job> jobs)
        {
            if (_rounds <= ColdRounds) Thread.Sleep(5);
            _done += jobs.Length;
        }

        public void Complete()
        {
        }

        public bool Verify(long jobs) => _done == jobs;

        public void Dispose()
        {
        }
    }

    /// <summary>A few milliseconds a call.</summary>
    private sealed class SlowWork : IBatchWork
    {
        private long _done;

        public int Largest { get; private set; }

        public void Begin() => _done = 0;

        public void Do(ReadOnlySpan<Job> jobs)
        {
            Thread.Sleep(5);
            Largest = Math.Max(Largest, jobs.Length);
            _done += jobs.Length;
        }

        public void Complete()
        {
        }

        public bool Verify(long jobs) => _done == jobs;

        public void Dispose()
        {
        }
    }
}
