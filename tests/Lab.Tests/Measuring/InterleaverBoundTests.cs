using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>Measuring ends within its budget, whatever contestants do with their time.</summary>
public sealed class InterleaverBoundTests : IDisposable
{
    private static readonly TimeSpan s_budget = TimeSpan.FromSeconds(40);

    // A run is cut at the budget's end, and ends by its next step; one that does not listen has a grace.
    private static readonly TimeSpan s_latest = s_budget + TimeSpan.FromSeconds(3);

    private static readonly InterleaverOptions s_options = new()
    {
        Rounds = 6, RoundTime = TimeSpan.FromMilliseconds(60), WarmUpRuns = 3, WarmUpLimit = TimeSpan.FromMilliseconds(60),
        TieringPause = TimeSpan.Zero, ProbeLine = false, Collect = false,
    };

    private readonly FakeClock _clock = new();
    private readonly CancellationTokenSource _release = new();

    public void Dispose()
    {
        _release.Cancel();
        _release.Dispose();
    }

    /// <summary>What a run of so many operations takes; a name for each.</summary>
    public static TheoryData<string> Behaviours => [.. s_behaviours.Keys];

    private static readonly Dictionary<string, Func<int, long, TimeSpan>> s_behaviours = new()
    {
        ["steady"] = static (_, operations) => operations * TimeSpan.FromMicroseconds(1),
        ["oscillates"] = static (run, operations) => operations * TimeSpan.FromMicroseconds(run % 2 == 0 ? 0.02 : 20),
        ["jumps"] = static (run, operations) => operations * TimeSpan.FromMicroseconds(run > 30 ? 100 : 1),
        ["grows"] = static (run, operations) => operations * TimeSpan.FromMicroseconds(Math.Pow(1.3, run)),
        ["always 0"] = static (_, _) => TimeSpan.Zero,
        ["slow"] = static (_, _) => TimeSpan.FromSeconds(3),
        ["slower than all"] = static (_, _) => TimeSpan.FromHours(1),
    };

    [Theory]
    [MemberData(nameof(Behaviours))]
    public void Run_ContestantsOfOneBehaviour_EndsInTimeAndMarksWhatIsMissing(string behaviour)
    {
        TimedContestant[] all = [.. Enumerable.Range(0, 20).Select(i => Of($"c{i}", behaviour))];

        CaseResult result = Run(all);

        AssertBounded(result);
    }

    [Theory]
    [MemberData(nameof(Behaviours))]
    public void Run_OneContestantOfABehaviour_LeavesTheOthersTheirRounds(string behaviour)
    {
        IContestant[] all = [Of("odd", behaviour), Of("first", "steady"), Of("second", "steady")];

        CaseResult result = Run(all);

        AssertBounded(result);
        Assert.Equal([6, 6], result.Contestants.Skip(1).Select(static one => one.Rounds.Count));
    }

    [Fact]
    public void Run_OneContestantOfLongRuns_NeverTakesTheLastOfTheTime()
    {
        // Whatever it leaves: without a warm-up, which the runtime's compiler makes longer or shorter, the clock alone decides.
        for (int tenths = 150; tenths <= 400; tenths++)
        {
            IContestant[] all = [Of("odd", "slow"), Of("first", "steady"), Of("second", "steady")];

            CaseResult result = new Interleaver(s_options with { WarmUpRuns = 0 }).Run(
                "case", MetricKind.Throughput, all, new TimeBudget(_clock, TimeSpan.FromSeconds(tenths / 10.0)));

            Assert.True(
                result.Contestants.Skip(1).All(static one => one.Rounds.Count == 6),
                $"{tenths / 10.0} s: {string.Join(' ', result.Contestants.Select(static one => one.Rounds.Count))}");
        }
    }

