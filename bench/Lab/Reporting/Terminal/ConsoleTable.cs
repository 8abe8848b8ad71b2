using Spectre.Console;

namespace Raceway.Lab.Reporting;

/// <summary>Tables on a terminal: in a box, or as aligned text.</summary>
internal static class ConsoleTable
{
    // A box has a border and a space on both sides of a cell; text has two spaces between columns.
    private const int BoxedGap = 3;
    private const int PlainGap = 2;

    /// <summary>Prints a table, in as many pieces as the terminal is too narrow for.</summary>
    public static void Write(ReportTable table, IAnsiConsole? rich, TextWriter output, int width)
    {
        foreach (ReportTable piece in rich is null
            ? TableLayout.Fit(table, width, PlainGap, edge: -PlainGap)
            : TableLayout.Fit(table, width, BoxedGap, edge: 1))
        {
            if (rich is null) WritePlain(piece, output);
            else rich.Write(Boxed(piece));
        }
    }

    /// <summary>Whether a heat map is no wider than the terminal.</summary>
    public static bool Fits(ReportHeatMap map, int width) => TableLayout.Widths(PlainParts.Table(map)).Sum(static cell => cell + BoxedGap) < width;

    /// <summary>A heat map in its colours.</summary>
    public static Table Coloured(ReportHeatMap map)
    {
        var table = new Table
        {
            Border = TableBorder.Rounded,
            Title = new TableTitle(Markup.Escape(PlainParts.Table(map).Caption)),
        };
        table.AddColumn(new TableColumn(new Text($"{map.Down} \\ {map.Across}")));
        foreach (string column in map.Columns)
        {
            table.AddColumn(new TableColumn(new Text(column)) { Alignment = Justify.Right, NoWrap = true });
        }

        foreach (HeatRow row in map.Rows)
        {
            table.AddRow(row.Cells.Select(Coloured).Prepend(new Text(row.Name)));
        }

        return table;
    }

    private static Text Coloured(HeatCell? cell)
    {
        if (cell is null)
        {
            return new Text(Figure.None);
        }

        ((int red, int green, int blue), bool isTextLight) = HeatScale.Of(HeatScale.StepOf(cell.Shade));
        return new Text(
            cell.IsBest ? $"* {cell.Text}" : cell.Text,
            new Style(
                isTextLight ? Color.White : Color.Black,
                new Color((byte)red, (byte)green, (byte)blue),
                cell.IsBest ? Decoration.Bold : Decoration.None));
    }

    private static Table Boxed(ReportTable table)
    {
        var boxed = new Table { Border = TableBorder.Rounded, Title = new TableTitle(Markup.Escape(table.Caption)) };
        foreach (ReportColumn column in table.Columns)
        {
            boxed.AddColumn(new TableColumn(new Text(column.Header))
            {
                Alignment = column.IsFigure ? Justify.Right : Justify.Left,
                NoWrap = true,
            });
        }

        foreach (IReadOnlyList<string> row in table.Rows)
        {
            // Text and not markup: a cell may hold brackets.
            boxed.AddRow(row.Select(static cell => new Text(cell)));
        }

        return boxed;
    }

    private static void WritePlain(ReportTable table, TextWriter output)
    {
        int[] widths = TableLayout.Widths(table);
        void WriteRow(IReadOnlyList<string> cells)
        {
            string[][] lines = [.. cells.Select(static cell => cell.Split('\n'))];
            for (int line = 0; line < lines.Max(static cell => cell.Length); line++)
            {
                output.WriteLine(string.Join("  ", lines.Select((cell, at) =>
                {
                    string text = line < cell.Length ? cell[line] : "";
                    return table.Columns[at].IsFigure ? text.PadLeft(widths[at]) : text.PadRight(widths[at]);
                })).TrimEnd());
            }
        }

        output.WriteLine();
        output.WriteLine(table.Caption);
        WriteRow([.. table.Columns.Select(static column => column.Header)]);
        WriteRow([.. widths.Select(static width => new string('-', width))]);
        foreach (IReadOnlyList<string> row in table.Rows)
        {
            WriteRow(row);
        }

        output.WriteLine();
    }
}
