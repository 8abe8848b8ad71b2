using System.CommandLine;
using System.Globalization;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway compare</c>: ours beside its peers in the cases of a suite.</summary>
internal sealed class CompareCommand : ToolCommand
{
    private const double DefaultMinutes = 10;

    private readonly ToolSettings _settings;
    private readonly Option<string> _suite = new("--suite")
    {
        Description = $"The suite to run, with the most seconds that it takes, and with --quick: {Bounds()}. soak takes --minutes more.",
        HelpName = "NAME",
        Required = true,
    };

    private readonly Option<string[]> _case = new("--case")
    {
        Description = "Only the cases named; '1p-1c*' means all that begin with 1p-1c. Default: all of the suite.",
        HelpName = "NAME",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<double?> _minutes = CommonOptions.Number<double>(
        "--minutes",
        "a number above 0, up to 1440 (a day)",
        static minutes => minutes is > 0 and <= 24 * 60,
        $"How long the case soak lasts. Default: {DefaultMinutes}.");

    private readonly Option<bool> _quick =
        CommonOptions.Quick("Fewer and shorter rounds, fewer cases unless they are named: a first impression.");

    private readonly Option<string?> _check = CommonOptions.Check("this suite");

    private readonly Option<string?> _json = CommonOptions.Json();
    private readonly Option<string?> _html = CommonOptions.Html();

    // By the options of the tool, whatever a test sets.
    private static string Bounds() => string.Join(", ", SuiteList.All.Values.Select(static suite =>
    {
        TimeSpan full = SuiteList.Bound(suite, [], quick: false, new ToolSettings().Compare);
        TimeSpan quick = SuiteList.Bound(suite, [], quick: true, new ToolSettings().QuickCompare);
        return string.Create(CultureInfo.InvariantCulture, $"{suite.Name} ({full.TotalSeconds:0}, {quick.TotalSeconds:0})");
    }));

    /// <summary>Creates the command.</summary>
    public CompareCommand(ToolConsole console, ToolSettings settings)
        : base("compare", "Measures ours beside Channels, Dataflow, BlockingCollection and the bare machine.", console)
    {
        _settings = settings;
        Add(_suite);
        Add(_case);
        Add(_minutes);
        Add(_quick);
        Add(_check);
        Add(_json);
        Add(_html);
        _suite.Validators.Add(static result =>
        {
            string? name = result.Tokens.Count == 1 ? result.Tokens[0].Value : null;
            if (name is not null && !SuiteList.All.ContainsKey(name))
            {
                result.AddError($"--suite takes one of: {string.Join(", ", SuiteList.All.Keys)}; there is no suite '{name}'.");
            }
        });
        Validators.Add(result =>
        {
            if (result.GetResult(_suite)?.Tokens is not [{ Value: var suite }]
                || !SuiteList.All.TryGetValue(suite, out Suite? known))
            {
                return;
            }

            foreach (string name in result.GetResult(_case)?.Tokens.Select(static token => token.Value) ?? [])
            {
                if (SuiteList.ErrorOf(name, known) is { } error)
                {
                    result.AddError(error);
                }
            }
        });
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway compare --suite ring", "all cases of the ring suite: ahead, level or behind, and by how much"),
        ("raceway compare --suite ring --quick --json ring.json", "a first impression, also for a program to read"),
        ("raceway compare --suite ring --case 1p-1c round-trip", "two cases only"),
        ("raceway compare --suite ring --case '1p-1c*'", "1p-1c with all its slot sizes, groups and capacities"),
        ("raceway compare --suite ring --case one-way-1e5 wake-up publish-parked", "latencies at a low load"),
        ("raceway compare --suite batching --case 'disk*' --json batching.json", "what a batch buys where each call is a sync, and its latency"),
        ("raceway compare --suite ring --check bench/aims.json", "for developers: whether what we aim at is met"),
        ("raceway compare --suite soak --case soak --minutes 60", "whether the cost of an event stays the same for an hour"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        string suite = options.GetRequiredValue(_suite);
        string[] names = options.GetValue(_case) ?? [];
        bool quick = options.GetValue(_quick);
        TimeSpan soak = TimeSpan.FromMinutes(options.GetValue(_minutes) ?? DefaultMinutes);
        IReadOnlyList<Aim> aims = options.GetValue(_check) is { } file ? AimsInput.Read(file, suite) : [];
        using var outputs = new Outputs(options.GetValue(_json), options.GetValue(_html));
        InterleaverOptions measuring = quick ? _settings.QuickCompare : _settings.Compare;
        SuiteCase[] cases = [.. SuiteList.Select(suite, names, quick)];
        TimeSpan fills = cases.Count(static one => one.Rounds.FillsTime) * soak * 1.25;
        TimeBudget budget = run.Bound(SuiteList.Bound(SuiteList.All[suite], names, quick, measuring) + fills);
        MachineCard machine = MachineCard.Read();
        var suiteMeasuring = new SuiteMeasuring(cases, _ => measuring, soak);
        run.IfStuck(ending => AreMet(suiteMeasuring.SoFar(ending)));
        SuiteRun measured = suiteMeasuring.Run(Console, budget, cancellation);
        run.BeginReport();
        bool areMet = AreMet(measured);
        return cancellation.IsCancellationRequested ? ExitCode.Interrupted
            : measured is { IsRight: true, IsAbandoned: false } && areMet ? ExitCode.Done
            : ExitCode.Failed;

        // Reports, with whether each aim is met that was measured.
        bool AreMet(SuiteRun some)
        {
            IReadOnlyList<AimResult> found = AimCheck.Of(aims, some.Results);
            Report(options, machine, some, found, outputs, cancellation);
            return found.All(static one => one.Verdict != AimVerdict.DoesNotHold);
        }
    }

    private void Report(
        ParseResult options, MachineCard machine, SuiteRun run, IReadOnlyList<AimResult> checkedAims, Outputs outputs, CancellationToken cancellation)
    {
        string suite = options.GetRequiredValue(_suite);
        var parts = new List<ReportPart>(run.Tables);
        ResultRow[] standings = [.. run.Standings.Select(static one => one.ToRow())];
        ResultRow[] aims = [.. checkedAims.Select(static one => one.ToRow())];
        parts.AddRange(AimsReport.Of(aims));

        if (cancellation.IsCancellationRequested)
        {
            parts.Add(new ReportText("Interrupted: the tables hold what was measured until then."));
        }

        var report = new Report($"raceway compare --suite {suite}", parts)
        {
            Answer = StandingReport.Of([.. run.Rows, .. standings]), Method = [StandingReport.Method], Machine = machine,
        };
        outputs.Write(
            Result(
                options, suite, machine, [.. run.Rows, .. standings, .. aims],
                (ResultOptions.Quick, options.GetValue(_quick) ? ResultOptions.Yes : ResultOptions.No),
                ("case", string.Join(' ', options.GetValue(_case) ?? [])),
                ("minutes", (options.GetValue(_minutes) ?? DefaultMinutes).ToString(CultureInfo.InvariantCulture))) with
            {
                Curves = run.Curves,
            },
            report);
        ConsoleReport.Write(report, Console);
    }
}
