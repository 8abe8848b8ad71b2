using Raceway.Lab.Cli;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>Ahead, level or behind: by rounds that ran next to each other, beside the best of the others.</summary>
public sealed class StandingTests
{
    private const string Ours = "raceway/default";

    [Fact]
    public void Of_Throughput_IsOursOverTheBestOfTheOthers()
    {
        CaseResult result = Rounds.Case(
            "case", Rounds.Rates(Ours, 400, 410, 420), Rounds.Rates("channel", 100, 100, 100), Rounds.Rates("dataflow", 50, 200, 50));

        Standing standing = Standing.Of(result, Ours)!;

        Assert.Equal(("case", Ours, "channel", 2), (standing.Case, standing.Ours, standing.Peer, standing.Peers));
        Assert.Equal((4.1, true, false), (standing.Ratio.Median, standing.IsAhead, standing.IsLevel));
    }

    // More is better: a latency is theirs over ours.
    [Fact]
    public void Of_Latency_IsTheLeastOfTheOthersOverOurs()
    {
        CaseResult result = Rounds.LatencyCase(
            "case", Rounds.Latencies(Ours, 200, 200, 200), Rounds.Latencies("channel", 100, 100, 100), Rounds.Latencies("dataflow", 900, 900, 900));

        Standing standing = Standing.Of(result, Ours)!;

        Assert.Equal("channel", standing.Peer);
        Assert.InRange(standing.Ratio.Median, 0.49, 0.51);
        Assert.False(standing.IsAhead || standing.IsLevel);
    }

    [Fact]
    public void Of_IntervalThatHoldsOne_IsLevel() =>
        Assert.True(Standing.Of(Rounds.Case("case", Rounds.Rates(Ours, 90, 100, 120), Rounds.Rates("channel", 100, 100, 100)), Ours)!.IsLevel);

    // How far off another round would be, one does not say.
    [Fact]
    public void Of_OneRound_IsNotJudged()
    {
        Standing standing = Standing.Of(Rounds.Case("case", Rounds.Rates(Ours, 400), Rounds.Rates("channel", 100)), Ours)!;

        Assert.False(standing.IsJudged || standing.IsLevel || standing.IsAhead || standing.IsBehind);
        Assert.Equal("4.00 times as fast as channel (1 round: too few to judge)", RatioText.Compared(standing.Ratio, standing.Peer));
        Assert.EndsWith("too few rounds", standing.ToRow().Note, StringComparison.Ordinal);
        Assert.False(Standing.Parse(standing.ToRow())!.IsJudged);
    }

    [Theory]
    [InlineData(0.00123, "0.0012")]
    [InlineData(0.012, "0.012")]
    [InlineData(0, "0.00")]
    [InlineData(0.5, "0.50")]
    [InlineData(12.34, "12.3")]
    public void Figure_OfARatio_HidesNoLoss(double ratio, string text) => Assert.Equal(text, RatioText.Figure(ratio));

    // Of so many the chance of a single rank is too small for a double.
    [Theory]
    [InlineData(1_000)]
    [InlineData(1_001)]
    [InlineData(10_000)]
    public void Interval_OfManyRounds_IsNoPoint(int rounds)
    {
        MedianInterval interval = Statistics.Interval(Enumerable.Range(0, rounds).Select(static value => (double)value));

        double expected = 1.96 * Math.Sqrt(rounds);
        Assert.InRange(interval.High - interval.Low, expected - 3, expected + 3);
        Assert.InRange(interval.Coverage, 0.95, 0.96);
        Assert.Equal(interval.Median - interval.Low, interval.High - interval.Median, precision: 6);
    }

    // The chance that a pair of ranks encloses the median, term by term; each is too small for a double, its logarithm is not.
    [Fact]
    public void Interval_OfManyRounds_EnclosesTheMedianOftenEnough()
    {
        for (int rounds = 1_001; rounds < 1_500; rounds++)
        {
            int rank = (int)Statistics.Interval(Enumerable.Range(0, rounds).Select(static value => (double)value)).Low;
            double logarithm = -rounds * Math.Log(2), outside = Math.Exp(logarithm);
            for (int i = 1; i <= rank; i++)
            {
                logarithm += Math.Log((rounds - i + 1) / (double)i);
                outside += Math.Exp(logarithm);
            }

            Assert.InRange(1 - (2 * outside), 0.95, 0.96);
        }
    }

