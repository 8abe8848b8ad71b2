namespace Raceway.Lab.Reporting;

/// <summary>Brings tables to the width of a terminal, where every line keeps its columns.</summary>
/// <remarks>
/// Texts are broken into lines first, figures never. What is still too wide becomes several tables below each other, each
/// with the first column, as statistics programs print wide tables.
/// </remarks>
internal static class TableLayout
{
    private const int LeastText = 14;

    /// <summary>The width of each column, by its longest line.</summary>
    public static int[] Widths(ReportTable table) => [.. table.Columns.Select((column, at) =>
        Math.Max(Longest(column.Header), table.Rows.Select(row => Longest(row[at])).DefaultIfEmpty().Max()))];

    /// <summary>The table in pieces that fit; lines within a cell are separated by <c>\n</c>.</summary>
    /// <param name="table">The table.</param>
    /// <param name="width">Columns of the terminal.</param>
    /// <param name="gap">What each column takes beside its text.</param>
    /// <param name="edge">What the table takes beside its columns.</param>
    public static IEnumerable<ReportTable> Fit(ReportTable table, int width, int gap, int edge)
    {
        int[] natural = Widths(table);
        if (natural.Sum(cell => (long)cell + gap) + edge <= width)
        {
            return [table];
        }

        int[] least = [.. table.Columns.Select((_, at) => Least(table, at, natural[at], Math.Max(LeastText, width / 2)))];
        List<int[]> groups = Groups(least, width - edge, gap);
        return groups.Select((group, at) => Piece(
            table, group, Grown(group, natural, least, width - edge, gap), at == 0 ? "" : ", continued"));
    }

    // A figure is not broken; a text down to its longest word, unless that alone would take half of the terminal.
    private static int Least(ReportTable table, int at, int natural, int most)
    {
        if (table.Columns[at].IsFigure)
        {
            return natural;
        }

        int word = table.Rows.Select(row => row[at]).Append(table.Columns[at].Header)
            .SelectMany(static text => text.Split(' ', '\n')).Max(static one => one.Length);
        return Math.Min(natural, Math.Min(most, Math.Max(word, LeastText)));
    }

    private static List<int[]> Groups(int[] least, int width, int gap)
    {
        var groups = new List<int[]>();
        var group = new List<int> { 0 };
        int taken = least[0] + gap;
        for (int at = 1; at < least.Length; at++)
        {
            if (taken + least[at] + gap > width && group.Count > 1)
            {
                groups.Add([.. group]);
                group = [0];
                taken = least[0] + gap;
            }

            group.Add(at);
            taken += least[at] + gap;
        }

        groups.Add([.. group]);
        return groups;
    }

    // What a group leaves over goes to its texts, from the first on.
    private static int[] Grown(int[] group, int[] natural, int[] least, int width, int gap)
    {
        int left = Math.Max(0, width - group.Sum(at => least[at] + gap));
        return [.. group.Select(at =>
        {
            int more = Math.Min(left, natural[at] - least[at]);
            left -= more;
            return least[at] + more;
        })];
    }

    private static ReportTable Piece(ReportTable table, int[] group, int[] widths, string suffix) => new(
        table.Caption + suffix,
        [.. group.Select((at, place) => table.Columns[at] with { Header = Broken(table.Columns[at].Header, widths[place]) })],
        [.. table.Rows.Select(row => (string[])[.. group.Select((at, place) => Broken(row[at], widths[place]))])]);

    private static string Broken(string text, int width)
    {
        if (text.Length <= width)
        {
            return text;
        }

        var lines = new List<string> { "" };
        foreach (string word in text.Split(' ', '\n').SelectMany(word => word.Chunk(width)).Select(static part => new string(part)))
        {
            string line = lines[^1];
            if (line.Length == 0) lines[^1] = word;
            else if (line.Length + 1 + word.Length <= width) lines[^1] = $"{line} {word}";
            else lines.Add(word);
        }

        return string.Join('\n', lines);
    }

    private static int Longest(string text) => text.Split('\n').Max(static line => line.Length);
}
