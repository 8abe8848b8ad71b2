using System.Globalization;
using Raceway.Lab.Cli;
using Raceway.Lab.Reporting;
using Raceway.Pipelines;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Raceway.Lab.Watching;

/// <summary>Shows what is seen, each time that there is more: a screen that changes, or lines.</summary>
internal static class WatchView
{
    /// <summary>Calls <paramref name="watch"/> with what shows the pipelines; it returns when there is no more to show.</summary>
    public static void Run(ToolConsole console, string title, Action<Action<IReadOnlyCollection<WatchedPipeline>>> watch)
    {
        if (!console.IsOutRich)
        {
            var shown = new HashSet<(string, string)>();
            watch(pipelines => WriteLines(console.Out, pipelines, shown));
            return;
        }

        IAnsiConsole rich = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(console.Out) });
        rich.Live(new Text($"{title}: waiting for figures")).AutoClear(true).Overflow(VerticalOverflow.Ellipsis).Start(
            live => watch(pipelines =>
            {
                live.UpdateTarget(Screen(title, pipelines, rich.Profile.Width));
                live.Refresh();
            }));
    }

    private static Rows Screen(string title, IReadOnlyCollection<WatchedPipeline> pipelines, int width)
    {
        List<IRenderable> rows = [new Text($"{title}   Ctrl-C ends", new Style(decoration: Decoration.Bold))];
        foreach (WatchedPipeline one in pipelines)
        {
            IReadOnlyList<ReportTable> tables = WatchTables.Stages(Caption(one), one.Before, one.Now);
            rows.Add(ConsoleTable.Boxed(tables.FirstOrDefault(table => ConsoleTable.Fits(table, width)) ?? tables[^1]));
            rows.AddRange(WatchTables.Plans(one.Now).Select(static plan => new Text(plan)));
            rows.AddRange(WatchTables.Rings(one.Before, one.Now).Select(static ring => new Text(ring)));
            rows.AddRange(one.Findings.Findings.Select(static finding => new Text($"- {finding}", StyleOf(finding))));
        }

        return new Rows(rows);
    }

    private static string Caption(WatchedPipeline one) =>
        string.Create(CultureInfo.InvariantCulture, $"{one.Name} at {one.Now.At.TotalSeconds:0.0} s");

    private static Style StyleOf(Finding finding) => finding.Remedies.Count > 0 ? new Style(Color.Yellow) : Style.Plain;

    // A finding that is still there is not said again.
    private static void WriteLines(TextWriter output, IReadOnlyCollection<WatchedPipeline> pipelines, HashSet<(string, string)> shown)
    {
        foreach (WatchedPipeline one in pipelines)
        {
            foreach (string line in WatchTables.Lines(one.Name, one.Before, one.Now)) output.WriteLine(line);
            (string, string, Finding Finding)[] now =
                [.. one.Findings.Findings.Select(finding => (one.Name, $"{finding.Kind} {string.Join('+', finding.Stages)} {finding.Ring}", finding))];
            foreach ((string name, string what, Finding finding) in now)
            {
                if (shown.Add((name, what)))
                    output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{one.Now.At.TotalSeconds,7:0.0} s  {name}  ! {finding}"));
            }

            shown.RemoveWhere(old => old.Item1 == one.Name && !now.Any(current => current.Item2 == old.Item2));
        }
    }
}
