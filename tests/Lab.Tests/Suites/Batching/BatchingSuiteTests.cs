using Raceway.Lab.Tests.Suites.Batching.Database;
using Raceway.Measuring;
using Raceway.Suites.Batching;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>The suite's contestants, with every kind of work that there is here. Where PostgreSQL is, no other test stops it meanwhile.</summary>
[Collection(Server.Collection)]
public sealed class BatchingSuiteTests
{
    // Few: each of them is a sync, a commit or a frame of its own where they are done one by one.
    private const int Jobs = 40;

    public static TheoryData<string> Kinds => [.. BatchingCases.Kinds.Where(static kind => kind.Missing() is null).Select(static kind => kind.Name)];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Run_EachContestantAtEachLoad_DoesAllJobsAndReadsThemBack(string kind)
    {
        BatchingCase one = BatchingCases.Kinds.Single(one => one.Name == kind) with { LeastRound = TimeSpan.Zero };
        foreach (Arrival arrival in one.Rate is null ? [Arrival.AtOnce] : new[] { Arrival.AtOnce, Arrival.FixedRate })
        {
            foreach (IContestant contestant in BatchingCases.Made(one, arrival, one.Sizes).Select(static made => made.Make()))
            {
                using var made = contestant as IDisposable;

                // Twice: the second round finds what the first one left.
                foreach (int jobs in new[] { 1, Jobs })
                {
                    Sample sample = contestant.Run(jobs, CancellationToken.None);

                    Assert.True(sample.Verified, $"{one.Name}: {contestant.Name}");
                    Assert.InRange(sample.Operations, 0, jobs);
                    Assert.Equal(arrival == Arrival.FixedRate, sample.Latency is not null);
                    // Of a round that was cut those that were due and not done count as well.
                    Assert.Equal(sample.Latency?.Count ?? sample.Operations, sample.FellBehind ? jobs : sample.Operations);
                    // A round by the clock may be over before its first batch.
                    if (sample.Operations > 0 && contestant.Name.StartsWith("raceway/batch/", StringComparison.Ordinal))
                        Assert.InRange(sample.MeanBatch, 1, int.Parse(contestant.Knobs![BatchingCases.SizeKnob]));
                }
            }
        }
    }

