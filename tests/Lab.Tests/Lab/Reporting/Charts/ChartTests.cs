using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Reporting;

public sealed class ChartTests
{
    [Fact]
    public void HeatMap_BatchAndWait_MarksTheBestOfEachMetric()
    {
        ReportHeatMap[] maps = [.. HeatMapReport.Of([.. SampleResults.Sweep()])];

        Assert.Equal(2, maps.Length);
        Assert.All(maps, static map => Assert.Equal(["1", "16", "64", "256", "1024"], map.Columns));
        Assert.Equal(("busy-spin", "256"), Best(maps[0]));
        Assert.Equal(("busy-spin", "1"), Best(maps[1]));
        Assert.All(maps, static map =>
            Assert.InRange(map.Rows.SelectMany(static row => row.Cells).Max(static cell => cell!.Shade), 1, 1));
    }

    [Fact]
    public void HeatMap_CellsLeftOut_AreEmptyAndOtherKnobsAreTheBestOfThem()
    {
        ResultRow Row(string batch, string wait, string capacity, double rate) =>
            SampleResults.Row("c", "ours", "throughput", rate, "events/s") with
            {
                Knobs = new Dictionary<string, string> { ["batch"] = batch, ["wait"] = wait, ["capacity"] = capacity },
            };

        ReportHeatMap map = Assert.Single(HeatMapReport.Of(
            [Row("1", "park", "64", 1e6), Row("1", "park", "256", 3e6), Row("16", "spin", "64", 2e6)]));

        Assert.Equal(["park", "spin"], map.Rows.Select(static row => row.Name));
        Assert.Equal(["3.00", null], map.Rows[0].Cells.Select(static cell => cell?.Text));
        Assert.Contains("capacity 256", map.Rows[0].Cells[0]!.Detail, StringComparison.Ordinal);
        Assert.Contains("best of the other settings", map.Caption, StringComparison.Ordinal);
    }

    // A wrong result is no figure.
    [Fact]
    public void WrongResults_AreInNoMapAndOnNoFront()
    {
        ResultRow Row(string batch, string wait, double rate, bool isRight) =>
            SampleResults.Row("c", $"{batch} {wait}", "throughput", rate, "events/s") with
            {
                Verified = isRight,
                Knobs = new Dictionary<string, string> { ["batch"] = batch, ["wait"] = wait },
            };
        ResultRow[] rows = [Row("1", "park", 1e6, true), Row("1", "spin", 2e6, true), Row("16", "park", 3e6, true), Row("16", "spin", 9e6, false)];
        ResultRow[] latencies = [.. rows.Select(static row => row with { Metric = "latency-p99", Unit = "ns", Median = 1e9 / row.Median })];

        ReportHeatMap map = Assert.Single(HeatMapReport.Of(rows));
        ReportChart front = Assert.Single(FrontReport.Of(rows, latencies));

        Assert.Equal(3, map.Rows.Sum(static row => row.Cells.Count(static cell => cell is not null)));
        Assert.True(map.Rows.SelectMany(static row => row.Cells).Single(static cell => cell is { IsBest: true })!.Text == "3.00");
        Assert.Equal(["16 park"], front.Series[0].Labels!);
        Assert.Equal(3, front.Table.Rows.Count);
    }

    [Fact]
    public void HeatMap_OneKnobOrNone_IsNone()
    {
        Assert.Empty(HeatMapReport.Of([SampleResults.Row("c", "a", "throughput", 1, "events/s")]));
        Assert.Empty(HeatMapReport.Of([.. SampleResults.Sweep().Where(static row => row.Knobs!["wait"] == "park")]));
    }

    [Fact]
    public void HeatScale_EveryStep_CanBeRead()
    {
        for (int step = 0; step < HeatScale.Steps; step++)
        {
            ((int, int, int) colour, bool isTextLight) = HeatScale.Of(step);

            Assert.InRange(HeatScale.Contrast(HeatScale.Luminance(colour), isTextLight ? 1 : 0), 4.5, 21);
        }
    }