    // Each of them has a load of its own there.
    [Fact]
    public void Compared_CasesAtHalfOfEachOnesSpeed_IsNone()
    {
        SuiteCase[] all = [.. SuiteList.All.Values.SelectMany(static suite => suite.Cases)];
        SuiteCase[] halves = [.. all.Where(static one => one.Name.EndsWith("half speed", StringComparison.Ordinal) || one.Name == "one-way-half")];

        Assert.True(halves.Length > 2);
        Assert.All(halves, static one => Assert.Null(one.Compared));
        Assert.All(all.Where(one => one.Name.StartsWith("depth-", StringComparison.Ordinal)), static one => Assert.Equal("raceway/default-in-flight", one.Compared));
    }

    // The bare machine, ours, what was wrong and what is not there are no peers.
    [Fact]
    public void Of_NoPeers_IsNone()
    {
        ContestantRounds[] others =
        [
            Rounds.Rates("raw", 900, 900), Rounds.Rates("hammer", 900, 900), Rounds.Rates("payload", 900, 900),
            Rounds.Rates("by-hand/64", 900, 900), Rounds.Rates("one-thread-batched", 900, 900), Rounds.Rates("thread-per-core-batched", 900, 900),
            Rounds.Rates("raceway/fused", 900, 900), Rounds.Wrong("channel"), Rounds.Absent("disruptor-net/yielding"),
        ];

        Assert.Null(Standing.Of(Rounds.Case("case", [Rounds.Rates(Ours, 400, 400), .. others]), Ours));
        Assert.Null(Standing.Of(Rounds.Case("case", [Rounds.Wrong(Ours), Rounds.Rates("channel", 1, 1)]), Ours));
        Assert.Null(Standing.Of(Rounds.Case("case", [Rounds.Rates("channel", 1, 1)]), Ours));
    }

    [Fact]
    public void Of_SeveralCases_IsBesideTheOthersAndBesideAMessageAtATime()
    {
        CaseResult[] cases =
        [
            Rounds.Case("a", Rounds.Rates(Ours, 400, 400), Rounds.Rates("raceway/single", 100, 100), Rounds.Rates("channel", 50, 50)),
            Rounds.Case("b", Rounds.Rates(Ours, 400, 400), Rounds.Rates("raceway/single", 100, 100)),
        ];
        Standing[] all = [.. cases.SelectMany(static one => Standing.AllOf(one, Ours))];

        Assert.Equal(
            [("a", "channel", false), ("a", "raceway/single", true), ("b", "raceway/single", true)],
            all.Select(static one => (one.Case, one.Peer, one.IsOurs)));
    }

    [Fact]
    public void Row_IsReadBackAsWritten_AndNoOtherRowIs()
    {
        Standing standing = Standing.Of(Rounds.Case("case", Rounds.Rates(Ours, 400, 410, 420), Rounds.Rates("channel", 100, 100, 100)), Ours)!;

        Assert.Equal(standing with { Ratio = default }, Standing.Parse(standing.ToRow())! with { Ratio = default });
        Assert.Equal(standing.Ratio with { Coverage = 0 }, Standing.Parse(standing.ToRow())!.Ratio with { Coverage = 0 });
        Assert.All(SampleResults.Everything().Rows, static row => Assert.Null(Standing.Parse(row)));
        Assert.Null(Standing.Parse(standing.ToRow() with { Median = null }));
        Assert.Null(Standing.Parse(standing.ToRow() with { Contestant = "one" }));
    }

    [Fact]
    public void Sentence_OneCase_HasTheRatioAndItsInterval()
    {
        Assert.Equal(
            "a: raceway/default is 4.00 times [4.00–4.00] as fast as channel, the best of 2 others.", StandingReport.Sentence([Of("a", 4, peers: 2)]));
        Assert.Equal("a: raceway/default is level with channel (1.00 times [1.00–1.00]).", StandingReport.Sentence([Of("a", 1)]));
        Assert.Equal(
            "a: raceway/default is 4.00 times as fast as channel (1 round: too few to judge), the best of 2 others.",
            StandingReport.Sentence([Of("a", 4, peers: 2, rounds: 1)]));
    }