    [Fact]
    public void Run_WholePassesOfAnInput_CalibratesAndMeasures()
    {
        // 20,000 operations become a pass of 200,000, which takes ten times the round: the next guess is 2,000, and so on for ever.
        var line = new TimedContestant("line", _clock, static (_, operations) => operations * TimeSpan.FromMicroseconds(3)) { Pass = 200_000 };

        CaseResult result = Run([line]);

        AssertBounded(result);
        Assert.Equal(6, result.Contestants[0].Rounds.Count);
        Assert.InRange(line.Runs, 6, 70);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(12)]
    [InlineData(16)]
    public void Run_ARunNeverReturns_IsLeftBehindAndMarked(int run)
    {
        var never = new TimedContestant("never", _clock, s_behaviours["steady"]) { NeverReturns = run, Released = _release.Token };

        CaseResult result = Run([never, Of("first", "steady"), Of("second", "steady")]);

        AssertBounded(result);
        Assert.True(result.IsAbandoned);
        Assert.Contains("did not return", result.Contestants[0].Failure, StringComparison.Ordinal);
        Assert.Contains("left behind", result.Note, StringComparison.Ordinal);
        Assert.All(result.Contestants.Skip(1), static one => Assert.Equal(6, one.Rounds.Count));
    }

    [Fact]
    public void SoFar_WhileARunHangs_HasTheRoundsUntilThen()
    {
        var steady = new TimedContestant("steady", _clock, s_behaviours["steady"]) { MaxOperations = 1_000 };
        using var inRun = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        var blocks = new BlockingContestant(_clock, inRun, goOn, run: 5);
        var interleaver = new Interleaver(s_options with { WarmUpRuns = 0 });
        CaseResult? result = null;
        var thread = new Thread(() => result = interleaver.Run("case", MetricKind.Throughput, [steady, blocks], new TimeBudget(_clock, s_budget)));
        thread.Start();
        Assert.True(inRun.Wait(TimeSpan.FromMinutes(1)));

        CaseResult soFar = interleaver.SoFar("a run did not return")!;

        goOn.Set();
        thread.Join();
        int rounds = soFar.Contestants[0].Rounds.Count;
        Assert.InRange(rounds, 1, 5);
        Assert.Contains($"{rounds} of 6 rounds: a run did not return", soFar.Contestants[0].Note, StringComparison.Ordinal);
        Assert.Equal(6, result!.Contestants[0].Rounds.Count);
    }

    [Fact]
    public void Run_NoTimeAtAll_MarksEveryContestant()
    {
        CaseResult result = new Interleaver(s_options).Run(
            "case", MetricKind.Throughput, [Of("a", "steady"), new AbsentContestant("b")], new TimeBudget(_clock, TimeSpan.Zero));

        Assert.Equal(["not measured: time was up", AbsentContestant.NotBuiltIn], result.Rows.Select(static row => row.Note));
    }

    private TimedContestant Of(string name, string behaviour) => new(name, _clock, s_behaviours[behaviour]);

    private CaseResult Run(IReadOnlyList<IContestant> all) =>
        new Interleaver(s_options).Run("case", MetricKind.Throughput, all, new TimeBudget(_clock, s_budget));

    private void AssertBounded(CaseResult result)
    {
        Assert.InRange(_clock.GetElapsedTime(0), TimeSpan.Zero, s_latest);
        Assert.All(result.Contestants, static one => Assert.True(
            one.Rounds.Count == 6 || one.Failure is not null
                || one.Note?.Contains($"{one.Rounds.Count} of 6 rounds: time was up", StringComparison.Ordinal) == true,
            $"{one.Contestant.Name}: {one.Rounds.Count} rounds, {one.Failure}, {one.Note}"));
    }

    /// <summary>A run of it waits until it is let go.</summary>
    private sealed class BlockingContestant(FakeClock clock, ManualResetEventSlim inRun, ManualResetEventSlim goOn, int run) : IContestant
    {
        private int _runs;

        public string Name => "blocks";

        public int BusyThreads => 1;

        public long MaxOperations => 1_000;

        public Sample Run(long operations, CancellationToken cancellation)
        {
            if (++_runs == run)
            {
                inRun.Set();
                goOn.Wait(CancellationToken.None);
            }

            clock.Advance(TimeSpan.FromMilliseconds(1));
            return new Sample(operations, 0.001, Verified: true);
        }
    }
}