    [Fact]
    public void Front_RandomFigures_HasTheOnesThatNobodyBeats()
    {
        var random = new Random(5);
        (string Name, double Rate, double Latency)[] all =
            [.. Enumerable.Range(0, 60).Select(at => ($"c{at}", 1e6 + random.Next(40), 100.0 + random.Next(40) + at / 1e3))];
        all = [.. all.Select(static one => one with { Rate = one.Rate * (one.Name == "c0" ? 2 : 1) })];
        string[] expected = [.. all.Where(one => !all.Any(other => other != one
            && other.Rate >= one.Rate && other.Latency <= one.Latency)).Select(static one => one.Name).Order()];

        ReportChart chart = Assert.Single(FrontReport.Of(
            [.. all.SelectMany(static one => new[]
            {
                SampleResults.Row("c", one.Name, "throughput", one.Rate, "events/s"),
                SampleResults.Row("c", one.Name, "latency-p99", one.Latency),
            })],
            []));

        Assert.Equal(expected, chart.Series[0].Labels!.Order());
        Assert.Equal(60 - expected.Length, chart.Series[1].Points.Count);
        Assert.Equal(60, chart.Table.Rows.Count);
    }

    [Fact]
    public void Front_EverybodyAtOneRate_IsNone() => Assert.Empty(FrontReport.Of(
        [.. Enumerable.Range(0, 9).SelectMany(static at => new[]
        {
            SampleResults.Row("c", $"{at}", "throughput", 1e5, "events/s"),
                SampleResults.Row("c", $"{at}", "latency-p99", at + 1),
        })],
        []));

    // What lies between two points of a sweep was not measured. A percentile between two is that of the one before.
    [Fact]
    public void Curves_OfDifferentPlaces_HaveNoFigureWhereNoneWasMeasured()
    {
        ResultCurve[] Curves(string kind, string x) =>
        [
            new() { Case = "c", Contestant = "all", Kind = kind, X = x, Y = "ns", Points = [[50, 1], [90, 2], [99, 3]] },
            new() { Case = "c", Contestant = "two", Kind = kind, X = x, Y = "ns", Points = [[50, 4], [99, 6]] },
        ];

        ResultCurve[] apart = [Curves("batch", "jobs")[0], Curves("batch", "jobs")[1] with { Points = [[60, 4]] }];
        Assert.Equal("2 curves.", Assert.Single(CurvesReport.Of("c", apart)).Summary);
        IReadOnlyList<string> swept = Assert.Single(CurvesReport.Of("c", Curves("batch", "jobs"))).Table.Rows[1];
        Assert.Equal(["4", Figure.None, "6"], swept.Skip(1).Select(static cell => cell.Replace(".00 ns", "", StringComparison.Ordinal)));
        Assert.Equal("4", Assert.Single(CurvesReport.Of("c", Curves(CurveKind.Percentiles, "percentile"))).Table.Rows[1][2].Replace(".00 ns", "", StringComparison.Ordinal));
    }

    [Fact]
    public void Bars_OfAWrongResult_HaveNone()
    {
        ReportBars bars = Assert.Single(BarsReport.Of(
        [
            SampleResults.Row("c", "channel", "throughput", 9e8, "events/s") with { Verified = false },
            SampleResults.Row("c", "raceway/x", "throughput", 3e6, "events/s"), SampleResults.Row("c", "dataflow", "throughput", 2e6, "events/s"),
        ]));

        Assert.Equal(["raceway/x", "dataflow", "channel"], bars.Bars.Select(static bar => bar.Name));
        Assert.Equal((null, "wrong result"), (bars.Bars[2].Value, bars.Bars[2].Text));
    }

    [Fact]
    public void Bars_FiguresFarApart_StandOnALogarithmicLineBestFirst()
    {
        ReportBars bars = Assert.Single(BarsReport.Of(
        [
            SampleResults.Row("c", "slow", "latency-p50", 90_000),
                SampleResults.Row("c", "absent", "latency-p50", null, note: "not built in"),
            SampleResults.Row("c", "fast", "latency-p50", 100), SampleResults.Row("c", "raceway/x", "latency-p50", 3_000),
        ]));

        Assert.True(bars.IsLog);
        Assert.Equal(["fast", "raceway/x", "slow", "absent"], bars.Bars.Select(static bar => bar.Name));
        Assert.Equal("not built in", bars.Bars[3].Text);
        Assert.Equal("100 ns (95.0 ns–105 ns)", bars.Bars[0].Text);
        var scale = BarScale.Of(bars);
        Assert.All(bars.Bars.Where(static bar => bar.Value is not null),
            bar => Assert.InRange(scale.Of(bar.Value!.Value), 0.01, 0.99));
    }

