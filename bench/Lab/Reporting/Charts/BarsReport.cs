using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The headline figure of every contestant of a case as bars, best first.</summary>
internal static class BarsReport
{
    /// <summary>The most bars; the table has all.</summary>
    public const int Most = 40;

    private const double FarApart = 50;
    private const string Ours = "raceway/";

    /// <summary>The bars of one case; none where there are fewer figures than <paramref name="fewest"/>: by default, nothing to compare.</summary>
    public static IEnumerable<ReportBars> Of(IReadOnlyList<ResultRow> rows, int fewest = 2)
    {
        if (rows.Count == 0)
        {
            yield break;
        }

        (string metric, string unit) = (rows[0].Metric, rows[0].Unit);
        var names = new RowNames(rows);
        ResultRow[] heads = [.. rows.Where(row => row.Metric == metric && row.Unit == unit)];
        ResultRow[] measured = [.. heads.Where(static row => row is { Verified: true, Median: { } value } && double.IsFinite(value))];
        if (measured.Length < fewest)
        {
            yield break;
        }

        // One wide interval would press all other bars against the start, as one large figure would.
        double least = measured.Min(static row => row.Median!.Value);
        double most = measured.Max(static row => Math.Max(row.Median!.Value, row.High ?? row.Median.Value));
        ResultRow[] sorted =
        [
            .. Metrics.IsHigherBetter(metric)
                ? measured.OrderByDescending(static row => row.Median)
                : measured.OrderBy(static row => row.Median),
            .. heads.Except(measured),
        ];
        string left = sorted.Length > Most ? $", the first {Most} of {sorted.Length}" : "";
        string better = Metrics.IsHigherBetter(metric) ? "more" : "less";
        string heading =
            metric == Metrics.Throughput ? Metrics.Heading(metric, unit) : unit == "ns" ? metric : Metrics.Heading(metric, unit);
        bool isLog = least > 0 && most / least > FarApart;
        string along = $"{heading} with the 95 % interval; {better} is better{left}{(isLog ? "; logarithmic" : "")}";
        yield return new ReportBars($"{rows[0].Case}: {along}", isLog, [.. sorted.Take(Most).Select(row => Bar(row, names.Of(row)))]) { Along = along };
    }

    private static ReportBar Bar(ResultRow row, string name)
    {
        bool isOurs = row.Contestant.StartsWith(Ours, StringComparison.Ordinal);
        if (row.Median is not { } median)
        {
            return new ReportBar(name, null, 0, 0, row.Note ?? "not measured", isOurs);
        }

        if (!row.Verified) return new ReportBar(name, null, 0, 0, "wrong result", isOurs);

        double low = row.Low ?? median, high = row.High ?? median;
        string Text(double value) => Metrics.Text(row.Metric, row.Unit, value);
        string interval = row.Rounds > 1 ? $" ({Text(low)}–{Text(high)})" : "";
        return new ReportBar(name, median, low, high, $"{Text(median)}{interval}", isOurs);
    }
}
