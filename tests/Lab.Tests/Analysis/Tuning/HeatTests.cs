using Raceway.Analysis.Tuning;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>A heat in the finals: the best, what runs today and the Channel go on.</summary>
public sealed class HeatTests
{
    private static readonly TuneOptions s_short = new()
    {
        Goal = TuneGoal.Parse("throughput"), Budget = TimeSpan.Zero, Drawn = 4, Rounds = 14, LowLoadItems = 5, TieringPause = TimeSpan.Zero,
        ShortestRound = TimeSpan.FromMilliseconds(2), ShortestPacedRound = TimeSpan.FromMilliseconds(2),
    };

    [Theory]
    [InlineData("throughput")]
    [InlineData("p99")]
    [InlineData("cpu")]
    public void Run_WithAHeat_TheBestThreeAndThoseThatStayHaveAllRounds(string goal)
    {
        var costs = new Dictionary<string, double> { ["fused"] = 1.2, ["pooled"] = 1.3, ["auto"] = 1, ["shared-ring"] = 1.1, ["ring-per-stage"] = 3 };
        var host = new GivenHost(knobs => knobs.TryGetValue("plan", out string? plan) ? costs[plan] : 1);
        IReadOnlyDictionary<string, string>[] all = [.. costs.Keys.Select(static plan => new Dictionary<string, string> { ["plan"] = plan })];
        TuneOptions options = s_short with { Goal = TuneGoal.Parse(goal) };
        FinalRounds? Rounds(bool needed) => needed ? new FinalRounds(13, 1, TimeSpan.FromMilliseconds(1), Heat: 6) : null;

        Finals finals = Finals.Run(
            host, options, all, Rounds(options.Goal.NeedsFullSpeed), Rounds(options.Goal.NeedsPaced), "finals", TimeBudget.Endless, null, default,
            ["raceway/ring-per-stage", Knobs.Control]);

        CaseResult measured = (finals.FullSpeed ?? finals.Paced)!;
        Assert.Equal(
            [("raceway/fused", 13), ("raceway/pooled", 6), ("raceway/auto", 13), ("raceway/shared-ring", 13), ("raceway/ring-per-stage", 13)],
            measured.Contestants.Take(5).Select(static one => (one.Contestant.Name, one.Rounds.Count)));
        Assert.All(measured.Contestants.Skip(5), static control => Assert.Equal(13, control.Rounds.Count));
        // One that left is behind those that went on, whatever it cost.
        Assert.Equal(["raceway/auto", "raceway/shared-ring", "raceway/fused", "raceway/ring-per-stage", "raceway/pooled"], finals.Ranking());
        Assert.False(finals.IsContender("raceway/pooled"));
        Assert.Equal(1.3, finals.Ratio("raceway/auto", "raceway/pooled")!.Value.Median, 2);
    }

    // Simpler ones that are as good, for all that is known of few rounds, have left.
    [Fact]
    public void Run_AllAreAlike_TheChoiceHasAllRounds()
    {
        TuneResult result = new Tuner(new GivenHost(static knobs => knobs.Count == 0 ? 2 : 1), s_short).Run(default);

        ContestantRounds[] all = [.. result.FullSpeed!.Contestants];
        Assert.Contains(all, static one => one.IsEliminated);
        Assert.Equal(all.Max(static one => one.Rounds.Count), all.Single(one => one.Contestant.Name == Knobs.NameOf(result.Chosen)).Rounds.Count);
    }
}
