using Raceway.Analysis.SharingStudy;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Analysis.SharingStudy;

public sealed class SharingFindingsTests
{
    private const string Wait = "wait";

    [Theory]
    [InlineData(32, 64)]
    [InlineData(64, 128)]
    [InlineData(128, 192)]
    public void LineBytes_SharedUpTo_IsTheNextDistance(int shared, int expected) =>
        Assert.Equal(expected, new SharingFindings([Counters(stride => stride <= shared ? 16 : 5)]).LineBytes);

    [Fact]
    public void LineBytes_NothingShared_IsNotTold()
    {
        var findings = new SharingFindings([Counters(static _ => 5)]);

        Assert.Null(findings.LineBytes);
        Assert.Null(findings.PairsMove);
        Assert.DoesNotContain(SharingCases.Strides, findings.IsShared);
    }

    [Fact]
    public void IsShared_PaddedCells_IsNoAlarm()
    {
        var findings = new SharingFindings([Counters(static stride => stride < 64 ? 16 : 5)]);

        Assert.Equal([0, 8, 16, 32], SharingCases.Strides.Where(findings.IsShared));
    }

    [Fact]
    public void IsShared_AFewSlowRounds_AreNoAlarm()
    {
        double[] disturbed = [5, 5, 16, 5, 16, 16, 5, 5];
        CaseResult result = Measured.Case(
            SharingCases.Locked, MetricKind.Overhead,
            (SharingCases.NameOf(2, 128), disturbed), (SharingCases.NameOf(2, SharingCases.Farthest), Measured.Around(5)));

        Assert.False(new SharingFindings([result]).IsShared(128));
    }

    [Fact]
    public void Report_NearAndFarRounds_AreToldApartWhereThereAreEnough()
    {
        const double near = LineRoundTrip.NearBelow - 50, far = LineRoundTrip.NearBelow + 300;
        CaseResult locked = Measured.Lined(
            SharingCases.Locked,
            [near, near, near, far, far, far, far],
            ("two-threads/8", [10, 10, 10, 60, 60, 60, 60]), ("two-threads/128", [5, 5, 5, 6, 6, 6, 6]),
            ("two-threads/192", [5, 5, 5, 6, 6, 6, 6]));
        CaseResult read = Measured.Lined(
            SharingCases.Read, [near, near, far, far, far], ("two-threads/8", [4, 4, 9, 9, 9]), ("two-threads/192", [2, 2, 3, 3, 3]));

        var factors = (ReportTable)SharingReport.Tables(new SharingFindings([locked, read])).First();

        Assert.Equal(
            [
                "counters/locked all 10.0 1.00 7", "counters/locked near 2.00 1.00 3", "counters/locked far 10.0 1.00 4",
                "counters/read all 3.00 - 5", "counters/read far 3.00 - 3",
            ],
            factors.Rows.Select(static row => $"{row[0]} {row[1]} {row[2]} {row[4]} {row[6]}"));
    }

    [Theory]
    [InlineData(5, false)]
    [InlineData(6.5, true)]
    public void PairsMove_LineApart_IsToldByItsCost(double nanoseconds, bool expected) => Assert.Equal(
        expected,
        new SharingFindings([Counters(stride => stride < 64 ? 16 : stride == 64 ? nanoseconds : 5)]).PairsMove);

    [Theory]
    [InlineData(110, 110, 110, 110, Prefetch.Both)]
    [InlineData(110, 110, 200, 200, Prefetch.Pair)]
    [InlineData(110, 200, 110, 200, Prefetch.Next)]
    [InlineData(200, 200, 200, 200, Prefetch.None)]
    public void Prefetched_LinesThatComeAlong_AreNamed(
        double pairUp, double pairDown, double up, double down, Prefetch expected) =>
        Assert.Equal(expected, new SharingFindings([Walks(pairUp, pairDown, up, down, far: 200)]).Prefetched);

    [Theory]
    [InlineData(155, 200)]
    [InlineData(110, 100)]
    public void Prefetched_FiguresBetween_TellNothing(double second, double far) =>
        Assert.Null(new SharingFindings([Walks(second, second, second, second, far)]).Prefetched);

    [Fact]
    public void Choices_NothingClearlyFaster_IsTheDefault()
    {
        LayoutChoice choice = Choice(("raceway/slots-64", Measured.Around(0.97), "park"));

        Assert.Equal("raceway/default", choice.Chosen);
        Assert.Null(choice.Gain);
        Assert.InRange(choice.Packed!.Value.Median, 1.4, 1.6);
    }

    [Fact]
    public void Choices_ClearlyFaster_IsTakenWithItsGain()
    {
        LayoutChoice choice = Choice(("raceway/slots-64", Measured.Around(0.5), "park"));

        Assert.Equal("raceway/slots-64", choice.Chosen);
        Assert.InRange(choice.Gain!.Value.Low, 1.9, 2);
    }

    [Fact]
    public void Choices_FasterByWaitingOtherwise_IsNoQuestionOfLayout() =>
        Assert.Equal("raceway/default", Choice(("raceway/busy-spin", Measured.Around(0.5), "busy-spin")).Chosen);

    private static LayoutChoice Choice((string Name, double[] Nanoseconds, string Wait) other) =>
        new SharingFindings([Measured.Case(
            "padding/1p-1c", MetricKind.Throughput,
            ("raceway/default", Measured.Around(1), Waiting("park")),
            ("raceway/none", Measured.Around(1.5), Waiting("park")),
            (other.Name, other.Nanoseconds, Waiting(other.Wait)))]).Choices[0];

    private static Dictionary<string, string> Waiting(string wait) => new() { [Wait] = wait };

    private static CaseResult Counters(Func<int, double> nanoseconds) => Measured.Case(
        SharingCases.Locked, MetricKind.Overhead,
        SharingCases.Strides.Select(stride => (SharingCases.NameOf(2, stride), Measured.Around(nanoseconds(stride)))));

    private static CaseResult Walks(double pairUp, double pairDown, double up, double down, double far) => Measured.Case(
        SharingCases.Prefetch, MetricKind.Overhead,
        (PrefetchContestant.OneLine, Measured.Around(100)), (PrefetchContestant.FarLine, Measured.Around(far)),
        (PrefetchContestant.PairUp, Measured.Around(pairUp)), (PrefetchContestant.PairDown, Measured.Around(pairDown)),
        (PrefetchContestant.NeighbourUp, Measured.Around(up)), (PrefetchContestant.NeighbourDown, Measured.Around(down)));
}
