using System.Text.RegularExpressions;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting.Documents;

/// <summary>Writes the figures of a result file into a Markdown page: into each table or paragraph below a marker.</summary>
/// <remarks>
/// A marker is a comment, which readers of the page do not see. It names the result file, from the page's folder on, and says what
/// stands below it:
/// <code>
/// &lt;!-- results: results/batching.json
/// rows: disk-128, sqlite
/// 2: {* | raceway/single | throughput | rate}
/// 3: {* | raceway/default | throughput | over raceway/single}
/// --&gt;
/// </code>
/// <c>rows</c> names what <c>*</c> stands for in each row of the table, and a number the column that is written. The other columns
/// belong to the author. <c>text</c> writes the paragraph below the marker instead. <see cref="FigureText"/> has the forms of a figure.
/// </remarks>
internal static partial class PageFigures
{
    /// <summary>The page with the figures of its result files.</summary>
    /// <param name="page">The page's text.</param>
    /// <param name="name">The page's name, for errors.</param>
    /// <param name="read">Reads a result file by its path from the page's folder on.</param>
    /// <exception cref="ToolException">A marker asks for what the file or the table does not have.</exception>
    public static string Rewrite(string page, string name, Func<string, ResultFile> read)
    {
        var files = new Dictionary<string, ResultFile>();
        return Marked().Replace(page, match =>
        {
            string path = match.Groups["file"].Value;
            if (!files.TryGetValue(path, out ResultFile? file)) files[path] = file = read(path);
            Dictionary<string, string> settings = Settings(match.Groups["settings"].Value);
            var text = new FigureText(file, $"'{name}', figures of '{path}'");
            string below = match.Groups["below"].Value;
            return match.Groups["marker"].Value + (settings.TryGetValue("text", out string? template)
                ? text.Fill(template, "") + "\n"
                : Table(below, settings, text));
        });
    }

    /// <summary>The result files that a page's markers name.</summary>
    /// <param name="page">The page's text.</param>
    public static IEnumerable<string> Files(string page) => Marked().Matches(page).Select(static match => match.Groups["file"].Value).Distinct();

    private static string Table(string below, Dictionary<string, string> settings, FigureText text)
    {
        string[] lines = below.TrimEnd('\n').Split('\n');
        string[] rows = settings.TryGetValue("rows", out string? names) ? names.Split(", ", StringSplitOptions.TrimEntries) : [];
        if (lines.Length != rows.Length + 2 || !lines.All(static line => line.StartsWith('|')))
            throw text.Wrong($"has {rows.Length} rows, but the table below has {Math.Max(0, lines.Length - 2)}");
        string[] written = [.. rows.Select((row, at) => Row(lines[at + 2], row, settings, text))];
        return string.Join('\n', [.. lines[..2], .. written]) + "\n";
    }

    private static string Row(string line, string row, Dictionary<string, string> settings, FigureText text)
    {
        string[] cells = [.. Cell().Split(line.Trim())[1..^1].Select(static cell => cell.Trim())];
        foreach ((string key, string template) in settings)
        {
            if (!int.TryParse(key, out int column)) continue;
            if (column < 1 || column > cells.Length) throw text.Wrong($"has a column {column}, but the table below has {cells.Length}");
            cells[column - 1] = text.Fill(template, row);
        }

        return $"| {string.Join(" | ", cells)} |";
    }

    // A setting goes on in the lines below it.
    private static Dictionary<string, string> Settings(string text)
    {
        Dictionary<string, string> settings = [];
        foreach (Match match in Setting().Matches(text))
            settings[match.Groups["key"].Value] = string.Join(' ', match.Groups["value"].Value.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));
        return settings;
    }

    // The marker, an empty line, and what follows up to the next empty line.
    [GeneratedRegex(@"(?<marker><!-- results: (?<file>\S+)\n(?<settings>(?:(?!-->).)*?)-->\n\n?)(?<below>(?:[^\n]+(?:\n|\z))*)", RegexOptions.Singleline)]
    private static partial Regex Marked();

    [GeneratedRegex(@"^(?<key>rows|text|\d+): (?<value>.*(?:\n(?!(?:rows|text|\d+): ).*)*)", RegexOptions.Multiline)]
    private static partial Regex Setting();

    [GeneratedRegex(@"(?<!\\)\|")]
    private static partial Regex Cell();
}
