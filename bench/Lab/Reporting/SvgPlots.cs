using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The plots of a result file: one of lines for a case with curves, one of bars for any other.</summary>
internal static class SvgPlots
{
    /// <summary>The plots of all files, under names that differ.</summary>
    /// <param name="files">The files with the names they go by.</param>
    public static IEnumerable<(string FileName, string Svg)> Of(IReadOnlyList<(string Name, ResultFile Result)> files)
    {
        // On some systems names that differ in capitals only are one file.
        var used = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach ((string name, ResultFile result) in files)
        {
            string before = files.Count > 1 ? Dashed(Path.ChangeExtension(name, null)) + "-" : "";
            foreach ((string fileName, string svg) in Of(result))
            {
                string free = before + fileName;
                for (int number = 2; !used.Add(free); number++) free = $"{before}{Path.ChangeExtension(fileName, null)}-{number}.svg";
                yield return (free, svg);
            }
        }
    }

    /// <summary>The plots, each with the name of its file: suite and case, with dashes for what names cannot have.</summary>
    /// <param name="file">A run, or its summary.</param>
    public static IEnumerable<(string FileName, string Svg)> Of(ResultFile file)
    {
        ResultFile result = SummaryCurves.Restore(file);
        // Percentiles need an axis that widens towards the end, and are many: the page has them.
        ResultCurve[] curves = [.. (result.Curves ?? []).Where(static curve => curve.Kind != CurveKind.Percentiles)];
        foreach (var one in curves.GroupBy(static curve => (curve.Case, curve.Kind, curve.X, curve.Y)))
        {
            string name = one.Select(static curve => curve.Kind).Distinct().Count() == 1 && IsOnlyKind(curves, one.Key.Case)
                ? one.Key.Case
                : $"{one.Key.Case}-{one.Key.Kind}";
            SvgSeries[] swept =
            [
                .. one.Select(static curve => new SvgSeries(
                    curve.Contestant,
                    [.. curve.Points.Where(static point => point.Count >= 2).Select(static point => (point[0], point[1]))])),
            ];
            SvgSeries[] series = [.. swept.Concat(Levels(result, one.Key.Case, one.Key.Kind, swept)).Take(SvgPlot.Looks)];
            yield return (FileNameOf(result, name), SvgPlot.Lines(
                Title(result, one.Key.Case), $"{one.Key.Kind} ({one.Key.X})", one.Key.Y, series));
        }

        foreach (var one in result.Rows
            .Where(row => row.Median is not null && !AimsReport.IsAim(row) && !StandingReport.IsStanding(row) && curves.All(curve => curve.Case != row.Case))
            .GroupBy(static row => row.Case))
        {
            (string metric, string unit) = (one.First().Metric, one.First().Unit);
            foreach (ReportBars bars in BarsReport.Of([.. one], fewest: 1))
                yield return (FileNameOf(result, one.Key), SvgPlot.Bars(Title(result, one.Key), bars, tick => Metrics.Text(metric, unit, tick)));
        }
    }

    // What does not lie along the knob is the same at each of its values: a level that the curves are seen against.
    private static IEnumerable<SvgSeries> Levels(ResultFile result, string name, string knob, SvgSeries[] swept)
    {
        ResultRow[] rows = [.. result.Rows.Where(row => row.Case == name && !AimsReport.IsAim(row) && !StandingReport.IsStanding(row))];
        if (!rows.Any(row => row.Knobs?.ContainsKey(knob) is true)) return [];
        double[] along = [.. swept.SelectMany(static one => one.Points).Select(static point => point.X)];
        return rows.Where(row => row.Metric == rows[0].Metric && row is { Median: not null, Knobs: null })
            .Select(row => new SvgSeries(row.Contestant, [(along.Min(), row.Median!.Value), (along.Max(), row.Median.Value)]));
    }

    private static bool IsOnlyKind(IEnumerable<ResultCurve> curves, string name) =>
        curves.Where(curve => curve.Case == name).Select(static curve => (curve.Kind, curve.X, curve.Y)).Distinct().Count() == 1;

    private static string Title(ResultFile result, string name) => result.Suite == name ? name : $"{result.Suite}: {name}";

    private static string FileNameOf(ResultFile result, string name) =>
        Dashed(result.Suite == name ? name : $"{result.Suite}-{name}") + ".svg";

    private static string Dashed(string name) => string.Concat(name.Select(static c => char.IsAsciiLetterOrDigit(c) ? c : '-'));
}
