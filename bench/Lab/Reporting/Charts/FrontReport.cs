using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>Throughput against latency, and which contestants no other one beats in both.</summary>
internal static class FrontReport
{
    private const int Least = 3;

    // Beyond that no reader tells points apart. Those on the front are always there.
    private const int MostBeaten = 300;

    // If items arrive at a given rate, all contestants have the same throughput, and there is nothing to choose.
    private const double SameRate = 1.05;

    private static readonly string[] s_latencies = ["latency-p99", "latency-p50"];

    private static readonly ReportColumn[] s_columns =
    [
        new("contestant", IsFigure: false), new("throughput"), new("latency"), new("beaten by", IsFigure: false),
    ];

    /// <summary>The chart of one case; none without both figures of three contestants.</summary>
    /// <param name="rows">The case's rows.</param>
    /// <param name="loaded">Rows of the same under a load, where the latency was measured in a case of its own.</param>
    public static IEnumerable<ReportChart> Of(IReadOnlyList<ResultRow> rows, IReadOnlyList<ResultRow> loaded)
    {
        foreach (string metric in s_latencies)
        {
            ResultRow[] all = [.. rows, .. loaded];
            var names = new RowNames(all);
            Dictionary<string, ResultRow> latencies = ByName(all, metric, names);
            Dictionary<string, ResultRow> rates = ByName(rows, Metrics.Throughput, names);
            Candidate[] candidates =
            [
                .. rates.Where(rate => latencies.ContainsKey(rate.Key))
                    .Select(rate => new Candidate(rate.Key, rate.Value.Median!.Value, latencies[rate.Key].Median!.Value)),
            ];
            if (candidates.Length >= Least
                && candidates.Max(static one => one.Rate) > SameRate * candidates.Min(static one => one.Rate))
            {
                yield return Chart(rows[0].Case, rates.Values.First().Unit, metric, candidates);
                yield break;
            }
        }
    }

    private static Dictionary<string, ResultRow> ByName(IEnumerable<ResultRow> rows, string metric, RowNames names) => rows
        .Where(row => row.Metric == metric && row is { Verified: true, Median: > 0 and < double.PositiveInfinity })
        .GroupBy(names.Of).ToDictionary(static group => group.Key, static group => group.First());

    private static ReportChart Chart(string name, string unit, string metric, Candidate[] candidates)
    {
        var front = new List<Candidate>();
        var beaten = new List<(Candidate One, Candidate By)>();
        foreach (Candidate one in candidates.OrderByDescending(static one => one.Rate).ThenBy(static one => one.Latency))
        {
            // The one before it on the front is as fast or faster: only a lower latency makes up for that.
            if (front.Count == 0 || one.Latency < front[^1].Latency) front.Add(one);
            else beaten.Add((one, front[^1]));
        }

        Candidate[] others = [.. beaten.Take(MostBeaten).Select(static one => one.One)];
        string left = beaten.Count > MostBeaten ? $"; of the {beaten.Count} others, {MostBeaten} are shown" : "";
        return new ReportChart(
            ChartKind.Points,
            $"{name}: throughput against {metric}; right and low is better{left}",
            $"No other contestant beats these in both figures: {string.Join(", ", front.Take(12).Select(static one => one.Name))}.",
            new ChartAxis("throughput", unit, ScaleOf(candidates.Select(static one => one.Rate))),
            new ChartAxis(metric, "ns", ScaleOf(candidates.Select(static one => one.Latency))),
            [Series("on the front", front), Series("beaten by one of them", others)],
            new ReportTable(
                $"{name}: throughput and {metric}",
                s_columns,
                [
                    .. front.Select(one => Cells(one, unit, "none")),
                    .. beaten.Take(MostBeaten).Select(one => Cells(one.One, unit, one.By.Name)),
                ]))
        {
            IsInTables = true,
        };
    }

    private static string[] Cells(Candidate one, string unit, string beatenBy) =>
        [one.Name, $"{Figure.Plain(one.Rate / 1e6)} M {unit}", Figure.Time(one.Latency), beatenBy];

    private static ChartSeries Series(string name, IEnumerable<Candidate> points)
    {
        Candidate[] sorted = [.. points.OrderBy(static one => one.Rate)];
        return new ChartSeries(
            name, [.. sorted.Select(static one => (one.Rate, one.Latency))], [.. sorted.Select(static one => one.Name)]);
    }

    private static ChartScale ScaleOf(IEnumerable<double> values)
    {
        double[] all = [.. values];
        return all.Max() / all.Min() > 20 ? ChartScale.Log : ChartScale.Linear;
    }

    private sealed record Candidate(string Name, double Rate, double Latency);
}