    [Fact]
    public void Timelines_Stages_SayWhichOneHoldsTheOthersUp()
    {
        ReportPart[] parts = [.. TimelinesReport.Of("watched", SampleResults.Everything().Timelines!)];

        Assert.Equal(
            "The stage that works most is hash (95 % of its time); "
                + "parse is mostly blocked (60 %); aggregate is mostly starved (70 %).",
            Assert.Single(parts.OfType<ReportText>()).Text);
        Assert.Equal(3, parts.OfType<ReportChart>().Count());
    }

    [Fact]
    public void Timelines_ManySamples_AreAddedUpToWhatAChartShows()
    {
        ReportChart chart = TimelinesReport.Of("watched", [SampleResults.Timeline("hash", 0.5, 0.25, 0.25, samples: 10_001)])
            .OfType<ReportChart>().Single();

        Assert.All(chart.Series, static one => Assert.InRange(one.Points.Count, 300, 400));
        Assert.All(chart.Series[0].Points, static point => Assert.Equal(0.5, point.Y, 6));
        Assert.Equal(1_000.1, chart.Series[0].Points[^1].X, 6);
    }

    [Fact]
    public void Percentiles_Histogram_EndWhereFewerThanThreeSamplesRemain()
    {
        var histogram = new LatencyHistogram();
        for (int at = 1; at <= 1_000; at++) histogram.Record(at);

        ResultCurve curve = CurveBuilder.Percentiles("c", "a", histogram);

        Assert.Equal([0, 1], curve.Points[0]);
        Assert.Equal(900, curve.Points.Single(static point => point[0] == 90)[1], 8.0);
        Assert.Equal(990, curve.Points.Single(static point => point[0] == 99)[1], 8.0);
        // 3 of 1,000 lie above 99.7 %: the last point is the one before.
        Assert.Equal(99.68, curve.Points[^1][0], 2);
        Assert.Equal(curve.Points.Select(static point => point[0]).Order(), curve.Points.Select(static point => point[0]));
    }

    [Fact]
    public void Curves_OfALatencyCase_AreOfAllRoundsTogether()
    {
        CaseResult result = Rounds.LatencyCase("c", Rounds.Latencies("a", 10, 20, 30, 40), Rounds.Absent("b"));

        ResultCurve curve = Assert.Single(CurveBuilder.Of([result])!);

        Assert.Equal(("c", "a", CurveKind.Percentiles), (curve.Case, curve.Contestant, curve.Kind));
        Assert.Equal(10, curve.Points[0][1]);
        Assert.Null(CurveBuilder.Of([Rounds.Case("rates", Rounds.Rates("a", 1, 2, 3))]));
    }

    [Fact]
    public void Curves_CasesOfOneFamily_AreLatencyAgainstLoad()
    {
        CaseResult[] results =
        [
            Rounds.LatencyCase("high", Rounds.Latencies("a", 500, 700, 900), Rounds.Latencies("only here", 1, 2, 3)),
            Rounds.LatencyCase("low", Rounds.Latencies("a", 100, 110, 120)),
            Rounds.LatencyCase("another", Rounds.Latencies("a", 1, 2, 3)),
        ];

        ResultCurve[] curves = [.. CurveBuilder.Of(results, static name => name switch
        {
            "high" => new OfferedLoad("family", 1e6),
            "low" => new OfferedLoad("family", 1e4),
            _ => null,
        })!.Where(static curve => curve.Kind == CurveKind.LatencyAgainstLoad)];

        Assert.Equal(["ns, p50", "ns, p99"], curves.Select(static curve => curve.Y));
        Assert.All(curves, static curve => Assert.Equal(("family", "a"), (curve.Case, curve.Contestant)));
        Assert.All(curves, static curve => Assert.Equal([[1e4, 110.0], [1e6, 700.0]], curve.Points, Near));
    }

    private static bool Near(IReadOnlyList<double> a, IReadOnlyList<double> b) =>
        a.Zip(b).All(static pair => Math.Abs(pair.First - pair.Second) <= pair.First / 100);

    private static (string Row, string Column) Best(ReportHeatMap map) =>
        map.Rows.SelectMany(row => row.Cells.Index().Where(static cell => cell.Item!.IsBest)
            .Select(cell => (row.Name, map.Columns[cell.Index])))
            .Single();
}
