namespace Raceway.Lab.Reporting;

/// <summary>Tables: with caption and scopes, and scrolled by keyboard where they are wider than the page.</summary>
internal static class HtmlTable
{
    // Longer texts are broken into lines, so that one note does not widen the whole table.
    private const int LongText = 20;

    // Tables of fewer columns have room for a text at the end of each row.
    private const int ManyColumns = 6;

    /// <summary>Appends a table.</summary>
    public static void Add(HtmlBody body, ReportTable table)
    {
        string id = body.NextId("table");
        body.Add($"""
            <div class="wide" role="region" aria-labelledby="{id}" tabindex="0"><table>
            <caption id="{id}"><span>{table.Caption}</span></caption>
            <thead><tr>
            """);
        bool hasNotes = HasNotes(table);
        int columns = table.Columns.Count - (hasNotes ? 1 : 0);
        for (int at = 0; at < columns; at++)
        {
            body.Add($"<th scope=\"col\" class=\"{ClassOf(table, at, "")}\">{table.Columns[at].Header}</th>");
        }

        body.Add($"</tr></thead>\n<tbody>\n");
        foreach (IReadOnlyList<string> row in table.Rows)
        {
            body.Add($"<tr>");
            for (int at = 0; at < columns; at++)
            {
                // The first cell says what the row is about.
                if (at == 0) body.Add($"<th scope=\"row\" class=\"{ClassOf(table, at, row[at])}\">{row[at]}</th>");
                else body.Add($"<td class=\"{ClassOf(table, at, row[at])}\">{row[at]}</td>");
            }

            body.Add($"</tr>\n");
            if (hasNotes && row[^1].Length > 0) AddNote(body, table, row);
        }

        body.Add($"</tbody></table></div>\n");
    }

    // Long texts behind many figures would be out of sight, and make their rows as high as they are narrow.
    private static bool HasNotes(ReportTable table) =>
        table.Columns.Count >= ManyColumns && !table.Columns[^1].IsFigure && table.Rows.Any(static row => IsLong(row[^1]));

    // Below its row, in sight however far the table is scrolled; read aloud, it says what it belongs to.
    private static void AddNote(HtmlBody body, ReportTable table, IReadOnlyList<string> row) => body.Add($"""
        <tr class="note"><td colspan="{row.Count - 1}"><span class="{ToneOf(row[^1])}"><span class="hidden">{row[0]}, </span>
        {table.Columns[^1].Header}: {row[^1]}</span></td></tr>

        """);

    private static bool IsLong(string text) => text.Length > LongText && text.Contains(' ');

    private static string ClassOf(ReportTable table, int at, string text)
    {
        string kind = table.Columns[at].IsFigure ? "figure" : IsLong(text) ? "long" : "text";
        return ToneOf(text) is { } tone ? $"{kind} {tone}" : kind;
    }

    // The word itself says it too; the colour only helps to find it.
    private static string? ToneOf(string text) =>
        text is "holds" || text.StartsWith("holds,", StringComparison.Ordinal) ? "win"
        : text is "NO" || text.StartsWith("does not hold", StringComparison.Ordinal)
            || text.Contains("WRONG RESULT", StringComparison.Ordinal)
            ? "loss"
        : null;
}