    [Fact]
    public void Run_AtHalfSpeed_FindsItsOwnRate()
    {
        SuiteCase light = BatchingCases.All.Single(static one => one.Name == "light at half speed");
        IContestant contestant = light.Create().Single(static one => one.Name == BatchingCases.DefaultName);

        Sample sample = contestant.Run(Jobs, CancellationToken.None);

        Assert.True(sample.Verified);
        Assert.Contains("jobs/s", contestant.Note, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("raceway/single")]
    [InlineData("channel")]
    public void Run_WorkTooSlowForItsRate_IsCutAndSaysSo(string name)
    {
        // In twice the time that they are due in, 0.2 s, ten of the thousand are done.
        var work = new PlantedWork { Pause = TimeSpan.FromMilliseconds(20) };
        IContestant contestant = Contestant(name, work, Arrival.FixedRate, rate: 10_000);

        // However few it is asked for: a burst that is soon over says nothing of a rate.
        foreach (int jobs in new[] { 1_000, 1 })
        {
            Sample sample = contestant.Run(jobs, CancellationToken.None);

            Assert.InRange(sample.Operations, 0, 999);
            Assert.True(sample.Verified);
            Assert.True(sample.FellBehind);
        }
    }

    [Theory]
    [InlineData("raceway/default")]
    [InlineData("raceway/single")]
    [InlineData("channel")]
    [InlineData("channel-batched")]
    [InlineData("by-hand/64")]
    public void Run_WorkFails_ThrowsWhatItThrew(string name)
    {
        // More jobs than the ring or the channel holds: a publisher that waits for room is told as well.
        foreach (int jobs in new[] { 200, 100_000 })
        {
            IContestant contestant = Contestant(name, new PlantedWork { FailsAt = 100 }, Arrival.AtOnce);

            Exception? error = Record.Exception(() => contestant.Run(jobs, CancellationToken.None));

            Assert.Contains("planted", $"{error}", StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("raceway/default")]
    [InlineData("raceway/single")]
    [InlineData("channel")]
    [InlineData("channel-batched")]
    [InlineData("by-hand/64")]
    public void Run_Cancelled_EndsWithWhatWaitsUndone(string name)
    {
        using var cancel = new CancellationTokenSource();
        var work = new PlantedWork { Pause = TimeSpan.FromMilliseconds(1), Called = cancel.Cancel };
        IContestant contestant = Contestant(name, work, Arrival.AtOnce);

        Assert.ThrowsAny<OperationCanceledException>(() => contestant.Run(1_000_000_000, cancel.Token));
    }

    [Fact]
    public void Verify_JobLost_IsNotVerified()
    {
        IContestant contestant = Contestant("raceway/default", new PlantedWork { Loses = true }, Arrival.AtOnce);

        Assert.False(contestant.Run(Jobs, CancellationToken.None).Verified);
    }

    [Fact]
    public void Quick_Case_HasThreeSizes()
    {
        SuiteCase disk = BatchingCases.All.Single(static one => one.Name == "disk-128");

        Assert.Equal(
            ["raceway/batch/1", "raceway/batch/64", "raceway/batch/1024"],
            disk.Quick.Create().Select(static one => one.Name).Where(static one => one.StartsWith("raceway/batch/", StringComparison.Ordinal)));
        Assert.All(BatchingCases.All.Where(static one => one.InQuick), static one => Assert.Equal(MetricKind.Throughput, one.Metric));
    }

    // Rounds change together. The two medians alone, 2,000 each, would say that both are as fast.
    [Fact]
    public void Finding_BesideByHand_IsTheRatioOfRoundsNextToEachOther()
    {
        SuiteCase one = BatchingCases.All.Single(static one => one.Name == "disk-128-by-hand");
        CaseResult measured = Rounds.Case(
            one.Name, Rounds.Rates("raceway/batch/512", 900, 2_000, 3_600), Rounds.Rates("by-hand/512", 1_000, 2_000, 4_000));

        ResultRow row = Assert.Single(one.Finding(measured)!.Rows);

        Assert.Equal(($"{one.Name} ratios", "raceway/batch/512 over by-hand/512", "ratio", 0.9), (row.Case, row.Contestant, row.Metric, row.Median!.Value));
        Assert.StartsWith("disk-128-by-hand: raceway/batch/512 has 0.900 [", one.Finding(measured)!.Sentence, StringComparison.Ordinal);
        Assert.Null(one.Finding(Rounds.Case(one.Name, Rounds.Rates("by-hand/512", 1, 2))));
        Assert.Null(one.Finding(Rounds.Case(one.Name, Rounds.Rates("raceway/batch/512", 1, 2), Rounds.Wrong("by-hand/512"))));
    }

    private static IContestant Contestant(string name, PlantedWork work, Arrival arrival, double rate = 1)
    {
        var kind = new BatchingCase("planted", "a work with a fault", rate, _ => work);
        return BatchingCases.Made(kind, arrival, [64]).Single(one => one.Name == name).Make();
    }

    private sealed class PlantedWork : IBatchWork
    {
        private long _next;

        public TimeSpan Pause { get; init; }

        public long FailsAt { get; init; } = long.MaxValue;

        public bool Loses { get; init; }

        public Action Called { get; init; } = static () => { };

        public void Begin() => _next = 0;

        public void Do(ReadOnlySpan<Job> jobs)
        {
            if (_next + jobs.Length > FailsAt) throw new InvalidOperationException("planted");
            Assert.Equal(_next, jobs[0].Index);
            _next += jobs.Length;
            if (Pause > TimeSpan.Zero) Thread.Sleep(Pause);
            Called();
        }

        public void Complete()
        {
        }

        public bool Verify(long jobs) => !Loses && jobs == _next;

        public void Dispose()
        {
        }
    }
}
