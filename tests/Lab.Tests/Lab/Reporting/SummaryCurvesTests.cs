using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Reporting;

/// <summary>The plots of a summary are those of its run, as far as its rows say.</summary>
public sealed class SummaryCurvesTests
{
    [Fact]
    public void Of_SummaryOfTheBatchingSuite_HasTheCurvesOfItsRows()
    {
        ResultFile summary = Summary(
            ("parse", "raceway/batch/1"), ("parse", "raceway/batch/64"), ("parse", "by-hand/1"), ("parse", "by-hand/64"), ("parse", "channel"),
            ("cost of a call", "parse"));

        ResultCurve[] curves = [.. SummaryCurves.Restore(summary).Curves!];
        (string FileName, string Svg)[] plots = [.. SvgPlots.Of(summary)];

        Assert.Equal([("parse", "raceway/batch"), ("parse", "by-hand")], curves.Select(static one => (one.Case, one.Contestant)));
        Assert.All(curves, static one => Assert.Equal([1.0, 64.0], one.Points.Select(static point => point[0])));
        Assert.Equal(["batching-parse.svg", "batching-cost-of-a-call.svg"], plots.Select(static one => one.FileName));
        Assert.Contains("channel", plots[0].Svg, StringComparison.Ordinal);
    }

    [Fact]
    public void Restore_FileWithCurvesOrOfNoSuite_IsAsItWas()
    {
        ResultFile summary = Summary(("parse", "raceway/batch/1"), ("parse", "raceway/batch/64"));

        Assert.Empty(SummaryCurves.Restore(summary with { Curves = [] }).Curves!);
        Assert.Null(SummaryCurves.Restore(summary with { Suite = "main-job" }).Curves);
    }

    private static ResultFile Summary(params (string Case, string Contestant)[] rows) => SampleResults.Everything() with
    {
        Suite = "batching",
        Curves = null,
        Rows = [.. rows.Select(static (row, i) => SampleResults.Row(row.Case, row.Contestant, "throughput", 1e6 * (i + 1), "events/s"))],
    };
}
