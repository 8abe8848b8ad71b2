using System.CommandLine;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway run</c>: the main job on real input, and the table that the project exists for.</summary>
internal sealed class RunCommand : ToolCommand
{
    private readonly ToolSettings _settings;
    private readonly Option<string[]> _input = new("--input")
    {
        Description = "Files and folders to read; folders with everything below them, sorted by path. "
            + "Default: the reference documentation (*.xml) of the SDK that runs this.",
        HelpName = "PATH...",
        AllowMultipleArgumentsPerToken = true,
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _manifest = CommonOptions.File(
        "--manifest",
        "Write SHA-512 digests of the files to FILE, byte for byte as 'sha512sum' prints them: names are the paths as "
        + "given, a file in a folder is FOLDER/name. 'sha512sum -c FILE' checks them from the same place.");

    private readonly Option<bool> _noHash = new("--no-hash")
    {
        Description = "Leave out the SHA-512 stage: the hand-over itself shows.",
    };

    private readonly Option<bool> _quick = CommonOptions.Quick("Fewer and shorter rounds: within 45 s instead of 60. Reading an --input of yours comes on top of both.");
    private readonly Option<string[]> _contestant = new("--contestant")
    {
        Description = "Only the contestants named, as the table calls them; 'raceway/batch*' means all that begin so. Default: all.",
        HelpName = "NAME",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<double?> _minutes = CommonOptions.Number<double>(
        "--minutes",
        "a number from 1 to 60",
        static minutes => minutes is >= 1 and <= 60,
        "Measure for longer: as many rounds as fit, up to 400, so that intervals get narrow. Default: 1.");

    private readonly Option<int> _capacity = CapacityOption();
    private readonly Option<string?> _check = CommonOptions.Check("the main job");
    private readonly Option<string?> _json = CommonOptions.Json();
    private readonly Option<string?> _html = CommonOptions.Html();

    /// <summary>Creates the command.</summary>
    public RunCommand(ToolConsole console, ToolSettings settings)
        : base(
            "run",
            "Takes real input through parse, SHA-512 and aggregate, prints the result, and measures every way to do it.",
            console)
    {
        _settings = settings;
        foreach (Option option in new Option[] { _input, _manifest, _noHash, _quick, _contestant, _minutes, _capacity, _check, _json, _html })
        {
            Add(option);
        }

        Validators.Add(result =>
        {
            if (result.GetResult(_quick) is not null && result.GetResult(_minutes) is not null)
                result.AddError("--quick and --minutes both say how long the run takes: leave one of them out.");
        });
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway run", "the SDK's own reference documentation, all contestants, within a minute"),
        ("raceway run --no-hash --quick", "without the stage that dominates: batch against single, ours against Channels"),
        ("raceway run --input docs notes.txt --manifest SHA512SUMS", "other input, with the digests of its files"),
        ("raceway run --contestant raceway/default 'channel*' --minutes 5", "a few of them, with narrow intervals"),
        ("raceway run --json run.json --html run.html", "the figures for a program and a page for a reader"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        bool hashed = !options.GetValue(_noHash);
        bool quick = options.GetValue(_quick);
        int capacity = options.GetValue(_capacity);
        string? manifestName = options.GetValue(_manifest);
        string? json = options.GetValue(_json), html = options.GetValue(_html);
        OutputGuard.RefuseTwice(manifestName, json, html);
        string[] names = options.GetValue(_contestant) ?? [];
        // Wrong names are refused before anything is read. Otherwise contestants are made within the bound.
        if (names.Length > 0) RefuseUnknown(names, _settings.Contestants(hashed, capacity));
        IReadOnlyList<Aim> aims = options.GetValue(_check) is { } file ? AimsInput.Read(file, MainJobRows.SuiteOf(hashed)) : [];

        // The input is listed before any output is opened: a folder may hold both.
        InputSet input = OutputGuard.LeaveOut(
            InputFiles.Resolve(options.GetValue(_input) ?? []), options.GetValue(_input) ?? [], manifestName, json, html);
        using OutputFile? manifest = OutputFile.Open("--manifest", manifestName);
        using var outputs = new Outputs(json, html);

        // What reads another input than the default one takes as long as that is large: the bound counts from there on.
        bool isDefault = options.GetValue(_input) is not { Length: > 0 };
        MainJobOptions times = quick ? _settings.QuickMainJob
            : options.GetValue(_minutes) is { } minutes ? _settings.MainJob.Lasting(TimeSpan.FromMinutes(minutes))
            : _settings.MainJob;
        TimeBudget? budget = isDefault ? run.Bound(times.Bound) : null;
        using RacewayLineEngine engine = LineEngines.Default(capacity, recordsTimeline: json is not null || html is not null);
        MainJobResult result = MainJobRun.Execute(input, engine, hashed, manifest is not null, cancellation);
        manifest?.Commit(stream => Manifest.Write(stream, input.Files, result.Digests!));
        bool verified = result.Verify(hashed, cancellation);
        ReportPart[] parts = [.. MainJobReport.Result(result, hashed, verified)];
        ConsoleReport.Write(new Report(Title(options), parts), Console);
        ResultRow[] rows = [.. MainJobRows.Of(result, verified)];
        ResultTimeline[]? timelines = engine.Timeline?.ToResult(MainJobRows.CaseName, engine.Name).ToArray();

        budget ??= run.Bound(times.Bound);
        LoadedInput? loaded = result.Totals.Lines == 0 ? null : LoadedInput.Load(input.Files, cancellation: cancellation);
        using var progress = new ProgressLine(Console);
        var runner = new MainJobRunner(times, progress);
        run.IfStuck(ending => Report(loaded is null ? null : runner.SoFar(loaded, ending)));
        MainJobTable? table = null;
        if (loaded is not null)
        {
            ExpectedTotals expected = ExpectedTotals.Compute(loaded.Parts, hashed, cancellation);
            table = runner.Run(Named(names, _settings.Contestants(hashed, capacity)), loaded, expected, budget, cancellation);
        }

        run.BeginReport();
        progress.Dispose();
        bool areMet = Report(table);
        return cancellation.IsCancellationRequested ? ExitCode.Interrupted
            : verified && table?.Entries.All(static one => one.Verified || one.Failure is not null) != false
                && table?.IsAbandoned != true && input.Unread.Count == 0 && areMet ? ExitCode.Done
            : ExitCode.Failed;

        // With whether each aim is met that was measured.
        bool Report(MainJobTable? table)
        {
            MachineCard machine = MachineCard.Read();
            IReadOnlyList<AimResult> found = AimCheck.Of(aims, table?.Cases ?? []);
            ResultRow[] aimRows = [.. found.Select(static one => one.ToRow())];
            var report = new Report(
                Title(options),
                table is null
                    ? [new ReportText(loaded is null ? "The input has no lines, so there is nothing to measure." : "Nothing was measured.")]
                    : [.. MainJobReport.Table(table, hashed, cancellation.IsCancellationRequested), .. AimsReport.Of(aimRows)])
            {
                Answer = table is null ? [] : MainJobReport.Answer(table),
                Method = table is null ? [] : [StandingReport.Method],
                Machine = machine,
            };
            ResultRow[] standing = table is null ? [] : [.. MainJobRows.Standings(table)];
            outputs.Write(
                Result(
                    options, MainJobRunner.CaseName, machine, [.. rows, .. table?.Rows ?? [], .. standing, .. aimRows], Described(input, hashed, quick, capacity)) with
                {
                    Timelines = timelines,
                    Curves = table?.Latency is null ? null : CurveBuilder.Of([.. new[] { table.Common, table.Latency }.OfType<CaseResult>()]),
                },
                report with { Parts = [.. parts, .. report.Parts] });
            ConsoleReport.Write(report, Console);
            return found.All(static one => one.Verdict != AimVerdict.DoesNotHold);
        }
    }

    private static void RefuseUnknown(string[] names, IReadOnlyList<LineContestant> all)
    {
        if (names.FirstOrDefault(name => !all.Any(one => SuiteList.IsNamed(name, one.Name))) is { } odd)
        {
            throw new ToolException(
                $"--contestant takes names of contestants: {string.Join(", ", all.Select(static one => one.Name))}; there is no '{odd}'.", ExitCode.Usage);
        }
    }

    private static IReadOnlyList<LineContestant> Named(string[] names, IReadOnlyList<LineContestant> all) =>
        names.Length == 0 ? all : [.. all.Where(one => names.Any(name => SuiteList.IsNamed(name, one.Name)))];

    private static IEnumerable<(string, string)> Described(InputSet input, bool hashed, bool quick, int capacity) =>
    [
        ("input", input.Description),
        ("no-hash", hashed ? ResultOptions.No : ResultOptions.Yes),
        (ResultOptions.Quick, quick ? ResultOptions.Yes : ResultOptions.No),
        .. input.Unread.Count == 0 ? Array.Empty<(string, string)>() : [("unread", string.Join("; ", input.Unread))],
        ("capacity", capacity.ToString(System.Globalization.CultureInfo.InvariantCulture)),
    ];

    private static Option<int> CapacityOption()
    {
        const int least = 1_024;
        const int most = 1 << 20;
        var option = new Option<int>("--capacity")
        {
            Description = "Lines that each ring or channel holds, a power of two.",
            HelpName = "N",
            DefaultValueFactory = static _ => LineContestants.DefaultCapacity,
        };
        option.CustomParser = result =>
        {
            string text = result.Tokens[0].Value;
            if (!int.TryParse(text, out int value) || value is < least or > most || !int.IsPow2(value))
            {
                result.AddError(
                    $"--capacity takes a power of two from {least} to {most}, but got '{text}'; "
                    + $"try {LineContestants.DefaultCapacity}.");
            }

            return value;
        };
        return option;
    }

    private string Title(ParseResult options) => $"raceway {Name}{(options.GetValue(_noHash) ? " --no-hash" : "")}";
}
