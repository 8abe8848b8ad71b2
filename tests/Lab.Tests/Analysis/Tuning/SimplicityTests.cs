using Raceway.Analysis.Tuning;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>Among finalists that cannot be told apart, the simplest is chosen, and the report says so.</summary>
public sealed class SimplicityTests
{
    private static readonly IReadOnlyDictionary<string, string> s_asDefined = new Dictionary<string, string>();
    private static readonly Dictionary<string, string> s_auto = Of("auto", "park", "4096");
    private static readonly Dictionary<string, string> s_fused = Of("fused", "park", "4096");
    private static readonly Dictionary<string, string> s_tuned = Of("fused", "yield", "256");

    private static Dictionary<string, string> Of(string plan, string wait, string batch) => new()
    {
        [Knobs.Plan] = plan, [Knobs.Wait] = wait, [Knobs.Batch] = batch, [Knobs.Capacity] = "65536",
    };

    [Theory]
    [InlineData(1.01, 0.97, true)] // no difference is shown
    [InlineData(1.01, 1.005, false)] // a small one is
    [InlineData(1.10, 0.97, false)] // too wide to say, and too much to lose
    public void Choose_TheSimplerOne_OnlyIfNoDifferenceIsShown(double median, double low, bool isTheSimpler)
    {
        IReadOnlyDictionary<string, string> chosen = Simplicity.Choose(
            [s_tuned, s_fused], s_asDefined, _ => new MedianInterval(median, low, High: 1.3, Min: low, Max: 1.3, Rounds: 11, Coverage: 0.95));

        Assert.Equal(Knobs.NameOf(isTheSimpler ? s_fused : s_tuned), Knobs.NameOf(chosen));
    }

    [Fact]
    public void Choose_AllAlike_TodayComesFirst_ThenAuto()
    {
        Assert.Same(s_asDefined, Simplicity.Choose([s_tuned, s_fused, s_auto, s_asDefined], s_asDefined, _ => Alike));
        Assert.Same(s_auto, Simplicity.Choose([s_tuned, s_fused, s_auto], s_asDefined, _ => Alike));
        // What runs today changes nothing, whatever it says.
        Assert.Same(s_tuned, Simplicity.Choose([s_auto, s_tuned], s_tuned, _ => Alike));
    }

    [Fact]
    public void Choose_AnotherOneChangesAsLittle_TodayIsKept()
    {
        var today = new Dictionary<string, string> { [Knobs.Wait] = "busy-spin" };
        var usual = new Dictionary<string, string> { [Knobs.Wait] = "park" };

        Assert.Equal((0, 0), (Simplicity.ChangesOf(usual, today), Simplicity.ChangesOf(today, today)));
        Assert.Same(today, Simplicity.Choose([usual, today], today, _ => Alike));
    }

    [Fact]
    public void ChangesOf_WhatIsTheDefault_IsNoChange()
    {
        Assert.Equal(0, KnobSpace.ChangesOf(s_asDefined));
        Assert.Equal(1, KnobSpace.ChangesOf(s_auto));
        Assert.Equal(2, KnobSpace.ChangesOf(s_fused));
        Assert.Equal(4, KnobSpace.ChangesOf(s_tuned));
        Assert.Equal(1, KnobSpace.ChangesOf(new Dictionary<string, string> { [Knobs.OfStage + "a"] = "single" }));
    }

    [Fact]
    public void Run_OnlyThePlanMatters_NothingElseIsSetButTheCapacity()
    {
        var host = new GivenHost(static knobs => knobs.GetValueOrDefault(Knobs.Plan) == "fused" ? 1 : 2);

        TuneResult result = new Tuner(host, s_short).Run(default);

        Assert.Equal("fused", result.Chosen[Knobs.Plan]);
        Assert.Equal(2, KnobSpace.ChangesOf(result.Chosen));
        // In the file more is better: a finalist that takes twice as long is half as good.
        ResultRow today = Assert.Single(TuneReport.Rows(result), static row => row is { Case: "finalists over the choice", Contestant: Knobs.AsDefined });
        Assert.Equal(0.5, today.Median!.Value, 0.01);
        Assert.True(today.Low <= today.Median && today.Median <= today.High);
    }

    [Fact]
    public void Run_NothingMatters_AllStaysAsItIsDefined()
    {
        TuneResult result = new Tuner(new GivenHost(static _ => 1), s_short).Run(default);

        Assert.Empty(result.Chosen);
        Assert.Contains(
            TuneReport.Answer(result).OfType<ReportText>(),
            static one => one.Text == "Leave it as it is: nothing that was tried is better than how it is defined, under Plan.Auto, the default.");
    }

    [Theory]
    [InlineData(2, "The choice is simpler: it changes 2 knobs, and the other one 4 knobs.")]
    [InlineData(4, "No equal setting that differs from the choice in its limit alone has smaller batches.")]
    public void Report_OfASimplerChoice_SaysWhatWasBest(int changes, string expected)
    {
        TuneResult result = new Tuner(new GivenHost(static _ => 1), s_short).Run(default) with
        {
            EqualBest = new EqualBest("raceway/x", Alike, Changes: 4, ChosenChanges: changes),
        };

        string said = Assert.Single(
            TuneReport.Answer(result).OfType<ReportText>(), static one => one.Text.StartsWith("raceway/x has the best median", StringComparison.Ordinal)).Text;
        Assert.Contains("1.01 times as good as the choice [0.98–1.04]", said, StringComparison.Ordinal);
        Assert.EndsWith(expected, said, StringComparison.Ordinal);
    }

