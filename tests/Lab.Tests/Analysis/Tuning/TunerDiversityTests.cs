using Raceway.Analysis.Tuning;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>What a search keeps beside the best, and where it looks.</summary>
public sealed class TunerDiversityTests
{
    private static readonly TuneOptions s_short = new()
    {
        Goal = TuneGoal.Parse("throughput"), Budget = TimeSpan.Zero, Drawn = 0, Rounds = 6, LowLoadItems = 5, TieringPause = TimeSpan.Zero,
        ShortestRound = TimeSpan.FromMilliseconds(2), ShortestPacedRound = TimeSpan.FromMilliseconds(2),
    };

    // Two series of warming up, of two runs each, and a round.
    private const int Spoilt = 5;

    [Fact]
    public void Run_NothingIsSetToday_BeginsWithAuto()
    {
        var host = new GivenHost(static _ => 1);

        new Tuner(host, s_short).Run(default);

        // Later ones are neighbours of what was best: they may have the plan too.
        TrialRequest[] first = [.. host.Asked.Take(1 + KnobSpace.Anchors().Count())];
        Assert.Contains(first, static one => one.Knobs.Count == 0);
        Assert.Contains(first, static one => one.Knobs.GetValueOrDefault(Knobs.Plan) == "auto");
    }

    [Theory]
    [InlineData("throughput")]
    [InlineData("p99")]
    public void Run_OnePlanIsFarAhead_TheBestOfEachOtherOneIsInTheFinals(string goal)
    {
        var host = new GivenHost(static knobs => knobs.GetValueOrDefault(Knobs.Plan) == "fused" ? 1 : 5);

        TuneResult result = new Tuner(host, s_short with { Goal = TuneGoal.Parse(goal) }).Run(default);

        Assert.Equal(
            Knobs.Plans.Order(),
            result.Finalists.Select(static one => one.Knobs.GetValueOrDefault(Knobs.Plan)).OfType<string>().Distinct().Order());
    }

    [Fact]
    public void Run_ForLatency_RingsOfEverySizeAreInTheFinals()
    {
        var host = new GivenHost(static knobs => knobs.GetValueOrDefault(Knobs.Capacity) is "65536" or "16384" ? 1 : 5);

        TuneResult latency = new Tuner(host, s_short with { Goal = TuneGoal.Parse("p99") }).Run(default);

        Assert.Equal(3, Sizes(latency).Count());

        static IEnumerable<string> Sizes(TuneResult result) => result.Finalists
            .SelectMany(one => Kinds.Of(one.Knobs, result.Options.Goal)).Where(static kind => kind.EndsWith("ring", StringComparison.Ordinal))
            .Except(Knobs.Plans).Distinct();
    }

    // Two knobs from the best, and one from the best under another plan.
    [Fact]
    public void Run_AnotherPlanLacksOneKnob_ItIsFound()
    {
        var host = new GivenHost(static knobs => (knobs.GetValueOrDefault(Knobs.Plan), knobs.GetValueOrDefault(Knobs.Padding)) switch
        {
            ("pooled", "none") => 0.5,
            ("fused", "line-pair") => 1,
            ("pooled", _) => 1.5,
            _ => 3,
        });

        TuneResult result = new Tuner(host, s_short).Run(default);

        Assert.Equal(("pooled", "none"), (result.Chosen[Knobs.Plan], result.Chosen[Knobs.Padding]));
    }

    // As one slow moment makes it: the search comes back to it from the best of its kind.
    [Fact]
    public void Run_TheFirstRoundOfTheBestIsBad_ItIsFound()
    {
        string best = Knobs.NameOf(KnobSpace.Anchors().Single(static one =>
            one[Knobs.Plan] == "fused" && one.GetValueOrDefault(Knobs.Batch) == "256" && one[Knobs.Capacity] == "1024"));
        int rounds = 0;
        var host = new GivenHost(knobs =>
            Knobs.NameOf(knobs) == best ? ++rounds <= Spoilt ? 9 : 0.5 : knobs.GetValueOrDefault(Knobs.Plan) == "fused" ? 1 : 2);

        TuneResult result = new Tuner(host, s_short with { Goal = TuneGoal.Parse("p99") }).Run(default);

        Assert.Equal(best, Knobs.NameOf(result.Chosen));
    }

    [Fact]
    public void Halving_LeavesTheBest_AndTheBestOfEachKind()
    {
        var host = new GivenHost(static knobs => (knobs[Knobs.Plan] == "fused" ? 1 : 10) + (int.Parse(knobs[Knobs.Batch], null) / 100.0));
        Candidate[] all =
        [
            .. from plan in new[] { "fused", "pooled", "auto" }
               from batch in new[] { "16", "64", "256", "1024" }
               select new Candidate(new Dictionary<string, string> { [Knobs.Plan] = plan, [Knobs.Batch] = batch }),
        ];

        List<Candidate> left = Halving.Run(
            new TrialRunner(host, s_short), all, 2, static one => Kinds.Of(one.Knobs, s_short.Goal), TimeSpan.Zero, new Random(1), null, default);

        Assert.Equal(
            ["auto 16", "fused 16", "fused 64", "pooled 16"],
            left.Select(static one => $"{one.Knobs[Knobs.Plan]} {one.Knobs[Knobs.Batch]}").Order(StringComparer.Ordinal));
        Assert.Equal(["fused 16", "fused 64"], left.Take(2).Select(static one => $"{one.Knobs[Knobs.Plan]} {one.Knobs[Knobs.Batch]}"));
    }

    [Fact]
    public void Kinds_SizesOfRings_CountForLatencyAlone()
    {
        var knobs = new Dictionary<string, string> { [Knobs.Plan] = "fused", [Knobs.Capacity] = "1024" };

        Assert.Equal(["fused"], Kinds.Of(knobs, TuneGoal.Parse("throughput=1,cpu=1")));
        Assert.Equal(["fused", "small ring"], Kinds.Of(knobs, TuneGoal.Parse("p99")));
    }
}