    [Fact]
    public void Sentence_SomeCasesOfOneRound_ClaimsNothingOfThem()
    {
        Assert.Equal(
            "raceway/default is ahead of the best of the others in 1 of 3 cases, 2.00 times as fast; "
            + "not judged in 2, of too few rounds (b: 1.00 times as fast as channel in 1 round, c: 0.50 times as fast as channel in 1 round).",
            StandingReport.Sentence([Of("a", 2), Of("b", 1, rounds: 1), Of("c", 0.5, rounds: 1)]));
        ReportBars bars = Assert.Single(StandingReport.Of([Of("a", 2).ToRow(), Of("b", 4, rounds: 1).ToRow()]).OfType<ReportBars>());
        Assert.Equal(["4.00 (1 round) channel", "2.00 (2.00–2.00) channel"], bars.Bars.Select(static bar => bar.Text));
    }

    [Fact]
    public void Sentence_SeveralCases_CountsThemAndNamesTheLosses()
    {
        Assert.Equal(
            "raceway/default is ahead of the best of the others in 2 of 4 cases, 2.00 to 40.0 times as fast; level with it in 1 (c); behind it in 1 "
            + "(d: 0.50 times [0.50–0.50] as fast as channel).",
            StandingReport.Sentence([Of("a", 2), Of("b", 40), Of("c", 1), Of("d", 0.5)]));
        Assert.Equal(
            "raceway/default is behind the best of the others in 7 (a: 0.50 times [0.50–0.50] as fast as channel, "
            + string.Join(", ", "bcde".Select(static name => $"{name}: 0.50 times [0.50–0.50] as fast as channel")) + ", and 2 more).",
            StandingReport.Sentence([.. "abcdefg".Select(static name => Of($"{name}", 0.5))]));
    }

    [Fact]
    public void Parts_SeveralCases_HaveAChart_OneHasNone()
    {
        ReportBars bars = Assert.Single(StandingReport.Of([Of("a", 2).ToRow(), Of("b", 40).ToRow()]).OfType<ReportBars>());

        Assert.Equal(["b", "a"], bars.Bars.Select(static bar => bar.Name));
        Assert.Empty(StandingReport.Of([Of("a", 2).ToRow()]).OfType<ReportBars>());
        Assert.Empty(StandingReport.Of(SampleResults.Everything().Rows));
    }

    [Fact]
    public void Parts_CasesWithoutAFigureOfOurs_AreNamed()
    {
        ResultRow Row(string name, string contestant, bool isRight) => SampleResults.Row(name, contestant, "throughput", 1e6) with { Verified = isRight };
        ResultRow[] rows =
        [
            Row("right", Ours, true), Row("right", "channel", true),
            Row("wrong", Ours, false), Row("wrong", "channel", true),
            Row("thrown", Ours, false) with { Median = null }, Row("thrown", "channel", true),
            Row("wrong for all", Ours, false), Row("wrong for all", "channel", false),
            Row("not meant", "channel", true), Of("right", 2).ToRow(),
        ];

        Assert.EndsWith("It has no figure in 2 (wrong, thrown).", StandingReport.Of(rows).OfType<ReportText>().First().Text, StringComparison.Ordinal);
        Assert.DoesNotContain("no figure", StandingReport.Of([rows[0], rows[^1]]).OfType<ReportText>().First().Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Parts_TooManyCases_TheWorstAreInTheChart()
    {
        ReportBars bars = Assert.Single(StandingReport.Of([.. Enumerable.Range(1, 41).Select(static at => Of($"{at}", at).ToRow())]).OfType<ReportBars>());

        Assert.Equal(Enumerable.Range(1, 40).Reverse().Select(static at => $"{at}"), bars.Bars.Select(static bar => bar.Name));
        Assert.Contains("the last 40 of 41", bars.Caption, StringComparison.Ordinal);
    }

    private static Standing Of(string name, double ratio, int peers = 1, int rounds = 3) =>
        new(name, Ours, "channel", peers, new MedianInterval(ratio, ratio, ratio, ratio, ratio, rounds, 0.95));
}