    // As where the budget leaves room for one: it says nothing of how far another one would be off.
    [Theory]
    [InlineData(1, "it is 1.50 times as good (1 round: too few to judge).", "Whether a Channel is enough here is not known: the choice is 1.50 times as good (1 round: too few to judge).")]
    [InlineData(2, "it is 1.50 times as good [1.50–1.50], in 2 interleaved rounds.", "A Channel is not enough here: the choice is 1.50 times as good [1.50–1.50].")]
    public void Answer_OfFewRounds_SaysWhatCanBeJudged(int rounds, string next, string channel)
    {
        TuneOptions options = s_short with { Rounds = rounds };
        var host = new GivenHost(static knobs => knobs.GetValueOrDefault(Knobs.Plan) == "fused" ? 1 : 1.5);
        IReadOnlyDictionary<string, string>[] all = [s_fused, s_asDefined, new Dictionary<string, string> { [Knobs.Transport] = Knobs.Channel }];
        Finals finals = Finals.Run(
            host, options, all, FinalRounds.OfOneStart(TimeSpan.Zero, rounds, options.ShortestRound, null), null, "finals", TimeBudget.Endless, null, default);
        MedianInterval over = finals.Ratio(Knobs.NameOf(s_fused), Knobs.NameOf(s_asDefined))!.Value;
        ChannelVerdict verdict = ChannelJudge.Of(finals, Knobs.NameOf(s_fused), options)!;

        TuneResult result = new Tuner(new GivenHost(static _ => 1), s_short).Run(default) with
        {
            Chosen = s_fused, Channel = verdict, EqualBest = null,
            Finalists = [new Finalist(Knobs.NameOf(s_asDefined), s_asDefined, over, 1e6, null, null, null, IsOnFront: true)],
        };

        string[] said = [.. TuneReport.Answer(result).OfType<ReportText>().Select(static one => one.Text)];
        Assert.Contains($"Over the next best of ours {next}", said);
        Assert.Contains(channel, said);
        Assert.Equal((rounds, false), (over.Rounds, verdict.IsEnough));
    }

    // Better in most rounds: the interval says that it may be chance.
    [Fact]
    public void Channel_WorseInMostRoundsAndBetterInSome_MayBeEnough()
    {
        int round = 0;
        TuneOptions options = s_short with { Rounds = 11 };
        var channel = new Dictionary<string, string> { [Knobs.Transport] = Knobs.Channel };
        var host = new GivenHost(knobs => !knobs.ContainsKey(Knobs.Transport) ? 1 : ++round % 3 == 0 ? 0.5 : 1.6);
        Finals finals = Finals.Run(
            host, options, [s_fused, channel], FinalRounds.OfOneStart(TimeSpan.Zero, options.Rounds, options.ShortestRound, null), null, "finals",
            TimeBudget.Endless, null, default);

        ChannelVerdict verdict = ChannelJudge.Of(finals, Knobs.NameOf(s_fused), options)!;

        Assert.True(verdict.IsEnough);
        Assert.Equal("A Channel may be enough here: the choice is 1.60 times as good [0.50–1.60], so no difference is shown.", verdict.Reason);
    }

    [Theory]
    [InlineData(0.53, 0.38, 0.54, 11, true)]
    [InlineData(0.97, 0.90, 1.02, 11, false)]
    [InlineData(0.97, 0.95, 0.99, 11, false)]
    [InlineData(0.53, 0.53, 0.53, 1, false)]
    [InlineData(1.50, 1.40, 1.60, 11, false)]
    public void Answer_AKnobThatIsBetterTurnedBack_SaysSo(double median, double low, double high, int rounds, bool says)
    {
        var ratio = new MedianInterval(median, low, high, low, high, rounds, 0.95);
        TuneResult result = Found() with { Worth = [new KnobWorth("plan", "fused", "auto", ratio)] };

        string[] said = [.. Said(result).Where(static text => text.StartsWith("With plan auto", StringComparison.Ordinal))];
        Assert.Equal(says ? 1 : 0, said.Length);
        if (says) Assert.StartsWith("With plan auto instead of fused it is better: the choice is 0.53 times as good [0.38–0.54].", said[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Answer_WithoutAFigureOfWhatRunsToday_SaysSo()
    {
        Assert.Equal(Knobs.NameOf(s_fused), new Tuner(new GivenHost(static _ => 1), s_short) { Today = s_fused }.Run(default).TodayName);
        Assert.DoesNotContain(Said(Found()), static text => text.StartsWith("Whether it is better than what runs today", StringComparison.Ordinal));
        Assert.Contains(
            Said(Found() with { TodayName = "raceway/fused batch" }),
            static text => text.StartsWith("Whether it is better than what runs today (raceway/fused batch) is not known", StringComparison.Ordinal));
    }

    private static string[] Said(TuneResult result) => [.. TuneReport.Answer(result).OfType<ReportText>().Select(static one => one.Text)];

    private static TuneResult Found() => new Tuner(new GivenHost(static _ => 1), s_short).Run(default) with
    {
        Chosen = s_fused,
        Finalists =
        [
            new Finalist(Knobs.NameOf(s_fused), s_fused, Alike, 1e6, null, null, null, IsOnFront: true),
            new Finalist(Knobs.NameOf(s_asDefined), s_asDefined, Alike, 1e6, null, null, null, IsOnFront: true),
        ],
    };

    private static readonly TuneOptions s_short = new()
    {
        Goal = TuneGoal.Parse("throughput"), Budget = TimeSpan.Zero, Drawn = 4, Rounds = 6, LowLoadItems = 5, TieringPause = TimeSpan.Zero,
        ShortestRound = TimeSpan.FromMilliseconds(2), ShortestPacedRound = TimeSpan.FromMilliseconds(2),
    };

    private static MedianInterval Alike => new(1.01, Low: 0.98, High: 1.04, Min: 0.9, Max: 1.1, Rounds: 11, Coverage: 0.95);
}
