using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>How contestants take turns, and what a round of several runs is.</summary>
public sealed class InterleaverTests
{
    private static readonly InterleaverOptions s_options = new()
    {
        Rounds = 2, RunsOfRound = 3, Operations = 30, FirstOperations = 1, WarmUpRuns = 0, WarmUpLimit = TimeSpan.Zero,
        TieringPause = TimeSpan.Zero, ProbeLine = false,
    };

    [Fact]
    public void Run_RoundsOfSeveralRuns_TakeTurnsRunByRun_AndAddUp()
    {
        var log = new List<string>();
        IContestant[] all = [new Given("a", log), new Given("b", log)];

        CaseResult result = new Interleaver(s_options).Run("case", MetricKind.Throughput, all);

        // Before that, each is calibrated.
        Assert.Equal(["a", "b", "b", "a", "a", "b", "b", "a", "a", "b", "b", "a"], log[2..]);
        ContestantRounds first = result.Contestants[0];
        Assert.Equal([0, 1], first.Rounds.Select(static round => round.Index));
        // Runs 2 to 4 and 5 to 7 of it, 10 operations each.
        Assert.Equal([(30L, 9d), (30L, 18d)], first.Rounds.Select(static round => (round.Sample.Operations, round.Sample.Seconds)));
        Assert.True(first.Verified);
    }

    [Fact]
    public void Run_WithAHeat_GoesOnWithThoseThatAreKept()
    {
        int seen = 0;
        var heat = new Heat(2, all =>
        {
            seen = all.Sum(static one => one.Rounds.Count);
            return ["a", "c"];
        });

        CaseResult result = new Interleaver(s_options with { Rounds = 5, Heat = heat }).Run(
            "case", MetricKind.Throughput, [new Given("a", []), new Given("b", []), new Given("c", [])]);

        Assert.Equal(6, seen);
        Assert.Equal([(5, false, null), (2, true, "2 of 5 rounds: others were better in them"), (5, false, null)],
            result.Contestants.Select(static one => (one.Rounds.Count, one.IsEliminated, one.Note)));
    }

    [Fact]
    public void Run_OneRunOfARoundIsWrong_TheRoundIsWrong()
    {
        CaseResult result = new Interleaver(s_options).Run("case", MetricKind.Throughput, [new Given("a", []) { WrongRun = 3 }]);

        Assert.Equal([false, true], result.Contestants[0].Rounds.Select(static round => round.Sample.Verified));
    }

    [Fact]
    public void Run_FailsInTheMiddleOfARound_IsNotAskedAgain()
    {
        var log = new List<string>();

        CaseResult result = new Interleaver(s_options).Run(
            "case", MetricKind.Throughput, [new Given("a", log) { FailingRun = 3 }, new Given("b", [])]);

        Assert.Contains("planted", result.Contestants[0].Failure, StringComparison.Ordinal);
        Assert.Equal(3, log.Count);
        Assert.Equal(2, result.Contestants[1].Rounds.Count);
    }

    [Fact]
    public void Run_InterruptedInTheMiddleOfARound_KeepsTheRunsBeforeIt()
    {
        using var interrupt = new CancellationTokenSource();

        CaseResult result = new Interleaver(s_options).Run(
            "case", MetricKind.Throughput, [new Given("a", []) { Interrupt = (7, interrupt) }], cancellation: interrupt.Token);

        // Of the second round runs 5 and 6; what came back from run 7 may have been cut short.
        Assert.Equal([30L, 20], result.Contestants[0].Rounds.Select(static round => round.Sample.Operations));
    }

    [Fact]
    public void SampleOf_SeveralRuns_AddsWhatAddsUp_AndTakesTheMedianOfTheRest()
    {
        var whole = Sample.Of([Run(1, 10), Run(3, 30), Run(2, 500)]);

        Assert.Equal((6L, 6d, 12d, 60L), (whole.Operations, whole.Seconds, whole.CpuSeconds, whole.AllocatedBytes));
        Assert.Equal(30, whole.MeanBatch);
        Assert.Equal(new Count("tail", "ns", 30), Assert.Single(whole.Counts));
        Assert.Equal((3L, 10L, 500L), (whole.Latency!.Count, whole.Latency.Min, whole.Latency.Max));
        Assert.Throws<ArgumentException>(static () => Sample.Of([]));

        static Sample Run(int size, int figure)
        {
            var latency = new LatencyHistogram();
            latency.Record(figure);
            return new Sample(size, size, true, size * 2, size * 10)
            {
                Latency = latency, MeanBatch = figure, Counts = [new Count("tail", "ns", figure)],
            };
        }
    }

    /// <summary>Its n-th run takes n seconds.</summary>
    private sealed class Given(string name, List<string> log) : IContestant
    {
        private int _runs;

        public string Name => name;

        public int BusyThreads => 1;

        public int? WrongRun { get; init; }

        public int? FailingRun { get; init; }

        public (int Run, CancellationTokenSource Of)? Interrupt { get; init; }

        public Sample Run(long operations, CancellationToken cancellation)
        {
            log.Add(name);
            int run = ++_runs;
            if (run == FailingRun) throw new InvalidOperationException("planted");
            if (run == Interrupt?.Run) Interrupt.Value.Of.Cancel();
            return new Sample(operations, run, run != WrongRun);
        }
    }
}
