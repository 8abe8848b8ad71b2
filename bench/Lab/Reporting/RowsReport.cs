using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The rows of a case as a table: one line for each contestant.</summary>
internal static class RowsReport
{
    /// <summary>A case of <c>raceway compare</c>.</summary>
    /// <param name="result">What was measured.</param>
    /// <param name="description">What happens in it.</param>
    /// <param name="reference">The contestant that the others' headline medians are divided by, where it has one.</param>
    public static ReportTable Of(CaseResult result, string description, string? reference = null)
    {
        string[] first = result.Metric == MetricKind.Latency
            ? ["latency-p90", "latency-p99", "latency-p99.9", "latency-max", Metrics.Throughput, "allocated", "cpu"]
            : ["mean-batch", "allocated", "cpu"];
        IReadOnlyList<ResultRow> rows = result.Rows;
        string headline = rows.Select(static row => row.Metric).FirstOrDefault() ?? "";
        IEnumerable<string> rest = rows.Select(static row => row.Metric).Distinct().Except([.. first, headline]);
        return Of($"{result.Name}: {description}", rows, [.. first, .. rest], reference);
    }

    /// <summary>The rows of one case.</summary>
    /// <param name="caption">What the table shows.</param>
    /// <param name="rows">The rows; the first one's metric is the headline, which has its interval.</param>
    /// <param name="further">Metrics beside the headline.</param>
    /// <param name="reference">The contestant that the others' headline medians are divided by, where it has one.</param>
    public static ReportTable Of(
        string caption, IReadOnlyList<ResultRow> rows, IReadOnlyList<string> further, string? reference = null)
    {
        string headline = rows.Select(static row => row.Metric).FirstOrDefault() ?? "";
        string unit = rows.Select(static row => row.Unit).FirstOrDefault() ?? "";
        double? divisor = rows.FirstOrDefault(row => row.Contestant == reference && row.Metric == headline)?.Median;
        ReportColumn[] columns =
        [
            new("contestant", IsFigure: false),
            new(Metrics.Heading(headline, unit)),
            new("95 %"),
            .. headline == Metrics.Overhead ? [new ReportColumn("min–max")] : Array.Empty<ReportColumn>(),
            .. divisor is null ? Array.Empty<ReportColumn>() : [new ReportColumn($"over {reference}")],
            .. further.Select(metric => new ReportColumn(Header(rows, metric))),
            new("verified", IsFigure: false),
            new("notes", IsFigure: false),
        ];
        var names = new RowNames(rows);
        return new ReportTable(
            caption,
            columns,
            [.. rows.GroupBy(names.Of).Select(group => Cells(group.Key, [.. group], further, divisor))]);
    }

    private static string Header(IReadOnlyList<ResultRow> rows, string metric) =>
        rows.FirstOrDefault(row => row.Metric == metric) is { } row ? $"{metric} ({row.Unit})" : metric;

    private static string Extremes(ResultRow row) =>
        row is { Min: { } min, Max: { } max } ? Figure.Range(min, max) : Figure.None;

    private static string[] Cells(string name, ResultRow[] rows, IReadOnlyList<string> further, double? divisor)
    {
        ResultRow head = rows[0];
        double scale = Metrics.ScaleOf(head.Metric);
        return
        [
            name,
            head.Median is { } median ? Figure.Plain(median / scale) : Figure.None,
            head is { Low: { } low, High: { } high } ? Figure.Range(low / scale, high / scale) : Figure.None,
            // Whether a cost stays the same shows in the rounds that differ most.
            .. head.Metric == Metrics.Overhead ? [Extremes(head)] : Array.Empty<string>(),
            .. divisor is { } by ? [head.Median is { } own ? Figure.Plain(own / by) : Figure.None] : Array.Empty<string>(),
            .. further.Select(metric => rows.FirstOrDefault(row => row.Metric == metric)?.Median is { } value
                ? Figure.Plain(value)
                : Figure.None),
            head.Median is null ? Figure.None : rows.All(static row => row.Verified) ? "yes" : "NO",
            string.Join("; ", rows.Select(static row => row.Note).Prepend(head.Oversubscribed ? "oversubscribed" : null)
                .OfType<string>().Distinct()),
        ];
    }
}
