using System.Globalization;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Reporting;

/// <summary>The report of <c>raceway run</c>.</summary>
internal static class MainJobReport
{
    private const int MostNamed = 20;

    private static readonly ReportColumn[] s_columns =
    [
        new("contestant", IsFigure: false), new("M lines/s"), new("95 %"), new("MB/s"), new("p50"), new("p99"), new("p50 half"), new("p99 half"),
        new("mean batch"), new("CPU s"), new("B/line"), new("notes", IsFigure: false),
    ];

    /// <summary>What the main job found.</summary>
    public static IEnumerable<ReportPart> Result(MainJobResult result, bool hashed, bool verified)
    {
        LineTotals totals = result.Totals;
        yield return new ReportText($"Input: {result.Input.Description}");
        foreach (string note in result.Input.Notes)
        {
            yield return new ReportText($"Note: {note}.");
        }

        if (result.Input.Unread is { Count: > 0 } unread)
        {
            yield return new ReportText($"Left out {Figure.Count(unread.Count)} entries that cannot be read, so the exit code is 1:");
            foreach (string one in unread.Take(MostNamed)) yield return new ReportText($"  {one}");
            if (unread.Count > MostNamed) yield return new ReportText($"  and {Figure.Count(unread.Count - MostNamed)} more");
        }

        yield return new ReportText(
            $"{Figure.Count(result.Input.Files.Count)} files, {Figure.Count(totals.Lines)} lines, "
            + $"{Figure.Count(totals.Bytes)} bytes in {Figure.Plain(result.Seconds)} s by {result.Engine}");
        yield return new ReportText($"Kinds of lines: {Kinds(totals)}");
        yield return new ReportText(
            $"Fold of {(hashed ? "the SHA-512 of every line" : "what parse found in every line")}, in order: "
            + $"{totals.Fold.ToString("x16", CultureInfo.InvariantCulture)} "
            + $"({(verified ? "verified" : "WRONG")} against an independent computation)");
    }

    /// <summary>The sentence that says what the table shows, and its bars.</summary>
    public static IReadOnlyList<ReportPart> Answer(MainJobTable table) =>
        [new ReportText(MainJobVerdict.Of(table), IsResult: true), .. BarsReport.Of(table.Throughput.Rows)];

    /// <summary>The table.</summary>
    public static IEnumerable<ReportPart> Table(MainJobTable table, bool hashed, bool interrupted)
    {
        LoadedInput input = table.Input;
        yield return new ReportTable(
            $"Stages parse{(hashed ? ", SHA-512" : "")}, aggregate over {Figure.Count(input.Lines.Length)} lines in memory"
            + $"{(input.IsCut ? " (the first of the input)" : "")}; latency in an open loop, {Rate(table)}, and at half of each one's own speed",
            s_columns,
            [.. table.Entries.Select(Row)]);
        string[] notes = [.. new[] { table.Throughput.Note, table.Common?.Note, table.Latency?.Note }.OfType<string>().Distinct()];
        if (notes.Length > 0 && !interrupted) yield return new ReportText($"Note: {string.Join("; ", notes)}.");

        if (interrupted)
        {
            yield return new ReportText("Interrupted: the table holds what was measured until then.");
        }
    }

    private static string Rate(MainJobTable table) =>
        table.CommonRate is { } rate
            ? $"at {Figure.Plain(rate / 1e6)} M lines/s for all (half of what the slowest can do)"
            : "at a rate that is the same for all";

    private static string Kinds(LineTotals totals)
    {
        var kinds = new List<string>();
        for (LineKind kind = LineKind.Blank; kind <= LineKind.Event; kind++)
        {
            kinds.Add($"{kind.ToString().ToLowerInvariant()} {Figure.Count(totals.Kinds[(int)kind])}");
        }

        return string.Join(", ", kinds);
    }

    private static string[] Row(MainJobEntry entry) =>
    [
        entry.Name,
        Figure.Median(entry.Rate, 1e6),
        Figure.Interval(entry.Rate, 1e6),
        Figure.Median(entry.Megabytes),
        Figure.Time(entry.CommonMedian),
        Figure.Time(entry.Common99),
        Figure.Time(entry.LatencyMedian),
        Figure.Time(entry.Latency99),
        entry.MeanBatch is { Median: > 0 } ? Figure.Median(entry.MeanBatch) : Figure.None,
        Figure.Median(entry.CpuSeconds),
        Figure.Median(entry.Allocated),
        Notes(entry),
    ];

    private static string Notes(MainJobEntry entry)
    {
        if (entry.Failure is not null)
        {
            return entry.Failure;
        }

        string[] notes =
        [
            .. entry.Rate is null ? ["not measured"] : entry.Verified ? Array.Empty<string>() : ["WRONG RESULT"],
            .. entry.Note is { } note ? [note] : Array.Empty<string>(),
            .. entry.Oversubscribed ? [$"oversubscribed ({entry.BusyThreads} threads)"] : Array.Empty<string>(),
        ];
        return string.Join(", ", notes);
    }
}
