using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>Figures over two of the knobs that were varied: batch × wait where these were, otherwise the next two.</summary>
internal static class HeatMapReport
{
    // A reader cannot take in a larger map.
    private const int MostValues = 32;
    private const double FarApart = 20;

    private static readonly string[] s_knobs =
        ["batch", "wait", "capacity", "dispatch", "plan", "padding", "placement", "stride", "threads"];

    private static readonly string[] s_metrics =
        [Metrics.Throughput, "latency-p99", "latency-p50", "cpu-share", "time", Metrics.Overhead];

    /// <summary>A map for each metric of the case's rows that readers choose by.</summary>
    public static IEnumerable<ReportHeatMap> Of(IReadOnlyList<ResultRow> rows)
    {
        ResultRow[] varied =
            [.. rows.Where(static row => row is { Verified: true, Knobs.Count: > 0, Median: { } value } && double.IsFinite(value))];
        (string Name, string[] Values)[] knobs =
        [
            .. varied.SelectMany(static row => row.Knobs!).GroupBy(static knob => knob.Key, static knob => knob.Value)
                .Select(static group => (group.Key, group.Distinct().Order(KnobOrder.Instance).ToArray()))
                .Where(static knob => knob.Item2.Length is > 1 and <= MostValues)
                .OrderBy(static knob => Array.IndexOf(s_knobs, knob.Key) is >= 0 and var at ? at : s_knobs.Length)
                .ThenBy(static knob => knob.Key, StringComparer.Ordinal),
        ];
        return knobs is [var across, var down, ..]
            ? s_metrics.Select(metric => Map([.. varied.Where(row => row.Metric == metric)], across, down))
                .OfType<ReportHeatMap>()
            : [];
    }

    private static ReportHeatMap? Map(
        ResultRow[] rows, (string Name, string[] Values) across, (string Name, string[] Values) down)
    {
        var cells = rows.Where(row => row.Knobs!.ContainsKey(across.Name) && row.Knobs.ContainsKey(down.Name))
            .GroupBy(row => (row.Knobs![down.Name], row.Knobs[across.Name]))
            .ToDictionary(static group => group.Key, static group => Best(group));
        if (cells.Count < 2)
        {
            return null;
        }

        ResultRow best = Best(cells.Values);
        double least = cells.Values.Min(static row => row.Median!.Value), most = cells.Values.Max(static row => row.Median!.Value);
        bool isLog = least > 0 && most / least > FarApart;
        bool isHigherBetter = Metrics.IsHigherBetter(best.Metric);

        HeatCell? Cell(string row, string column)
        {
            if (!cells.TryGetValue((row, column), out ResultRow? found))
            {
                return null;
            }

            double share = Metrics.Share(found.Median!.Value, least, most, isLog);
            string others = RowNames.KnobsOf(found, across.Name, down.Name);
            return new HeatCell(
                Metrics.Text(found.Metric, found.Unit, found.Median.Value),
                isHigherBetter ? share : 1 - share,
                ReferenceEquals(found, best),
                $"{down.Name} {row}, {across.Name} {column}: {found.Contestant}{(others.Length > 0 ? $", {others}" : "")}");
        }

        bool hasMore = rows.Length > cells.Count;
        string heading = best.Unit == "ns" ? best.Metric : Metrics.Heading(best.Metric, best.Unit);
        return new ReportHeatMap(
            $"{best.Case}: {heading} by {across.Name} and {down.Name}"
            + $"{(hasMore ? ", each cell with the best of the other settings" : "")}; the best one is outlined",
            down.Name,
            across.Name,
            across.Values,
            [.. down.Values.Select(row => new HeatRow(row, [.. across.Values.Select(column => Cell(row, column))]))]);
    }

    private static ResultRow Best(IEnumerable<ResultRow> rows) => Metrics.IsHigherBetter(rows.First().Metric)
        ? rows.MaxBy(static row => row.Median)!
        : rows.MinBy(static row => row.Median)!;

    /// <summary>Numbers by their size, words after them by their letters.</summary>
    private sealed class KnobOrder : IComparer<string>
    {
        public static KnobOrder Instance { get; } = new();

        public int Compare(string? x, string? y) => (Number(x), Number(y)) switch
        {
            ({ } a, { } b) when a != b => a.CompareTo(b),
            ({ }, null) => -1,
            (null, { }) => 1,
            _ => string.CompareOrdinal(x, y),
        };

        private static double? Number(string? text)
        {
            string lead = new([.. (text ?? "").TakeWhile(static c => char.IsAsciiDigit(c) || c is '.' or ',')]);
            return double.TryParse(lead, NumberStyles.Number, CultureInfo.InvariantCulture, out double value) ? value : null;
        }
    }
}
