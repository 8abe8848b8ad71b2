using Raceway.Lab.Cli;
using Spectre.Console;

namespace Raceway.Lab.Reporting;

/// <summary>
/// Prints a report: boxes and colours on a terminal, aligned text everywhere else, never wider than the terminal.
/// </summary>
internal static class ConsoleReport
{
    /// <summary>Prints it to where results go.</summary>
    public static void Write(Report report, ToolConsole console)
    {
        IAnsiConsole? rich = console.IsOutRich
            ? AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(console.Out) })
            : null;
        if (rich is not null && console.Width is { } columns)
        {
            rich.Profile.Width = columns;
        }

        int width = console.Width ?? rich?.Profile.Width ?? int.MaxValue;
        ReportPart[] last = report.Machine is { } machine ? [MachineReport.Line(machine)] : [];
        foreach (ReportPart part in (ReportPart[])[.. report.Answer, .. report.Parts, .. report.Method, .. last])
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
                    // Not broken into lines: they are to be copied.
                    foreach (string line in commands.Lines) console.Out.WriteLine($"    {line}");
                    break;
                case ReportBars bars:
                    ConsoleBars.Write(bars, rich, console.Out, width);
                    break;
                case ReportHeatMap map when rich is not null && ConsoleTable.Fits(map, width):
                    rich.Write(ConsoleTable.Coloured(map));
                    break;
                case ReportTable or ReportHeatMap or ReportChart when PlainParts.Of(part) is ReportTable table:
                    ConsoleTable.Write(table, rich, console.Out, width);
                    break;
            }
        }
    }
}
