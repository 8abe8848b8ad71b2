using Raceway.Analysis.Tuning;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>The search over costs that are given instead of measured.</summary>
public sealed class TunerTests
{
    private static readonly TuneOptions s_short = new()
    {
        Goal = TuneGoal.Parse("throughput"), Budget = TimeSpan.Zero, Drawn = 4, Rounds = 6, LowLoadItems = 5, TieringPause = TimeSpan.Zero,
        ShortestRound = TimeSpan.FromMilliseconds(2), ShortestPacedRound = TimeSpan.FromMilliseconds(2),
    };

    [Theory]
    [InlineData("throughput")]
    [InlineData("p99")]
    [InlineData("cpu")]
    [InlineData("throughput=1,p99=2")]
    public void Run_OverGivenCosts_ChoosesTheBestOfThem(string goal)
    {
        // Each of these is better than the knob's other values, whatever the rest is. The first two are among the settings that
        // every search begins with; the search turns one of the others at a time, twice.
        var best = new Dictionary<string, string> { ["plan"] = "ring-per-stage", ["dispatch"] = "single", ["wait"] = "yield", ["padding"] = "line" };
        // A Channel has none of them.
        var host = new GivenHost(knobs => 1 + best.Count(one => knobs.GetValueOrDefault(one.Key) != one.Value));

        TuneResult result = new Tuner(host, s_short with { Goal = TuneGoal.Parse(goal) }).Run(default);

        foreach ((string knob, string value) in best) Assert.Equal(value, result.Chosen[knob]);
        Assert.False(result.Channel!.IsEnough);
        Assert.All(result.Worth.Where(one => best.ContainsKey(one.Knob)), static one => Assert.True(one.Ratio.Low > 1, one.Knob));
        Assert.Equal(Knobs.NameOf(result.Chosen), result.Finalists[0].Name);
        Assert.All(result.Tried, static row => Assert.NotNull(row.Knobs));
        Assert.Contains(result.Curves, static curve => curve.Kind == "percentiles");
        Assert.Contains(result.Curves, static curve => curve.Kind == "latency-against-load");
        Assert.NotEmpty(result.LowLoad!.Rows);
    }

    [Fact]
    public void Run_SameSeed_DrawsAndOrdersTheSame_AnotherOne_DoesNot()
    {
        Assert.Equal(Trail(1), Trail(1));
        Assert.NotEqual(Trail(1), Trail(2));

        // The first pass: later ones depend on the time that is left.
        static string[] Trail(int seed)
        {
            var host = new GivenHost(static _ => 1);
            new Tuner(host, s_short with { Seed = seed, ShortestRound = TimeSpan.FromMilliseconds(3) }).Run(default);
            return [.. host.Asked.Where(static one => one.Seconds >= 0.003 && !one.Diagnose).Take(20).Select(static one => Knobs.NameOf(one.Knobs))];
        }
    }

    [Theory]
    [InlineData("throughput", 0)]
    [InlineData("cpu", 1)]
    [InlineData("throughput=1,p99=1", 1)]
    public void Run_BeforeTheSearch_WhatItBeginsWithIsWarmedUpInSeries(string goal, int paced)
    {
        var host = new GivenHost(static _ => 1);
        TuneOptions longer = s_short with { ShortestRound = TimeSpan.FromMilliseconds(3), ShortestPacedRound = TimeSpan.FromMilliseconds(3) };

        new Tuner(host, longer with { Goal = TuneGoal.Parse(goal) }).Run(default);

        // Two series, however short the time is; before them is the look at what runs today.
        TrialRequest[] warm = [.. host.Asked.Skip(1).TakeWhile(static one => one.Seconds < 0.003)];
        int series = KnobSpace.Anchors().Count();
        Assert.Equal(2 * series, warm.Count(static one => one.Rate is null));
        Assert.Equal(2 * series * paced, warm.Count(static one => one.Rate is not null));
    }

