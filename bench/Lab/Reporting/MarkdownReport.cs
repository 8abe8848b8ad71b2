using System.Text;

namespace Raceway.Lab.Reporting;

/// <summary>A report as a Markdown page with tables, as code hosts show them.</summary>
internal static class MarkdownReport
{
    // Everything that would be taken for emphasis, a link, an element or the end of a cell.
    private const string Special = "\\`*_[]<>|~";

    /// <summary>The page.</summary>
    public static string Of(Report report)
    {
        var page = new StringBuilder($"# {Escaped(report.Title)}\n");
        foreach (ReportPart part in report.Parts.Select(PlainParts.Of).OfType<ReportPart>())
        {
            page.Append('\n');
            switch (part)
            {
                case ReportText text:
                    page.Append(text.IsResult ? $"**{Escaped(text.Text)}**\n" : $"{Escaped(text.Text)}\n");
                    break;
                case ReportHeading heading:
                    page.Append($"{new string('#', heading.Level + 1)} {Escaped(heading.Text)}\n");
                    break;
                case ReportCommands commands:
                    page.Append($"```sh\n{string.Join('\n', commands.Lines)}\n```\n");
                    break;
                case ReportTable table:
                    Append(page, table);
                    break;
            }
        }

        return page.ToString();
    }

    private static void Append(StringBuilder page, ReportTable table)
    {
        page.Append($"{Escaped(table.Caption)}\n\n");
        AppendRow(page, table.Columns.Select(static column => Escaped(column.Header)));
        AppendRow(page, table.Columns.Select(static column => column.IsFigure ? "---:" : "---"));
        foreach (IReadOnlyList<string> row in table.Rows)
        {
            AppendRow(page, row.Select(Escaped));
        }
    }

    private static void AppendRow(StringBuilder page, IEnumerable<string> cells) =>
        page.Append($"| {string.Join(" | ", cells)} |\n");

    private static string Escaped(string text)
    {
        var escaped = new StringBuilder(text.Length);
        foreach (char c in text.ReplaceLineEndings(" "))
        {
            if (Special.Contains(c, StringComparison.Ordinal))
            {
                escaped.Append('\\');
            }

            escaped.Append(c);
        }

        return escaped.ToString();
    }
}
