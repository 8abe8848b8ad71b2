using System.Globalization;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Reporting;

/// <summary>The result of the main job as rows for <c>--json</c>.</summary>
internal static class MainJobRows
{
    /// <summary>The case of these rows, and of the timelines beside them.</summary>
    public const string CaseName = "main-job result";

    /// <summary>Files, lines and bytes; the fold, which does not fit a number of JSON, stands in the note.</summary>
    public static IEnumerable<ResultRow> Of(MainJobResult result, bool verified)
    {
        string fold = $"fold {result.Totals.Fold.ToString("x16", CultureInfo.InvariantCulture)}";
        ResultRow Row(string metric, string unit, double value, string? note = null) => new()
        {
            Case = CaseName,
            Contestant = result.Engine,
            Metric = metric,
            Unit = unit,
            Median = value,
            Rounds = 1,
            Verified = verified,
            Note = note,
        };
        yield return Row("files", "count", result.Input.Files.Count);
        yield return Row("lines", "count", result.Totals.Lines, fold);
        yield return Row("bytes", "B", result.Totals.Bytes);
        yield return Row("time", "ms", result.Seconds * 1e3);
    }
}
