using System.Net;
using System.Text;

namespace Raceway.Lab.Reporting;

/// <summary>A report as one page that loads nothing and follows the reader's light or dark setting.</summary>
internal static class HtmlPage
{
    private const string Head = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <style>
        :root { color-scheme: light dark; --line: #d0d7de; --soft: #f6f8fa; }
        @media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #151b23; } }
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
        .result { font-size: 1.15rem; font-weight: 600; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        caption { text-align: left; padding: .5rem 0; }
        th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; white-space: nowrap; }
        th { background: var(--soft); }
        pre { background: var(--soft); padding: .6rem; overflow-x: auto; }
        .figure { text-align: right; }
        </style>

        """;

    /// <summary>The page.</summary>
    public static string Of(Report report)
    {
        var page = new StringBuilder(Head);
        page.Append($"<title>{Encoded(report.Title)}</title>\n</head>\n<body>\n<h1>{Encoded(report.Title)}</h1>\n");
        foreach (ReportPart part in report.Parts)
        {
            switch (part)
            {
                case ReportText text:
                    page.Append($"<p{(text.IsResult ? " class=\"result\"" : "")}>{Encoded(text.Text)}</p>\n");
                    break;
                case ReportHeading heading:
                    page.Append($"<h{heading.Level + 1}>{Encoded(heading.Text)}</h{heading.Level + 1}>\n");
                    break;
                case ReportCommands commands:
                    page.Append($"<pre>{Encoded(string.Join('\n', commands.Lines))}</pre>\n");
                    break;
                case ReportTable table:
                    Append(page, table);
                    break;
            }
        }

        return page.Append("</body>\n</html>\n").ToString();
    }

    private static void Append(StringBuilder page, ReportTable table)
    {
        page.Append($"<div class=\"wide\"><table>\n<caption>{Encoded(table.Caption)}</caption>\n");
        AppendRow(page, table, "th", [.. table.Columns.Select(static column => column.Header)]);
        foreach (IReadOnlyList<string> row in table.Rows)
        {
            AppendRow(page, table, "td", row);
        }

        page.Append("</table></div>\n");
    }

    private static void AppendRow(StringBuilder page, ReportTable table, string tag, IReadOnlyList<string> cells)
    {
        page.Append("<tr>");
        for (int at = 0; at < cells.Count; at++)
        {
            string kind = table.Columns[at].IsFigure ? " class=\"figure\"" : "";
            page.Append($"<{tag}{kind}>{Encoded(cells[at])}</{tag}>");
        }

        page.Append("</tr>\n");
    }

    private static string Encoded(string text) => WebUtility.HtmlEncode(text);
}
