using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The curves of a case: one chart for all contestants of a kind.</summary>
internal static class CurvesReport
{
    /// <summary>The most curves of a chart: more cannot be told apart.</summary>
    public const int Most = 24;

    private const string Percentile = "percentile";
    private const int MostColumns = 24;
    private const double FarApart = 20;
    private static readonly double[] s_nines = [0, 90, 99, 99.9, 99.99, 99.999, 99.9999];

    /// <summary>The charts.</summary>
    public static IEnumerable<ReportChart> Of(string name, IEnumerable<ResultCurve> curves) => curves
        .Where(static curve => curve.Points.Count > 0)
        .GroupBy(static curve => (curve.Kind, curve.X, curve.Y))
        .Select(group => Chart(name, group.Key.Kind, group.Key.X, group.Key.Y, [.. group]));

    private static ReportChart Chart(string name, string kind, string x, string y, ResultCurve[] curves)
    {
        ResultCurve[] shown = [.. curves.Take(Most)];
        double[] xs = [.. shown.SelectMany(static curve => curve.Points).Select(static point => point[0]).Distinct().Order()];
        ChartScale along = kind switch
        {
            CurveKind.Percentiles => ChartScale.Percentile,
            CurveKind.Stride => ChartScale.Ordinal,
            _ => ScaleOf(xs),
        };
        ChartScale up = ScaleOf(shown.SelectMany(static curve => curve.Points).Select(static point => point[1]));
        ChartSeries[] series =
        [
            .. shown.Select(curve => new ChartSeries(
                curve.Contestant,
                [.. curve.Points.Where(point => along != ChartScale.Percentile || point[0] is >= 0 and < 100)
                    .Select(static point => (point[0], point[1])).OrderBy(static point => point.Item1)])),
        ];
        string title = kind switch
        {
            CurveKind.Percentiles => "latency by percentile",
            CurveKind.LatencyAgainstLoad => $"latency ({y}) against the load offered",
            CurveKind.Stride => $"cost by stride ({y})",
            _ => $"{kind}: {y} by {x}",
        };
        string left = curves.Length > Most ? $"; the first {Most} of {curves.Length}" : "";
        double[] columns = kind == CurveKind.Percentiles
            ? [.. s_nines.Where(nine => xs[^1] >= nine - Tolerance(nine))]
            : Thinned(xs);
        string[] headers = [.. columns.Select(at => kind == CurveKind.Percentiles ? $"{at} %" : AxisText(at, x))];
        return new ReportChart(
            ChartKind.Lines,
            $"{name}: {title}{left}",
            Summary(series, kind == CurveKind.Percentiles ? columns.LastOrDefault(static at => at <= 99) :
                FarthestApart(series, columns), x, y),
            new ChartAxis(x, x == Percentile ? "%" : x, along),
            new ChartAxis(kind == CurveKind.Percentiles ? "latency" : y, y, up),
            series,
            new ReportTable(
                $"{name}: {title}, {y}",
                [new ReportColumn("contestant", IsFigure: false), .. headers.Select(static header => new ReportColumn(header))],
                [.. series.Select(one => (string[])[one.Name, .. columns.Select(at => Text(ValueAt(one, at, isStep: kind == CurveKind.Percentiles), y))])]))
        {
            IsInTables = kind == CurveKind.Percentiles,
        };
    }

    private static string Summary(ChartSeries[] series, double at, string x, string y)
    {
        (string Name, double Value)[] values =
        [
            .. series.Select(one => (one.Name, ValueAt(one, at, isStep: x == Percentile))).Where(static one => one.Item2 is not null)
                .Select(static one => (one.Name, one.Item2!.Value)).OrderBy(static one => one.Value),
        ];
        string place = x == Percentile ? $"at {at} %" : $"at {AxisText(at, x)}";
        return values switch
        {
            [] => $"{series.Length} curves.",
            [_] when series.Length > 1 => $"{series.Length} curves.",
            [var only] => $"One curve: {only.Name}, {Text(only.Value, y)} {place}.",
            [var low, .., var high] => $"{series.Length} curves; lowest {place} is {low.Name} with {Text(low.Value, y)}, "
                + $"highest {high.Name} with {Text(high.Value, y)}.",
        };
    }

    // Where the curves differ most there is most to say of them.
    private static double FarthestApart(ChartSeries[] series, double[] xs) => xs.MaxBy(at =>
    {
        double[] values = [.. series.Select(one => ValueAt(one, at, isStep: false)).OfType<double>()];
        return values.Length == 0 ? 0 : values.Max() / Math.Max(values.Min(), double.Epsilon);
    });

    // A latency by percentile is a step: between two points it is that of the one before. Any other curve was measured at its points alone.
    private static double? ValueAt(ChartSeries one, double at, bool isStep)
    {
        double slack = Tolerance(at);
        return one.Points.Count == 0 || one.Points[^1].X < at - slack || one.Points[0].X > at + slack
            || one.Points.Last(point => point.X <= at + slack) is var last && !isStep && last.X < at - slack
            ? null
            : last.Y;
    }

    private static double Tolerance(double at) => 1e-6 * Math.Max(1e-2, Math.Abs(at));

    private static double[] Thinned(double[] xs)
    {
        int step = (xs.Length + MostColumns - 1) / MostColumns;
        return [.. xs.Where((_, at) => at % step == 0)];
    }

    private static string AxisText(double at, string unit) =>
        unit.EndsWith("/s", StringComparison.Ordinal) && at >= 1e6
            ? $"{Figure.Plain(at / 1e6)} M {unit}"
            : $"{Figure.Plain(at)} {unit}";

    private static string Text(double? value, string unit) => value is not { } known ? Figure.None
        : unit == "ns" || unit.StartsWith("ns,", StringComparison.Ordinal) ? Figure.Time(known)
        : Figure.Plain(known);

    private static ChartScale ScaleOf(IEnumerable<double> values)
    {
        (double least, double most) = (double.MaxValue, double.MinValue);
        foreach (double value in values) (least, most) = (Math.Min(least, value), Math.Max(most, value));
        return least > 0 && most / least > FarApart ? ChartScale.Log : ChartScale.Linear;
    }
}