    [Fact]
    public void Run_ChannelIsAsGood_SaysSo()
    {
        TuneResult result = new Tuner(new GivenHost(static _ => 1), s_short).Run(default);

        Assert.True(result.Channel!.IsEnough);
        Assert.Contains("A Channel is enough here", result.Channel.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_RateIsLow_AdvisesAChannelAlsoWhereItIsSlower()
    {
        var host = new GivenHost(static knobs => knobs.ContainsKey(Knobs.Transport) ? 10 : 1);

        Assert.False(new Tuner(host, s_short).Run(default).Channel!.IsEnough);
        Assert.True(new Tuner(host, s_short with { Rate = 1_000 }).Run(default).Channel!.IsEnough);
        // What the goal asks for at the rate is surely more than twice as good.
        foreach (string goal in new[] { "p99", "cpu" })
            Assert.False(new Tuner(host, s_short with { Rate = 1_000, Goal = TuneGoal.Parse(goal) }).Run(default).Channel!.IsEnough);
    }

    [Fact]
    public void Run_SomeFailOrAreWrong_AreLeftOutAndNamed()
    {
        var host = new GivenHost(static knobs => knobs.GetValueOrDefault("plan") switch
        {
            "fused" => throw new InvalidOperationException("planted"),
            "pooled" => double.NaN,
            _ => knobs.Count == 0 ? 5 : 2,
        });

        TuneResult result = new Tuner(host, s_short).Run(default);

        Assert.DoesNotContain(result.Chosen.GetValueOrDefault("plan"), new[] { "fused", "pooled" });
        Assert.Contains(result.Failures, static one => one.Failure.Contains("planted", StringComparison.Ordinal));
        Assert.Contains(result.Failures, static one => one.Failure.Contains("wrong", StringComparison.Ordinal));
    }

    [Fact]
    public void Run_TodayCannotRun_SaysWhy()
    {
        var host = new GivenHost(static _ => throw new InvalidOperationException("planted"));

        Assert.Contains("planted", Assert.Throws<TuneException>(() => new Tuner(host, s_short).Run(default)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_Interrupted_KeepsWhatIsKnown()
    {
        using var interrupt = new CancellationTokenSource();
        int trials = 0;
        GivenHost host = null!;
        host = new GivenHost(_ =>
        {
            // Of the search: how many there are before it depends on the machine.
            if (host.Asked[^1] is { Seconds: >= 0.003, Diagnose: false } && ++trials == 60) interrupt.Cancel();
            return 1;
        });

        TuneResult result = new Tuner(host, s_short with { ShortestRound = TimeSpan.FromMilliseconds(3) }).Run(interrupt.Token);

        Assert.NotNull(result.Chosen);
        Assert.NotEmpty(result.Tried);
        Assert.Contains(TuneReport.Answer(result).Concat(TuneReport.Tables(result)).OfType<ReportText>(), static one => one.Text == "Not known yet: no finals were run.");
    }

    [Fact]
    public void Report_OfACheckWithoutRatios_SaysThatNothingIsKnown() => Assert.Contains(
        [TuneReport.Answer(new TuneCheckResult(s_short, 280, [], [], null, null, []))],
        static one => one is { IsResult: true, Text: "Not known: nothing was measured beside each other." });

    [Fact]
    public void Run_WhatTheDiagnosisAdvises_IsTriedAndChosen()
    {
        // No search comes to this capacity by itself.
        var advised = new Dictionary<string, string> { ["capacity"] = "512" };
        var host = new GivenHost(static knobs => knobs.GetValueOrDefault("capacity") == "512" ? 1 : 2)
        {
            Findings = [new TrialFinding(FindingKind.RingTooSmall, "planted", [advised])],
        };

        TuneResult result = new Tuner(host, s_short) { Today = new Dictionary<string, string> { ["capacity"] = "2" } }.Run(default);

        Assert.Equal("512", result.Chosen["capacity"]);
        Assert.Contains(TuneReport.Answer(result).Concat(TuneReport.Tables(result)).OfType<ReportText>(), static one => one.Text == "Today: planted");
    }

    [Fact]
    public void Run_NobodyComesThroughTheFinals_SaysSo()
    {
        GivenHost host = null!;
        host = new GivenHost(_ => host.Asked[^1].Seconds < 1e6 ? 1 : throw new InvalidOperationException("planted"));

        TuneResult result = new Tuner(host, s_short).Run(default);

        Assert.Empty(result.Finalists);
        Assert.Contains(result.Failures, static one => one.Failure.Contains("planted", StringComparison.Ordinal));
        Assert.Contains(
            TuneReport.Answer(result).Concat(TuneReport.Tables(result)).OfType<ReportText>(),
            static one => one.Text.StartsWith("Not known: whatever came into the finals", StringComparison.Ordinal));
    }

    [Fact]
    public void Finals_SomeStartsAreBad_TheBetterMedianIsFirst()
    {
        // A little better in two starts of three, and much worse in the third: a round of three would be worse always.
        int starts = 0;
        var host = new GivenHost(knobs => knobs["plan"] == "pooled" ? 1 : ++starts % 3 == 0 ? 2 : 0.9);
        IReadOnlyDictionary<string, string>[] all =
            [.. new[] { "pooled", "fused" }.Select(static plan => new Dictionary<string, string> { ["plan"] = plan })];

        Finals finals = Finals.Run(
            host, s_short, all, FinalRounds.OfOneStart(TimeSpan.Zero, 11, s_short.ShortestRound, null), null, "finals", TimeBudget.Endless, null, default);

        Assert.True(finals.Ratio("raceway/fused", "raceway/pooled")!.Value.Median > 1);
        Assert.Equal(["raceway/fused", "raceway/pooled"], finals.Ranking());
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(3, false)]
    public void Report_OfATail_SaysWhetherItIsTheMachines(double cost, bool isTheMachines)
    {
        var host = new GivenHost(knobs => knobs.GetValueOrDefault(Knobs.Transport) == Knobs.Control ? 1 : cost);

        TuneResult result = new Tuner(host, s_short with { Goal = TuneGoal.Parse("p99") }).Run(default);

        string tail = Assert.Single(
            TuneReport.Answer(result).Concat(TuneReport.Tables(result)).OfType<ReportText>(),
            static one => one.Text.StartsWith("The machine's own tail", StringComparison.Ordinal)).Text;
        Assert.Equal(isTheMachines, tail.Contains("cannot be told apart", StringComparison.Ordinal));
        Assert.Equal(cost, result.TailOverControl!.Value.Median, 1);
    }

    [Theory]
    [InlineData("", "goal is of")]
    [InlineData("speed", "goal is of")]
    [InlineData("p99=0", "above 0")]
    [InlineData("p99=x", "above 0")]
    [InlineData("p99,p99=2", "named once")]
    public void Goal_BadText_SaysWhatIsWrong(string text, string expected) =>
        Assert.Contains(expected, Assert.Throws<FormatException>(() => TuneGoal.Parse(text)).Message, StringComparison.Ordinal);

    [Fact]
    public void Goal_Weights_CountAsPowers()
    {
        TuneGoal goal = TuneGoal.Parse("throughput=1,cpu=3");

        double gained = goal.CostOf(new Sample(1, 1, true), new Sample(1, 1, true, 16)) - goal.CostOf(new Sample(1, 1, true), new Sample(1, 1, true, 1));

        Assert.Equal(0.75 * Math.Log(16), gained, 9);
    }

    [Fact]
    public void Front_LeavesOutWhoIsWorseInEverything()
    {
        Finalist good = new("good", new Dictionary<string, string>(), null, 100, 10, 10, 10, false);

        Assert.True(Front.IsBeaten(good with { Throughput = 90, P99 = 11 }, good));
        Assert.False(Front.IsBeaten(good with { Throughput = 90, P99 = 9 }, good));
        Assert.False(Front.IsBeaten(good, good));
    }

    // A thousand items at a time are 98 % of what there is; the grid has no 512.
    private static readonly BatchCost s_known = new(perCall: 20e-6, perStep: 1e-6);

    [Fact]
    public void Run_CallsHaveACost_FindsIt_AndTriesWhatFollowsFromIt()
    {
        var host = new CostHost(s_known.SecondsOf);

        TuneResult result = new Tuner(host, s_short).Run(default);

        Assert.True(result.CallCost!.Fits);
        Assert.Equal((20e-6, 1e-6), (Math.Round(result.CallCost.Cost.PerCall, 9), Math.Round(result.CallCost.Cost.PerStep, 9)));
        // 95 % and four times that, both between the sizes that are there without it.
        Assert.Contains(result.Finalists, static one => one.Knobs.GetValueOrDefault(Knobs.Batch) == "512");
        Assert.Contains(result.Finalists, static one => one.Knobs.GetValueOrDefault(Knobs.Batch) == "2048");
        Assert.Contains(
            TuneReport.Answer(result).Concat(TuneReport.Tables(result)).OfType<ReportText>(), static one => one.Text.StartsWith(
                "Cost of a call, at full speed, by trials with limits of 1 to 4,096: a batch of 512 has 96 % of what batching can give here, at +511 µs (20 µs a call and 1 µs an item; off by 0 %",
                StringComparison.Ordinal));
        Assert.Contains(TuneReport.Rows(result), static row => row is { Case: "cost of a call", Contestant: "cost", Metric: "cost-per-call", Median: > 19_999 and < 20_001 });
    }

    [Theory]
    [InlineData("throughput")]
    [InlineData("p99")]
    [InlineData("cpu")]
    public void Run_CallsHaveACost_TheChoiceIsWithinATwentiethOfTheBest(string goal)
    {
        var host = new CostHost(s_known.SecondsOf);

        TuneResult result = new Tuner(host, s_short with { Goal = TuneGoal.Parse(goal) }).Run(default);

        double best = host.SecondsOf(new Dictionary<string, string> { [Knobs.Batch] = "4096" });
        Assert.True(host.SecondsOf(result.Chosen) <= 1.05 * best, Knobs.NameOf(result.Chosen));
    }

    [Fact]
    public void Run_WidthOfTheStage_IsWhatItIsFoundBy()
    {
        TuneResult result = new Tuner(new CostHost(new BatchCost(1e-6, 8e-6, 8).SecondsOf) { Width = 8 }, s_short).Run(default);

        Assert.True(result.CallCost!.Fits);
        Assert.Equal(8, result.CallCost.Cost.Width);
    }

    [Fact]
    public void Report_TheRingIsSmall_NamesTheLimitsThatWereTried()
    {
        BatchSizes sizes = BatchSizes.Measure(
            new TrialRunner(new CostHost(s_known.SecondsOf), s_short),
            new Dictionary<string, string> { [Knobs.Plan] = "fused", [Knobs.Capacity] = "256" }, 1, TimeSpan.Zero, new Random(1), default)!;
        var result = new TuneResult
        {
            Target = "cost", Options = s_short, Chosen = new Dictionary<string, string>(), Finalists = [], CallCost = sizes.Fit, CallSizes = sizes.Tried,
        };

        Assert.Equal([1, 4, 16, 64, 256], sizes.Tried);
        Assert.Contains(
            TuneReport.Tables(result).OfType<ReportText>(),
            static one => one.Text.StartsWith("Cost of a call, at full speed, by trials with limits of 1 to 256: ", StringComparison.Ordinal));
    }

    [Fact]
    public void Run_CallsOfTheSquare_SaysThatItDoesNotFit()
    {
        TuneResult result = new Tuner(new CostHost(static size => 1e-9 * size * size), s_short).Run(default);

        Assert.False(result.CallCost!.Fits);
        Assert.Contains(TuneReport.Answer(result).Concat(TuneReport.Tables(result)).OfType<ReportText>(), static one => one.Text.Contains("does not fit", StringComparison.Ordinal));
    }

    // What larger batches bring is less than what rounds differ by.
    [Theory]
    [InlineData(1.01, 0.99, "256")] // the interval holds 1
    [InlineData(1.01, 1.005, "1024")] // shown to be worse, by little
    [InlineData(1.2, 0.9, "1024")] // too wide to say, and too much to lose
    public void Least_SizesAlike_IsTheSmallest(double median, double low, string limit)
    {
        var winner = new Dictionary<string, string> { [Knobs.Plan] = "fused", [Knobs.Batch] = "1024" };
        var smaller = new Dictionary<string, string> { [Knobs.Plan] = "fused", [Knobs.Batch] = "256" };
        var larger = new Dictionary<string, string> { [Knobs.Plan] = "fused", [Knobs.Batch] = "4096" };
        var another = new Dictionary<string, string> { [Knobs.Plan] = "pooled", [Knobs.Batch] = "16" };

        IReadOnlyDictionary<string, string> chosen = BatchSizes.Least(
            winner, [winner, smaller, larger, another], _ => new MedianInterval(median, low, High: 1.3, Min: low, Max: 1.3, Rounds: 11, Coverage: 0.95));

        Assert.Equal(limit, chosen[Knobs.Batch]);
        Assert.Equal("fused", chosen[Knobs.Plan]);
    }

    /// <summary>One stage whose calls take what is given for their batch, whatever else is chosen.</summary>
    private sealed class CostHost(Func<double, double> seconds) : ITrialHost
    {
        private const int Default = 1_024;

        public string Name => "cost";

        public int Width { get; init; } = 1;

        /// <summary>Seconds an item.</summary>
        public double SecondsOf(IReadOnlyDictionary<string, string> knobs) => seconds(SizeOf(knobs)) / SizeOf(knobs);

        public TrialReply Run(TrialRequest request, CancellationToken cancellation)
        {
            int size = SizeOf(request.Knobs);
            long items = Math.Min(request.Items, 100L * size);
            double time = items * SecondsOf(request.Knobs);
            return new TrialReply
            {
                Items = items, Seconds = time, Verified = true, CpuSeconds = time,
                Latencies = request.Rate is null ? [] : [(long)(1e9 * SecondsOf(request.Knobs)), items],
                Stages =
                [
                    new StageStatistics
                    {
                        Name = "stage", Items = 100L * size, Batches = 100, Width = Width, Working = TimeSpan.FromSeconds(time), CloseReasons = [], BatchSizes = [],
                    },
                ],
            };
        }

        private static int SizeOf(IReadOnlyDictionary<string, string> knobs) =>
            knobs.GetValueOrDefault(Knobs.Dispatch) == "single" ? 1
            : knobs.GetValueOrDefault(Knobs.Batch) is { } size ? int.Parse(size, System.Globalization.CultureInfo.InvariantCulture)
            : knobs.ContainsKey(Knobs.Transport) ? 1 : Default;
    }
}
