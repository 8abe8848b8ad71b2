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

    // The bare machine, ours, what was wrong and what is not there are no peers.
    [Fact]
    public void Of_NoPeers_IsNone()
    {
        ContestantRounds[] others =
        [
            Rounds.Rates("raw", 900, 900), Rounds.Rates("hammer", 900, 900), Rounds.Rates("payload", 900, 900),
            Rounds.Rates("by-hand/64", 900, 900), Rounds.Rates("one-thread-batched", 900, 900),
            Rounds.Rates("raceway/fused", 900, 900), Rounds.Wrong("channel"), Rounds.Absent("disruptor-net/yielding"),
        ];

        Assert.Null(Standing.Of(Rounds.Case("case", [Rounds.Rates(Ours, 400, 400), .. others]), Ours));
        Assert.Null(Standing.Of(Rounds.Case("case", [Rounds.Wrong(Ours), Rounds.Rates("channel", 1, 1)]), Ours));
        Assert.Null(Standing.Of(Rounds.Case("case", [Rounds.Rates("channel", 1, 1)]), Ours));
    }

    [Fact]
    public void Of_SeveralCases_IsBesideTheOthersAndBesideAMessageAtATime()
    {
        IReadOnlyList<Standing> all = Standing.Of(
        [
            Rounds.Case("a", Rounds.Rates(Ours, 400, 400), Rounds.Rates("raceway/single", 100, 100), Rounds.Rates("channel", 50, 50)),
            Rounds.Case("b", Rounds.Rates(Ours, 400, 400), Rounds.Rates("raceway/single", 100, 100)),
        ]);

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

    private static Standing Of(string name, double ratio, int peers = 1) =>
        new(name, Ours, "channel", peers, new MedianInterval(ratio, ratio, ratio, ratio, ratio, 3, 0.95));
}
