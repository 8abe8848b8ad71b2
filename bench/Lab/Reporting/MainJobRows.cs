using System.Globalization;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Reporting;

/// <summary>The result of the main job as rows for <c>--json</c>.</summary>
internal static class MainJobRows
{
    /// <summary>The case of these rows, and of the timelines beside them.</summary>
    public const string CaseName = "main-job result";

    /// <summary>What aims call the main job, with hashing and without.</summary>
    public static IReadOnlyList<string> Suites { get; } = [SuiteOf(hashed: true), SuiteOf(hashed: false)];

    // What the default is compared with: other dispatch, the same batches without vectors across lines, and Channels.
    private static readonly string[] s_others = ["raceway/single-auto-default", "raceway/default-hash-data", "channel", "channel-batched"];

    /// <summary>What aims call the main job.</summary>
    public static string SuiteOf(bool hashed) => hashed ? "main-job" : "main-job --no-hash";

    /// <summary>How the default stands beside the best of the others, at full speed and at the common rate; and beside some of them.</summary>
    public static IEnumerable<ResultRow> Standings(MainJobTable table) =>
        [
            .. new[] { table.Throughput, table.Common }.OfType<CaseResult>()
                .Select(static one => Standing.Of(one, LineContestants.DefaultName)).OfType<Standing>().Select(static one => one.ToRow()),
            .. Ratios(table.Throughput),
        ];

    /// <summary>How many times as fast the default is as each of the others, by rounds that ran next to each other.</summary>
    private static IEnumerable<ResultRow> Ratios(CaseResult throughput) =>
        from other in s_others
        let ratio = throughput.Ratio(LineContestants.DefaultName, other)
        where ratio is not null
        select new ResultRow
        {
            Case = $"{throughput.Name} ratios", Contestant = $"{LineContestants.DefaultName} over {other}", Metric = "ratio", Unit = "x",
            Median = ratio.Value.Median, Low = ratio.Value.Low, High = ratio.Value.High, Min = ratio.Value.Min, Max = ratio.Value.Max,
            Rounds = ratio.Value.Rounds, Verified = true,
        };

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
