using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

public sealed class AimTests
{
    private static readonly double[] s_six = [1, 1, 1, 1, 1, 1];

    private static readonly Aim s_fourTimes = new()
    {
        Number = "1a", Text = "one to one", Case = "case", Ours = "ours", Peers = ["peer/*"], Bound = 4,
    };

    private static readonly Aim s_atMostTwice = s_fourTimes with { Metric = "latency-p50", Bound = 2 };

    [Theory]
    [InlineData(400, AimVerdict.Holds)]
    [InlineData(399, AimVerdict.DoesNotHold)]
    [InlineData(401, AimVerdict.Holds)]
    public void Of_RatioAroundTheBound_HoldsFromTheBoundOn(double ours, AimVerdict verdict)
    {
        AimResult result = Check(
            s_fourTimes, Rounds.Rates("ours", s_six.Select(one => one * ours)), Rounds.Rates("peer/a", s_six.Select(one => one * 100)));

        Assert.Equal(verdict, result.Verdict);
        Assert.Equal(ours / 100, result.Figure!.Value.Median);
    }

    [Fact]
    public void Of_MedianAboveButIntervalBelow_DoesNotHold()
    {
        // Of six rounds the interval is the smallest and the largest: one bad round is enough.
        AimResult result = Check(
            s_fourTimes, Rounds.Rates("ours", 500, 500, 500, 500, 500, 390), Rounds.Rates("peer/a", s_six.Select(one => one * 100)));

        Assert.Equal(5, result.Figure!.Value.Median);
        Assert.Equal(3.9, result.Figure!.Value.Low);
        Assert.Equal(AimVerdict.DoesNotHold, result.Verdict);
    }

    [Fact]
    public void Of_RoundsThatMoveTogether_AreComparedRoundByRound()
    {
        AimResult result = Check(
            s_fourTimes, Rounds.Rates("ours", 400, 4_000, 40), Rounds.Rates("peer/a", 100, 1_000, 10));

        Assert.Equal((4, 4, 4), (result.Figure!.Value.Low, result.Figure!.Value.Median, result.Figure!.Value.High));
        Assert.Equal(AimVerdict.Holds, result.Verdict);
    }

    [Fact]
    public void Of_SeveralPeers_TakesTheOneWithTheBestMedianAndNamesIt()
    {
        AimResult result = Check(
            s_fourTimes,
            Rounds.Rates("peer/a", 100, 100, 900),
            Rounds.Rates("ours", 1_000, 1_000, 1_000),
            Rounds.Rates("peer/b", 200, 200, 10),
            Rounds.Rates("peerless", 9_000, 9_000, 9_000),
            Rounds.Absent("peer/c"));

        Assert.Equal("peer/b", result.Peer);
        Assert.Equal(5, result.Figure!.Value.Median);
        Assert.Equal("ours over peer/b", result.ToRow().Contestant);
        Assert.Equal("aim 1a: at least 4, holds; one to one, best of 2 peers", result.ToRow().Note);
    }

