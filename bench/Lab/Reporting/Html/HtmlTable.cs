namespace Raceway.Lab.Reporting;

/// <summary>Tables: with caption and scopes, and scrolled by keyboard where they are wider than the page.</summary>
internal static class HtmlTable
{
    // Longer texts are broken into lines, so that one note does not widen the whole table.
    private const int LongText = 20;

    /// <summary>Appends a table.</summary>
    public static void Add(HtmlBody body, ReportTable table)
    {
        string id = body.NextId("table");
        body.Add($"""
            <div class="wide" role="region" aria-labelledby="{id}" tabindex="0"><table>
            <caption id="{id}"><span>{table.Caption}</span></caption>
            <thead><tr>
            """);
        for (int at = 0; at < table.Columns.Count; at++)
        {
            body.Add($"<th scope=\"col\" class=\"{ClassOf(table, at, "")}\">{table.Columns[at].Header}</th>");
        }

        body.Add($"</tr></thead>\n<tbody>\n");
        foreach (IReadOnlyList<string> row in table.Rows)
        {
            body.Add($"<tr>");
            for (int at = 0; at < row.Count; at++)
            {
                // The first cell says what the row is about.
                if (at == 0) body.Add($"<th scope=\"row\" class=\"{ClassOf(table, at, row[at])}\">{row[at]}</th>");
                else body.Add($"<td class=\"{ClassOf(table, at, row[at])}\">{row[at]}</td>");
            }

            body.Add($"</tr>\n");
        }

        body.Add($"</tbody></table></div>\n");
    }

    private static string ClassOf(ReportTable table, int at, string text)
    {
        string kind = table.Columns[at].IsFigure ? "figure" : text.Length > LongText && text.Contains(' ') ? "long" : "text";
        return ToneOf(text) is { } tone ? $"{kind} {tone}" : kind;
    }

    // The word itself says it too; the colour only helps to find it.
    private static string? ToneOf(string text) =>
        text is "holds" || text.StartsWith("holds,", StringComparison.Ordinal) ? "win"
        : text is "NO" || text.StartsWith("does not hold", StringComparison.Ordinal) || text.Contains("WRONG RESULT", StringComparison.Ordinal)
            ? "loss"
        : null;
}
