using Raceway.Analysis.Tuning;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>What throws, is wrong or is not reached in finals and checks: it is not chosen, does not hold, and is named with its reason.</summary>
public sealed class LeftOutTests
{
    private static readonly TuneOptions s_short = new()
    {
        Goal = TuneGoal.Parse("throughput"), Budget = TimeSpan.Zero, Drawn = 4, Rounds = 6, LowLoadItems = 5, TieringPause = TimeSpan.Zero,
        ShortestRound = TimeSpan.FromMilliseconds(2), ShortestPacedRound = TimeSpan.FromMilliseconds(2),
    };

    private static readonly Dictionary<string, string> s_good = Of("fused"), s_bad = Of("pooled");

    private static Dictionary<string, string> Of(string plan) => new() { [Knobs.Plan] = plan, [Knobs.Capacity] = "512" };

    private static bool IsBad(IReadOnlyDictionary<string, string> knobs) => Knobs.NameOf(knobs) == Knobs.NameOf(s_bad);

    [Fact]
    public void Check_AChoiceThrows_DoesNotHoldAndIsNamed()
    {
        TuneCheckResult result = Check(new GivenHost(static knobs => IsBad(knobs) ? throw new InvalidOperationException("planted") : 1));

        Assert.All(result.Ratios, static one => Assert.True(one.Holds));
        Assert.False(result.Holds);
        string said = TuneReport.Answer(result).Text;
        Assert.StartsWith("NOT every choice holds.", said, StringComparison.Ordinal);
        Assert.Contains($"{Knobs.NameOf(s_bad)} has no figure: failed: InvalidOperationException: planted.", said, StringComparison.Ordinal);
    }

    [Fact]
    public void Check_AChoiceIsWrongInOneRound_DoesNotHold()
    {
        int runs = 0;
        TuneCheckResult result = Check(new GivenHost(knobs => IsBad(knobs) && ++runs % 7 == 0 ? double.NaN : 1));

        Assert.False(result.Holds);
        Assert.Equal((Knobs.NameOf(s_bad), TrialRunner.Wrong), Assert.Single(result.Missing));
    }

    [Fact]
    public void Check_TheTimeIsUp_IsNotKnown()
    {
        TuneCheckResult result = Check(new GivenHost(static _ => 1), new TimeBudget(TimeProvider.System, TimeSpan.Zero));

        Assert.False(result.Holds);
        string said = TuneReport.Answer(result).Text;
        Assert.StartsWith("Not known: nothing was measured beside each other.", said, StringComparison.Ordinal);
        Assert.Contains($"{Knobs.NameOf(s_good)} has no figure: not measured: time was up", said, StringComparison.Ordinal);
    }

    private static TuneCheckResult Check(GivenHost host, TimeBudget? within = null) =>
        TuneCheck.Run(host, s_short, [s_good, s_bad], within ?? TimeBudget.Endless, null, default);

    [Theory]
    [InlineData(false)] // one wrong round of several at full speed
    [InlineData(true)] // an exception at the rate, for which the goal does not ask
    public void Finals_TheFastestFailsOnce_IsLeftOut(bool atTheRate)
    {
        int fast = 0;
        GivenHost host = null!;
        host = new GivenHost(knobs => !IsBad(knobs) ? 2
            : host.Asked[^1].Rate is not null ? atTheRate ? throw new InvalidOperationException("planted") : 1
            : ++fast % 7 == 0 && !atTheRate ? double.NaN : 1);

        Finals finals = Finals.Run(
            host, s_short, [s_good, s_bad], new FinalRounds(11, 1, TimeSpan.FromMilliseconds(2)),
            new FinalRounds(6, 1, TimeSpan.FromMilliseconds(2)), "finals", TimeBudget.Endless, null, default);

        Assert.Equal([Knobs.NameOf(s_good)], finals.Ranking());
        Assert.Null(finals.Ratio(Knobs.NameOf(s_bad), Knobs.NameOf(s_good)));
        Assert.Equal(Knobs.NameOf(s_bad), Assert.Single(finals.Failures).Name);
    }

    /// <summary>A round takes a millisecond here, and the whole search some 350 of them.</summary>
    [Fact]
    public void Run_TheTimeIsTooShortForTheWholeSearch_TheFinalsHaveTheirs()
    {
        var clock = new FakeClock();
        var host = new GivenHost(_ =>
        {
            clock.Advance(TimeSpan.FromMilliseconds(1));
            return 1;
        });

        TuneResult result = new Tuner(host, s_short) { Within = new TimeBudget(clock, TimeSpan.FromMilliseconds(330)) }.Run(default);

        Assert.NotEmpty(result.Finalists);
    }

    [Fact]
    public void Run_TheTimeIsUpBeforeTheFinals_NothingHasFailed()
    {
        TuneResult result = new Tuner(new GivenHost(static _ => 1), s_short) { Within = new TimeBudget(TimeProvider.System, TimeSpan.Zero) }.Run(default);

        Assert.Empty(result.Finalists);
        Assert.Empty(result.Failures);
        Assert.Contains(
            TuneReport.Answer(result).OfType<ReportText>(), static one => one.Text == "Not known yet: no finals were run.");
    }
}
