using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The aims of a suite as a table: those that hold and those that do not, in the order they are made.</summary>
internal static class AimsReport
{
    private const int LeastRounds = 6;

    private static readonly ReportColumn[] s_columns =
    [
        new("no.", IsFigure: false), new("aim", IsFigure: false), new("case", IsFigure: false),
        new("figure of", IsFigure: false), new("figure"), new("95 %"), new("rounds"), new("bound", IsFigure: false),
        new("verdict", IsFigure: false),
    ];

    /// <summary>Whether a row is that of an aim.</summary>
    public static bool IsAim(ResultRow row) => AimNote.Parse(row.Note) is not null;

    /// <summary>The table and its summary; nothing where no row is that of an aim.</summary>
    public static IEnumerable<ReportPart> Of(IEnumerable<ResultRow> rows)
    {
        (ResultRow Row, AimNote Note)[] aims =
            [.. rows.Select(static row => (row, AimNote.Parse(row.Note)!)).Where(static one => one.Item2 is not null)];
        if (aims.Length == 0)
        {
            yield break;
        }

        int Count(AimVerdict verdict) =>
            aims.Count(one => one.Note.Line is null && one.Note.Verdict == verdict);

        yield return new ReportTable(
            "aims: our figure over the peer's, round by round; an aim holds where the whole interval meets its bound",
            s_columns,
            [.. aims.Select(static one => Cells(one.Row, one.Note))]);
        if (aims.Any(static one => one.Row.Rounds is > 0 and < LeastRounds))
        {
            yield return new ReportText(
                $"Where there are fewer than {LeastRounds} rounds, the interval is the smallest and the largest of them, "
                + "which is less than 95 %.");
        }

        yield return new ReportText(
            $"Aims that hold: {Count(AimVerdict.Holds)}; that do not: {Count(AimVerdict.DoesNotHold)}; "
            + $"not measured: {Count(AimVerdict.NotMeasured)}.",
            IsResult: true);
    }

    private static string[] Cells(ResultRow row, AimNote note)
    {
        string unit = row.Unit == "x" ? "" : $" {row.Unit}";
        return
        [
            note.Number,
            note.Line is null ? note.Text : $"{note.Text}, on {note.Line} lines",
            row.Case,
            row.Contestant,
            row.Median is { } median ? $"{Figure.Plain(median)}{unit}" : Figure.None,
            row is { Low: { } low, High: { } high } ? Figure.Range(low, high) : Figure.None,
            row.Rounds > 0 ? Figure.Count(row.Rounds) : Figure.None,
            note.Bound,
            note.VerdictText + (note.Reason is null ? "" : $": {note.Reason}") + (row.Oversubscribed ? ", oversubscribed" : ""),
        ];
    }
}
