using Raceway.Analysis.Tuning;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>A choice that is much slower at a low load than what runs today is warned of, with an alternative.</summary>
public sealed class LowLoadTests
{
    private static readonly TuneOptions s_short = new()
    {
        Goal = TuneGoal.Parse("throughput"), Budget = TimeSpan.Zero, Drawn = 0, Rounds = 6, LowLoadItems = 10, TieringPause = TimeSpan.Zero,
        ShortestRound = TimeSpan.FromMilliseconds(2), ShortestPacedRound = TimeSpan.FromMilliseconds(2),
    };

    private static bool IsFused(IReadOnlyDictionary<string, string> knobs) => knobs.GetValueOrDefault(Knobs.Plan) == "fused";

    // The best for the goal is fused, then pooled.
    private static double Cost(IReadOnlyDictionary<string, string> knobs) => knobs.GetValueOrDefault(Knobs.Plan) switch
    {
        "fused" => 1,
        "pooled" => 1.25,
        _ => 3,
    };

    private static TuneResult Tuned(
        Func<IReadOnlyDictionary<string, string>, (double, double)> atLowLoad, IReadOnlyDictionary<string, string>? today = null) =>
        new Tuner(new GivenHost(Cost) { AtLowLoad = atLowLoad }, s_short) { Today = today ?? new Dictionary<string, string>() }.Run(default);

    [Fact]
    public void Run_TheChoiceIsSlowAtALowLoad_WarnsWithBothFigures_AndAnAlternative()
    {
        TuneResult result = Tuned(static knobs => IsFused(knobs) ? (38_000, 38_000) : (1_600, 1_600));

        Assert.True(IsFused(result.Chosen));
        Assert.Equal((0.5, 38_000_000, 1_600_000), (result.Warning!.Percentile, Near(result.Warning.Chosen), Near(result.Warning.Today)));
        Assert.Equal("pooled", result.Warning.Alternative!.Knobs[Knobs.Plan]);
        string said = Assert.Single(TuneReport.Answer(result).OfType<ReportText>(), static one => one.Text.StartsWith("Warning: ", StringComparison.Ordinal)).Text;
        Assert.StartsWith(
            "Warning: at a low load (1,000 items/s) the choice is slow. Its p50 is 38.0 ms, against 1.60 ms as it is defined. "
            + $"If few items may come, use {result.Warning.Alternative.Name}: 1.60 ms there, and 80 % of the goal.",
            said, StringComparison.Ordinal);
        Assert.Contains(
            TuneReport.Answer(result).OfType<ReportCommands>(),
            static one => one.Lines.Any(static line => line.Contains("Plan.Pooled", StringComparison.Ordinal)));
        ResultRow row = Assert.Single(TuneReport.Rows(result), static one => one.Case == "low load, choice over today");
        Assert.Equal((Knobs.NameOf(result.Chosen), said), (row.Contestant, row.Note));
        Assert.InRange(row.Median!.Value, 23, 25);

        static double Near(double nanoseconds) => 10_000 * Math.Round(nanoseconds / 10_000);
    }

    [Fact]
    public void Run_OnlyFewItemsAreLate_WarnsOfTheP99()
    {
        TuneResult result = Tuned(static knobs => IsFused(knobs) ? (10, 4_000) : (10, 100), new Dictionary<string, string> { [Knobs.Plan] = "shared-ring" });

        Assert.Equal(0.99, result.Warning!.Percentile);
        Assert.Contains("Its p99 is 4.00 ms, against 100 µs as it runs today.", TuneReport.Warning(result), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(40, 1, false)] // many times as slow, and next to nothing
    [InlineData(2_900, 1_000, false)] // not so many times
    [InlineData(3_200, 1_000, true)]
    public void Run_WarnsOfWhatIsFelt(double chosen, double today, bool warns)
    {
        TuneResult result = Tuned(knobs => IsFused(knobs) ? (chosen, chosen) : (today, today));

        Assert.Equal(warns, result.Warning is not null);
        Assert.Equal(warns, TuneReport.Rows(result).Any(static one => one.Case == "low load, choice over today"));
        Assert.Equal(warns, result.LowLoadOfOthers is not null);
    }

    // Something else ran in one of three.
    [Fact]
    public void Run_OneRoundWasGood_DoesNotWarn()
    {
        int rounds = 0;

        TuneResult result = Tuned(knobs => !IsFused(knobs) ? (10, 10) : ++rounds % 3 == 0 ? (10, 10) : (5_000, 5_000));

        Assert.Null(result.Warning);
    }

    [Fact]
    public void Run_EverythingElseIsSlowToo_KeepsWhatRunsToday()
    {
        TuneResult result = Tuned(static knobs => knobs.Count == 0 ? (10, 10) : (5_000, 5_000));

        Assert.Equal(Knobs.AsDefined, result.Warning!.Alternative!.Name);
        Assert.Contains(
            $"The quickest way to keep some of both is {Knobs.AsDefined}: 10.0 µs there, but only 33 % of the goal.", TuneReport.Warning(result),
            StringComparison.Ordinal);
    }
}
