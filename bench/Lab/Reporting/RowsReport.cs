using Raceway.Scenarios.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>A case of <c>raceway compare</c> as a table: one line for each contestant.</summary>
internal static class RowsReport
{
    /// <summary>The table of a case.</summary>
    public static ReportTable Of(CaseResult result, string description)
    {
        string headline = result.Rows.Select(static row => row.Metric).FirstOrDefault() ?? "";
        string[] further = result.Metric == MetricKind.Latency
            ? ["latency-p90", "latency-p99", "latency-p99.9", "latency-max", "throughput", "allocated", "cpu"]
            : ["mean-batch", "allocated", "cpu"];
        string unit = result.Rows.Select(static row => row.Unit).FirstOrDefault() ?? "";
        ReportColumn[] columns =
        [
            new("contestant", IsFigure: false),
            new(result.Metric == MetricKind.Throughput ? $"M {unit}" : $"{headline} ({unit})"),
            new("95 %"),
            .. result.Metric == MetricKind.Overhead ? [new ReportColumn("min–max")] : Array.Empty<ReportColumn>(),
            .. further.Select(metric => new ReportColumn(Header(result, metric))),
            new("verified", IsFigure: false),
            new("notes", IsFigure: false),
        ];
        return new ReportTable(
            $"{result.Name}: {description}",
            columns,
            [.. result.Rows.GroupBy(static row => row.Contestant).Select(group => Cells(result, [.. group], further))]);
    }

    private static string Header(CaseResult result, string metric) =>
        result.Rows.FirstOrDefault(row => row.Metric == metric) is { } row ? $"{metric} ({row.Unit})" : metric;

    private static string Extremes(ResultRow row) =>
        row is { Min: { } min, Max: { } max } ? Figure.Range(min, max) : Figure.None;

    private static string[] Cells(CaseResult result, ResultRow[] rows, string[] further)
    {
        ResultRow head = rows[0];
        double scale = result.Metric == MetricKind.Throughput ? 1e6 : 1;
        return
        [
            head.Contestant,
            head.Median is { } median ? Figure.Plain(median / scale) : Figure.None,
            head is { Low: { } low, High: { } high } ? Figure.Range(low / scale, high / scale) : Figure.None,
            // Whether a cost stays the same shows in the rounds that differ most.
            .. result.Metric == MetricKind.Overhead ? [Extremes(head)] : Array.Empty<string>(),
            .. further.Select(metric => rows.FirstOrDefault(row => row.Metric == metric)?.Median is { } value
                ? Figure.Plain(value)
                : Figure.None),
            head.Median is null ? Figure.None : head.Verified ? "yes" : "NO",
            string.Join("; ", new[] { head.Oversubscribed ? "oversubscribed" : null, head.Note }.OfType<string>()),
        ];
    }
}