    [Theory]
    [InlineData(200, AimVerdict.Holds)]
    [InlineData(201, AimVerdict.DoesNotHold)]
    public void Of_LowerIsBetter_HoldsUpToTheBound(long ours, AimVerdict verdict)
    {
        AimResult result = Assert.Single(AimCheck.Of(
            [s_atMostTwice],
            [Rounds.LatencyCase(
                "case", Rounds.Latencies("ours", 10, ours, ours), Rounds.Latencies("peer/slow", 800, 800, 800),
                Rounds.Latencies("peer/fast", 100, 100, 100))]));

        Assert.Equal("peer/fast", result.Peer);
        Assert.Equal(verdict, result.Verdict);
        Assert.StartsWith("aim 1a: latency-p50 at most 2, ", result.ToRow().Note, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(2.0, AimVerdict.Holds)]
    [InlineData(1.9, AimVerdict.DoesNotHold)]
    public void Of_MoreOfACount_HoldsFromTheBoundOn(double ours, AimVerdict verdict)
    {
        Aim aim = s_atMostTwice with { Peers = ["peer"], Metric = "ratio", MoreIsBetter = true };

        AimResult result = Check(aim, Rounds.Counting("ours", "ratio", ours, ours), Rounds.Counting("peer", "ratio", 1, 1));

        Assert.Equal(verdict, result.Verdict);
        Assert.StartsWith("aim 1a: ratio at least 2, ", result.ToRow().Note, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("peer/*", "peer/a")]
    [InlineData("peer/**", "peer/form/a")]
    [InlineData("peer/form/*", "peer/form/a")]
    [InlineData("peer/a", "peer/a")]
    public void Of_NamesOfPeers_MeanOneLevelOrAll(string names, string best)
    {
        AimResult result = Check(
            s_fourTimes with { Peers = [names] },
            Rounds.Rates("ours", 9, 9), Rounds.Rates("peer/form/a", 2, 2), Rounds.Rates("peer/a", 1, 1));

        Assert.Equal(best, result.Peer);
    }

    [Fact]
    public void Of_NobodyOfThatName_IsNotMeasuredAndSaysWho()
    {
        AimResult result = Check(s_fourTimes, Rounds.Rates("peer/a", 1, 1));

        Assert.Equal((AimVerdict.NotMeasured, "ours is not there"), (result.Verdict, result.Reason));
        ResultRow row = result.ToRow();
        Assert.Null(row.Median);
        Assert.False(row.Verified);
        Assert.Equal("ours over the best of peer/*", row.Contestant);
        Assert.Equal("aim 1a: at least 4, not measured (ours is not there); one to one", row.Note);
    }

    [Fact]
    public void Of_NoPeerBuiltIn_IsNotMeasured()
    {
        AimResult result = Check(s_fourTimes, Rounds.Rates("ours", 1, 1), Rounds.Absent("peer/a"));

        Assert.Equal((AimVerdict.NotMeasured, "peer/*: not built in"), (result.Verdict, result.Reason));
    }

    [Fact]
    public void Of_WrongResult_ProvesNothing()
    {
        AimResult result = Check(s_fourTimes, Rounds.Rates("ours", 1, 1), Rounds.Wrong("peer/a"));

        Assert.Equal((AimVerdict.NotMeasured, "peer/*: wrong result"), (result.Verdict, result.Reason));
    }

    [Fact]
    public void Of_OneOfOursThatAreMeantFails_IsNotMetByTheOthers()
    {
        Aim aim = s_fourTimes with { Ours = "ours/*" };

        AimResult result = Check(aim, Rounds.Rates("ours/a", 9, 9), Rounds.Wrong("ours/b"), Rounds.Rates("peer/a", 1, 1));

        Assert.Equal((AimVerdict.NotMeasured, "ours/b: wrong result"), (result.Verdict, result.Reason));
        Assert.Equal(
            "ours/b: not built in", Check(aim, Rounds.Rates("ours/a", 9, 9), Rounds.Absent("ours/b"), Rounds.Rates("peer/a", 1, 1)).Reason);
    }

    [Fact]
    public void Of_LatencyAskedOfAThroughputCase_IsNotMeasured()
    {
        AimResult result = Check(s_atMostTwice, Rounds.Rates("ours", 1, 1), Rounds.Rates("peer/a", 1, 1));

        Assert.Equal((AimVerdict.NotMeasured, "ours: no latency-p50"), (result.Verdict, result.Reason));
    }

    [Fact]
    public void Of_CaseNotRun_SaysNothingAboutTheClaim() =>
        Assert.Empty(AimCheck.Of([s_fourTimes], [Rounds.Case("another", Rounds.Rates("ours", 1))]));

    [Fact]
    public void Of_TwoCases_PairsRoundsByIndex()
    {
        Aim aim = s_fourTimes with { PeerCase = "other" };
        CaseResult ours = Rounds.Case("case", Rounds.Rates("ours", 800, 400), Rounds.Rates("peer/a", 1, 1));
        CaseResult other = Rounds.Case("other", Rounds.Rates("peer/a", 200, 100));

        AimResult both = Assert.Single(AimCheck.Of([aim], [ours, other]));
        AimResult one = Assert.Single(AimCheck.Of([aim], [ours]));

        Assert.Equal((4, 4), (both.Figure!.Value.Low, both.Figure!.Value.High));
        Assert.Equal("ours over peer/a of other", both.ToRow().Contestant);
        Assert.EndsWith("rounds paired by index", both.ToRow().Note, StringComparison.Ordinal);
        Assert.Equal("other was not run", one.Reason);
    }

    [Fact]
    public void Of_NearAndFarRounds_AnswersForEachApart()
    {
        double[] lines = [Rounds.FarLine, Rounds.FarLine, Rounds.FarLine, Rounds.NearLine, Rounds.NearLine, Rounds.NearLine];
        CaseResult result = Rounds.Case(
            "case",
            Rounds.Rates("ours", lines.Select(line => (line == Rounds.NearLine ? 300.0 : 500.0, line))),
            Rounds.Rates("peer/a", lines.Select(line => (100.0, line))));

        IReadOnlyList<AimResult> answers = AimCheck.Of([s_fourTimes], [result]);

        Assert.Equal(
            [
                (null, AimVerdict.DoesNotHold, 6), (LineClass.Near, AimVerdict.DoesNotHold, 3),
                (LineClass.Far, AimVerdict.Holds, 3),
            ],
            answers.Select(one => (one.Line, one.Verdict, one.Figure!.Value.Rounds)));
        Assert.Equal("aim 1a on far lines: at least 4, holds; one to one", answers[2].ToRow().Note);
    }

    [Fact]
    public void Of_TwoNearRoundsOnly_AnswersOverAllRoundsOnly()
    {
        double[] lines = [Rounds.FarLine, Rounds.FarLine, Rounds.FarLine, Rounds.NearLine, Rounds.NearLine];
        CaseResult result = Rounds.Case(
            "case",
            Rounds.Rates("ours", lines.Select(line => (500.0, line))),
            Rounds.Rates("peer/a", lines.Select(line => (100.0, line))));

        Assert.Null(Assert.Single(AimCheck.Of([s_fourTimes], [result])).Line);
    }

    [Fact]
    public void Of_BoundOnEachOfOurs_TakesTheWorstAndNamesIt()
    {
        var aim = new Aim { Number = "7", Text = "allocation", Ours = "ours/*", Metric = "allocated", Bound = 0.01 };
        CaseResult good = Rounds.Case(
            "good", Rounds.Allocating("ours/a", 10, 10), Rounds.Allocating("ours/b", 0, 0), Rounds.Allocating("peer", 99, 99));
        CaseResult bad = Rounds.Case("bad", Rounds.Allocating("ours/a", 0, 0), Rounds.Allocating("ours/b", 5, 11));

        IReadOnlyList<AimResult> answers =
            AimCheck.Of([aim], [good, Rounds.LatencyCase("latency", Rounds.Latencies("ours/a", 1)), bad]);

        Assert.Equal(
            [("good", "ours/a", AimVerdict.Holds), ("bad", "ours/b", AimVerdict.DoesNotHold)],
            answers.Select(one => (one.Case, one.Ours, one.Verdict)));
        ResultRow row = answers[0].ToRow();
        Assert.Equal(("ours/*", "allocated", "B/event", 0.01), (row.Contestant, row.Metric, row.Unit, row.Median));
        Assert.Equal("aim 7: allocated at most 0.01, holds; allocation, most: ours/a", row.Note);
    }

    [Fact]
    public void Of_RoundsTooShort_AreNotJudged()
    {
        var aim = new Aim
        {
            Number = "7", Text = "allocation", Ours = "ours/*", Metric = "allocated", Bound = 0.01, LeastOperations = 1_000,
        };
        ContestantRounds shortOnes = Rounds.Allocating("ours/b", note: null, operations: 999, 50, 50);
        CaseResult mixed = Rounds.Case("mixed", Rounds.Allocating("ours/a", 3, 5), shortOnes);
        CaseResult shortOnly = Rounds.Case("short", shortOnes);

        IReadOnlyList<AimResult> answers = AimCheck.Of([aim], [mixed, shortOnly]);

        Assert.Equal([AimVerdict.Holds, AimVerdict.NotMeasured], answers.Select(static one => one.Verdict));
        Assert.Equal(0.005, answers[0].Figure!.Value.High);
        Assert.Equal(
            "aim 7: allocated at most 0.01, holds; allocation, most: ours/a, 1 of ours without a round of 1,000 events or more",
            answers[0].ToRow().Note);
        Assert.Equal("no round of 1,000 events or more", answers[1].Reason);
    }

    [Fact]
    public void Of_BoundOnOurs_SaysWhatIsToBeKnownOfTheWorst()
    {
        var aim = new Aim { Number = "7", Text = "allocation", Ours = "ours/*", Metric = "allocated", Bound = 0.01 };
        ContestantRounds ours = Rounds.Allocating("ours/a", note: "after a first lap", operations: 1_000, 3, 5);

        AimResult result = Assert.Single(AimCheck.Of([aim], [Rounds.Case("case", ours)]));

        Assert.Equal(
            "aim 7: allocated at most 0.01, holds; allocation, most: ours/a, after a first lap", result.ToRow().Note);
    }

    // "1.01 ns" would be a time.
    [Fact]
    public void ToRow_BoundOnACount_HasTheUnitOfTheCount()
    {
        var aim = new Aim { Number = "1", Text = "beside what costs nothing", Ours = "ours", Metric = "to-ideal", Bound = 2 };
        ContestantRounds counting = Rounds.Counting("ours", "to-ideal", 1.01, 1.02);

        Assert.Equal("count", Assert.Single(AimCheck.Of([aim], [Rounds.Case("case", counting)])).ToRow().Unit);
        Assert.Equal("x", new AimResult(aim, "case") { Unit = "ratio" }.ToRow().Unit);
        Assert.Equal("B/event", Assert.Single(AimCheck.Of([aim with { Metric = Figures.Allocated }], [Rounds.Case("case", counting)])).ToRow().Unit);
    }

    [Fact]
    public void ToRow_Measured_HasTheRatioAndItsInterval()
    {
        ResultRow row = Check(s_fourTimes, Rounds.Rates("ours", 300, 400, 800), Rounds.Rates("peer/a", 100, 100, 100)).ToRow();

        Assert.Equal(("case", "ratio", "x", 3, true), (row.Case, row.Metric, row.Unit, row.Rounds, row.Verified));
        Assert.Equal((4, 3, 8, 3, 8), (row.Median, row.Low, row.High, row.Min, row.Max));
        Assert.Equal("aim 1a: at least 4, does not hold; one to one", row.Note);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("line 312 ns, far")]
    [InlineData("aim")]
    public void Parse_AnotherNote_IsNoAim(string? note) => Assert.Null(AimNote.Parse(note));

    private static AimResult Check(Aim aim, params ContestantRounds[] contestants) =>
        Assert.Single(AimCheck.Of([aim], [Rounds.Case("case", contestants)]));
}
