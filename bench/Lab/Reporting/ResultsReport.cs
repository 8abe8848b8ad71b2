using System.Globalization;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The report that is made of result files: machine, runs, claims, and a table for each case.</summary>
/// <remarks>It takes nothing from the machine or the hour it is made at: the same files give the same report.</remarks>
internal static class ResultsReport
{
    private const string Reference = "raceway/default";

    /// <summary>The report.</summary>
    /// <param name="files">The files with the names they go by, in the order of the report.</param>
    public static Report Of(IReadOnlyList<(string Name, ResultFile Result)> files) => new("Benchmarks",
    [
        new ReportText(
            $"Made by raceway report from {string.Join(", ", files.Select(static file => file.Name))}; not written by hand. "
            + "Figures are medians over interleaved rounds with the 95 % interval of the median, and belong to the machine below. "
            + "Notes tell the round trip of a bare cache line around the rounds: near as between two threads of one core, far as "
            + "between two cores, unknown where only fast lines were seen."),
        .. Machines(files),
        new ReportHeading("Runs"),
        .. files.SelectMany(Run),
        new ReportHeading("Claims"),
        .. Claims(files),
        .. files.SelectMany(Cases),
        .. files.SelectMany(Layouts),
    ]);

    /// <summary>
    /// The page of one run: what the command printed, then all that its figures show, the machine, and how to measure it
    /// again.
    /// </summary>
    public static Report OfRun(Report printed, ResultFile result)
    {
        var charts = new CaseCharts(result);
        ReportPart[] figures =
        [
            .. charts.Cases.Select(name => (Name: name, Parts: charts.Of(name).ToArray()))
                .Where(static one => one.Parts.Length > 0)
                .SelectMany(static one => one.Parts.Prepend(new ReportHeading(one.Name, Level: 2))),
        ];
        bool hasCard = printed.Parts.OfType<ReportTable>().Any(static table => table.Caption == MachineReport.Caption);
        return printed with
        {
            Parts =
            [
                new ReportHeading("Results"),

                // What was printed small is drawn below.
                .. printed.Parts.Where(static part => part is not ReportBars),
                .. figures.Length > 0 ? figures.Prepend(new ReportHeading("Figures")) : [],
                .. hasCard ? [] : Machines([("", result)]),
                .. Command(result) is { } command ? new ReportPart[] { new ReportHeading("To measure it again"), command } : [],
            ],
        };
    }

    private static IEnumerable<ReportPart> Machines(IReadOnlyList<(string Name, ResultFile Result)> files)
    {
        // What is timed differs a little each time; the card of the first run on a machine is enough.
        foreach (var same in files.GroupBy(static file => file.Result.Machine.WithoutTimes()))
        {
            MachineCard machine = same.First().Result.Machine;
            bool isOnlyOne = same.Count() == files.Count;
            yield return new ReportHeading(
                isOnlyOne ? "Machine" : $"Machine of {string.Join(", ", same.Select(static file => file.Name))}");
            yield return MachineReport.Table(machine);
            foreach (ReportText advice in MachineReport.Advice(machine))
            {
                yield return advice;
            }
        }
    }

    private static IEnumerable<ReportPart> Run((string Name, ResultFile Result) file)
    {
        ResultFile result = file.Result;
        string when = result.Measured is { } time
            ? time.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture)
            : "at a time not recorded";
        yield return new ReportText(
            $"{file.Name}: {result.Suite}, {result.Tool} {result.Version}, commit {result.Commit ?? "not known"}, measured {when}"
            + (Is(result, ResultOptions.Quick) ? ", a quick run: a first impression, nothing to rely on" : ""));
        if (Command(result) is { } command)
        {
            yield return command;
        }
    }

    private static ReportCommands? Command(ResultFile result)
    {
        string[] commands = [.. Values(result, ResultOptions.Command)];
        const string tool = "raceway ";
        string packages = Is(result, ResultOptions.PeerPackages) ? " -p:PeerPackages=true" : "";
        return commands.Length == 0
            ? null
            : new ReportCommands([.. commands.Select(command => $"dotnet run -c Release{packages} --project bench/Lab -- "
                + (command.StartsWith(tool, StringComparison.Ordinal) ? command[tool.Length..] : command))]);
    }

    private static bool Is(ResultFile result, string option) => Values(result, option).Contains(ResultOptions.Yes);

    // A file that was put together of several has the options of all.
    private static IEnumerable<string> Values(ResultFile result, string option) => result.Options
        .Where(one => one.Key == option || one.Key.EndsWith($": {option}", StringComparison.Ordinal))
        .Select(static one => one.Value);

    private static IEnumerable<ReportPart> Claims(IReadOnlyList<(string Name, ResultFile Result)> files)
    {
        (string Name, ReportPart[] Parts)[] checkedBy =
            [.. files.Select(static file => (file.Name, ClaimsReport.Of(file.Result.Rows).ToArray()))
                .Where(static one => one.Item2.Length > 0)];
        return checkedBy switch
        {
            [] => [new ReportText("These runs checked none.")],
            [var only] => only.Parts,
            _ => checkedBy.SelectMany(static one => one.Parts.Prepend(new ReportHeading($"Claims of {one.Name}", Level: 2))),
        };
    }

    private static IEnumerable<ReportPart> Cases((string Name, ResultFile Result) file)
    {
        var charts = new CaseCharts(file.Result);
        if (charts.Cases.Count > 0)
        {
            yield return new ReportHeading($"Cases of {file.Name}");
        }

        foreach (string name in charts.Cases)
        {
            yield return new ReportHeading(name, Level: 2);
            IReadOnlyList<ResultRow> rows = charts.RowsOf(name);
            if (rows.Count > 0)
            {
                string[] further =
                    [.. rows.Select(static row => row.Metric).Distinct().Where(metric => metric != rows[0].Metric)];
                yield return RowsReport.Of(Description(file.Result.Suite, name), rows, further, Reference);
            }

            foreach (ReportPart chart in charts.Of(name))
            {
                yield return chart;
            }
        }
    }

    private static IEnumerable<ReportPart> Layouts((string Name, ResultFile Result) file) =>
        file.Result.Layouts is { Count: > 0 } layouts
            ? layouts.SelectMany(LayoutReport.Of).Prepend(new ReportHeading($"Layouts of {file.Name}"))
            : [];

    private static string Description(string suite, string name) =>
        SuiteList.All.TryGetValue(suite, out Suite? compared)
            && compared.Cases.FirstOrDefault(one => one.Name == name) is { } known
            ? known.Description
            : $"{suite}: {name}";
}
