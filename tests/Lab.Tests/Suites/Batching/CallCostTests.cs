using Raceway.Lab.Cli;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Suites.Batching;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>What the batching suite makes of its curves: the cost of a call, found at three sizes and judged by the others.</summary>
public sealed class CallCostTests
{
    private static readonly BatchCost s_disk = new(1e-3, 2e-6);

    [Fact]
    public void Of_CurveOfACost_SaysWhatABatchGives()
    {
        CaseFinding found = CallCost.Of(Curve(s_disk.SecondsOf, 1, 4, 16, 64, 256, 1_024), width: 1)!;

        Assert.StartsWith(
            "Cost of a call, found at batches of 1, 16, 1,024: a batch of 16,384 has 97 % of what batching can give here, at +33 ms "
            + "(1 ms a call and 2 µs an item; off by 0 % in the median",
            found.Sentence, StringComparison.Ordinal);
        Assert.Equal([1e6, 2e3, 1, 0, 0], found.Rows.Select(static row => Math.Round(row.Median!.Value, 2)));
        Assert.Equal(
            ["cost-per-call", "cost-per-step", "step-width", "error-median", "error-worst"], found.Rows.Select(static row => row.Metric));
        Assert.All(found.Rows, static row => Assert.Equal(("cost of a call", "disk", true), (row.Case, row.Contestant, row.Verified)));
        ResultCurve curve = Assert.Single(found.Curves);
        Assert.Equal([1, 4, 16, 64, 256, 1_024], curve.Points.Select(static point => point[0]));
        Assert.Equal(64 / s_disk.SecondsOf(64), curve.Points[3][1], 3);
    }

    // Whatever is measured in batches is; the limit is only the most.
    [Fact]
    public void Of_BatchesAreSmallerThanTheirLimit_IsOfTheirMean()
    {
        CaseResult curve = Rounds.Case(
            "disk",
            new[] { 1, 4, 16, 64, 256, 1_024 }.Select(size => Rounds.Batches($"raceway/batch/{size}", Math.Min(size, 100.5), s_disk.SecondsOf(Math.Min(size, 100.5)))));

        Assert.Contains("1 ms a call and 2 µs an item", CallCost.Of(curve, width: 1)!.Sentence, StringComparison.Ordinal);
    }

    // The processors were moved apart for some rounds: of most of them at two sizes, of a few at the others.
    [Fact]
    public void Of_SomeRoundsOnProcessorsFarApart_IsOfTheUsualOnes()
    {
        int[] sizes = [1, 4, 16, 64, 256, 1_024];
        CaseResult curve = Rounds.Case("disk", sizes.Select(size => Rounds.Batches(
            $"raceway/batch/{size}",
            size,
            Enumerable.Range(0, 9).Select(round => round < (size is 16 or 64 ? 5 : 2)
                ? (2 * s_disk.SecondsOf(size), Rounds.FarLine)
                : (s_disk.SecondsOf(size), Rounds.NearLine)))));
        // Which lines are near and which far is told by both being there.
        curve = curve.Among([Rounds.NearLine, Rounds.FarLine]);

        string sentence = CallCost.Of(curve, width: 1)!.Sentence;
        Assert.Contains("1 ms a call and 2 µs an item; off by 0 % in the median and 0 % at the most", sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_CurveOfNoSuchCost_SaysThatItDoesNotFit_AndDrawsNone()
    {
        CaseFinding found = CallCost.Of(Curve(static size => 1e-9 * size * size, 1, 4, 16, 64, 256, 1_024), width: 1)!;

        Assert.StartsWith(
            "Cost of a call, found at batches of 1, 16, 1,024: does not fit: a + b·⌈n/w⌉ is off by ", found.Sentence, StringComparison.Ordinal);
        Assert.Empty(found.Curves);
    }

    [Fact]
    public void Of_WidthOfTheWork_IsWhatItIsFoundBy()
    {
        CaseResult curve = Curve(new BatchCost(1e-7, 8e-7, 8).SecondsOf, 1, 4, 16, 64, 256, 1_024);

        Assert.Contains("100 ns a call and 800 ns for each 8 items", CallCost.Of(curve, width: 8)!.Sentence, StringComparison.Ordinal);
        Assert.Contains("does not fit", CallCost.Of(curve, width: 1)!.Sentence, StringComparison.Ordinal);
    }

    public static TheoryData<int[]> TooFew => [new[] { 1, 64, 1_024 }, new[] { 1, 16, 256 }, new[] { 1, 4, 16, 64 }];

    [Theory]
    [MemberData(nameof(TooFew))]
    public void Of_SizesAreMissing_SaysNothing(int[] sizes) => Assert.Null(CallCost.Of(Curve(s_disk.SecondsOf, sizes), width: 1));

    [Fact]
    public void Of_RoundsThatAreWrongOrNoTime_AreLeftOut()
    {
        ContestantRounds[] good = [.. Curve(s_disk.SecondsOf, 1, 16, 256, 1_024).Contestants];

        Assert.Contains(
            "off by 0 %",
            CallCost.Of(
                Rounds.Case("disk", [.. good, Rounds.Wrong("raceway/batch/64"), Rounds.Absent("raceway/batch/4"), Rounds.Batches("raceway/batch/512", 0, 1)]),
                width: 1)!.Sentence,
            StringComparison.Ordinal);
        Assert.Null(CallCost.Of(Rounds.Case("disk", [.. good[1..], Rounds.Wrong("raceway/batch/1")]), width: 1));
    }

    [Fact]
    public void Run_CaseWithAFinding_HasItsSentenceRowsAndCurve()
    {
        SuiteCase one = BatchingCases.All.First(static one => one.Name == "disk-128") with { Name = "disk" };
        var run = new SuiteRun([(one, Curve(s_disk.SecondsOf, 1, 4, 16, 64, 256, 1_024))]);

        Assert.Contains(run.Tables, static part => part is ReportText { IsResult: true, Text: var text } && text.StartsWith("Cost of a call", StringComparison.Ordinal));
        Assert.Equal(5, run.Rows.Count(static row => row.Case == CallCost.CaseName));
        Assert.True(run.IsRight);
        Assert.Contains(run.Curves!, static curve => curve.Contestant.StartsWith("a + b", StringComparison.Ordinal));
    }

    [Fact]
    public void Cases_AtFullSpeedAlone_SayWhatACallCosts()
    {
        CaseResult curve = Curve(s_disk.SecondsOf, 1, 4, 16, 64, 256, 1_024);

        Assert.NotNull(BatchingCases.All.First(static one => one.Name == "hash").Finding(curve));
        Assert.Null(BatchingCases.All.First(static one => one.Name == "hash at half speed").Finding(curve));
        Assert.Null(BatchingCases.All.First(static one => one.Name == "hash at a fixed rate").Finding(curve));
    }

    private static CaseResult Curve(Func<double, double> seconds, params int[] sizes) => Rounds.Case(
        "disk", [.. sizes.Select(size => Rounds.Batches($"raceway/batch/{size}", size, seconds(size))), Rounds.Rates("raceway/single", 1, 2)]);
}
