using Raceway.Lab.Cli;
using Spectre.Console;

namespace Raceway.Lab.Reporting;

/// <summary>Prints a report: boxes and colours on a terminal, aligned text everywhere else.</summary>
internal static class ConsoleReport
{
    /// <summary>Prints it to where results go.</summary>
    public static void Write(Report report, ToolConsole console)
    {
        IAnsiConsole? rich = console.IsOutRich
            ? AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(console.Out) })
            : null;
        foreach (ReportPart part in report.Parts)
        {
            switch (part)
            {
                case ReportText text when rich is not null:
                    rich.WriteLine(text.Text, text.IsResult ? new Style(decoration: Decoration.Bold) : Style.Plain);
                    break;
                case ReportText text:
                    console.Out.WriteLine(text.Text);
                    break;
                case ReportHeading heading when rich is not null:
                    rich.WriteLine();
                    rich.WriteLine(heading.Text, new Style(decoration: Decoration.Bold | Decoration.Underline));
                    break;
                case ReportHeading heading:
                    console.Out.WriteLine();
                    console.Out.WriteLine(heading.Text);
                    console.Out.WriteLine(new string(heading.Level == 1 ? '=' : '-', heading.Text.Length));
                    break;
                case ReportCommands commands:
                    foreach (string line in commands.Lines) console.Out.WriteLine($"    {line}");
                    break;
                case ReportTable table when rich is not null && BoxedWidth(table) <= rich.Profile.Width:
                    rich.Write(Boxed(table));
                    break;
                case ReportTable table:
                    WritePlain(table, console.Out);
                    break;
            }
        }
    }

    /// <summary>A table in a box.</summary>
    public static Table Boxed(ReportTable table)
    {
        var boxed = new Table { Border = TableBorder.Rounded, Title = new TableTitle(Markup.Escape(table.Caption)) };
        foreach (ReportColumn column in table.Columns)
        {
            boxed.AddColumn(new TableColumn(new Text(column.Header))
            {
                Alignment = column.IsFigure ? Justify.Right : Justify.Left,
                NoWrap = column.IsFigure,
            });
        }

        foreach (IReadOnlyList<string> row in table.Rows)
        {
            // Text and not markup: a cell may hold brackets.
            boxed.AddRow(row.Select(static cell => new Text(cell)));
        }

        return boxed;
    }

    /// <summary>A box that does not fit its terminal loses cells; plain lines are only wrapped.</summary>
    public static int BoxedWidth(ReportTable table) => Widths(table).Sum(static width => width + 3) + 1;

    private static int[] Widths(ReportTable table) => [.. table.Columns.Select((column, at) =>
        Math.Max(column.Header.Length, table.Rows.Select(row => row[at].Length).DefaultIfEmpty().Max()))];

    private static void WritePlain(ReportTable table, TextWriter output)
    {
        int[] widths = Widths(table);
        void WriteRow(IReadOnlyList<string> cells) => output.WriteLine(string.Join("  ", cells.Select((cell, at) =>
            table.Columns[at].IsFigure ? cell.PadLeft(widths[at]) : cell.PadRight(widths[at]))).TrimEnd());

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
