using System.Globalization;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The report that is made of result files: the answer, charts and a table for each case, how it was measured, the machine.</summary>
/// <remarks>It takes nothing from the machine or the hour it is made at: the same files give the same report.</remarks>
internal static class ResultsReport
{
    private const string Reference = "raceway/default";

    /// <summary>The report.</summary>
    /// <param name="files">The files with the names they go by, in the order of the report.</param>
    public static Report Of(IReadOnlyList<(string Name, ResultFile Result)> files) => new("Benchmarks",
    [
        .. EachUnder("Answer", files, static file => StandingReport.Of(file.Rows)),
        .. files.SelectMany(Cases),
        .. files.SelectMany(Layouts),
        .. EachUnder("Aims", files, static file => [.. AimsReport.Of(file.Rows)]),
        new ReportHeading("How it was measured"),
        StandingReport.Method,
        new ReportText(
            $"Made by raceway report from {string.Join(", ", files.Select(static file => file.Name))}; not written by hand. "
            + "Notes tell the round trip of a bare cache line around the rounds: near as between two threads of one core, far as "
            + "between two cores, unknown where only fast lines were seen."),
        .. files.SelectMany(Run),
        .. Machines(files),
    ]);

    /// <summary>
    /// The page of one run: the answer, all that its figures show, what else the command printed, how to measure it again, and the
    /// machine.
    /// </summary>
    public static Report OfRun(Report printed, ResultFile result)
    {
        var charts = new CaseCharts(result);
        HashSet<string> shown = [.. printed.Answer.OfType<ReportBars>().Select(static bars => bars.Caption)];
        ReportPart[] figures =
        [
            .. charts.Cases.Select(name => (Name: name, Parts: charts.Of(name).Where(part => part is not ReportBars bars || !shown.Contains(bars.Caption)).ToArray()))
                .Where(static one => one.Parts.Length > 0)
                .SelectMany(static one => one.Parts.Prepend(new ReportHeading(one.Name, Level: 2))),
        ];
        ReportPart[] method = [.. printed.Method, .. Command(result) is { } command ? new ReportPart[] { command } : []];
        bool hasCard = printed.Parts.OfType<ReportTable>().Any(static table => table.Caption == MachineReport.Caption);
        return new Report(
            printed.Title,
            [
                .. Under("Answer", printed.Answer),
                .. Under("Figures", figures),

                // What was printed small is drawn above.
                .. Under("Results", [.. printed.Parts.Where(static part => part is not ReportBars)]),
                .. Under("How it was measured", method),
                .. hasCard ? [] : Machines([("", result)]),
            ]);
    }

    private static IEnumerable<ReportPart> Under(string heading, IReadOnlyCollection<ReportPart> parts) =>
        parts.Count == 0 ? [] : parts.Prepend(new ReportHeading(heading));

    // Where several files have something to say, each says it under its name.
    private static IEnumerable<ReportPart> EachUnder(
        string heading, IReadOnlyList<(string Name, ResultFile Result)> files, Func<ResultFile, IReadOnlyCollection<ReportPart>> partsOf)
    {
        (string Name, IReadOnlyCollection<ReportPart> Parts)[] told =
            [.. files.Select(file => (file.Name, partsOf(file.Result))).Where(static one => one.Item2.Count > 0)];
        return Under(
            heading,
            told is [var only] ? only.Parts
            : [.. told.SelectMany(one => one.Parts.Prepend(new ReportHeading($"{heading} of {one.Name}", Level: 2)))]);
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
            foreach (ReportPart chart in charts.Of(name)) yield return chart;
            IReadOnlyList<ResultRow> rows = charts.RowsOf(name);
            if (rows.Count == 0) continue;
            string[] further = [.. rows.Select(static row => row.Metric).Distinct().Where(metric => metric != rows[0].Metric)];
            yield return RowsReport.Of(Description(file.Result.Suite, name), rows, further, Reference);
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
