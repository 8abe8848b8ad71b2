using System.CommandLine;
using System.Globalization;
using Raceway.Lab.Reporting;
using Raceway.Scenarios.Measuring;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway compare</c>: ours beside its peers in the cases of a suite.</summary>
internal sealed class CompareCommand : ToolCommand
{
    private readonly ToolSettings _settings;
    private readonly Option<string> _suite = new("--suite")
    {
        Description = $"The suite to run: {string.Join(", ", Suites.All.Keys)}.",
        HelpName = "NAME",
        Required = true,
    };

    private readonly Option<string[]> _case = new("--case")
    {
        Description = "Only the cases named; '1p-1c*' means all that begin with 1p-1c. Default: all of the suite.",
        HelpName = "NAME",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<double> _minutes = new("--minutes")
    {
        Description = "How long the case soak lasts.",
        HelpName = "N",
        DefaultValueFactory = static _ => 10,
    };

    private readonly Option<bool> _quick =
        CommonOptions.Quick("Fewer and shorter rounds, fewer cases unless they are named: a first impression.");

    private readonly Option<string?> _json = CommonOptions.Json();
    private readonly Option<string?> _html = CommonOptions.Html();

    /// <summary>Creates the command.</summary>
    public CompareCommand(ToolConsole console, ToolSettings settings)
        : base("compare", "Measures ours beside Channels, Dataflow, BlockingCollection and the bare machine.", console)
    {
        _settings = settings;
        Add(_suite);
        Add(_case);
        Add(_minutes);
        Add(_quick);
        Add(_json);
        Add(_html);
        _suite.Validators.Add(static result =>
        {
            string? name = result.Tokens.Count == 1 ? result.Tokens[0].Value : null;
            if (name is not null && !Suites.All.ContainsKey(name))
            {
                result.AddError($"--suite takes one of: {string.Join(", ", Suites.All.Keys)}; there is no suite '{name}'.");
            }
        });
        _minutes.Validators.Add(static result =>
        {
            if (result.GetValueOrDefault<double>() is not (> 0 and <= 24 * 60))
            {
                result.AddError("--minutes takes a number above 0, up to 1440 (a day).");
            }
        });
        Validators.Add(result =>
        {
            if (result.GetResult(_suite)?.Tokens is not [{ Value: var suite }]
                || !Suites.All.TryGetValue(suite, out Suite? known))
            {
                return;
            }

            foreach (string name in result.GetResult(_case)?.Tokens.Select(static token => token.Value) ?? [])
            {
                if (!known.Cases.Any(one => Suites.IsNamed(name, one)))
                {
                    result.AddError(
                        $"--case takes cases of suite '{suite}': {string.Join(", ", known.Cases.Select(static one => one.Name))}; "
                        + $"there is no '{name}'.");
                }
            }
        });
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway compare --suite ring", "all cases of the ring suite, and which claims hold"),
        ("raceway compare --suite ring --quick --json ring.json", "a first impression, also for a program to read"),
        ("raceway compare --suite ring --case 1p-1c round-trip", "two cases only"),
        ("raceway compare --suite ring --case '1p-1c*'", "1p-1c with all its slot sizes, groups and capacities"),
        ("raceway compare --suite ring --case one-way-1e5 wake-up publish-parked", "latencies at a low load"),
        ("raceway compare --suite soak --case soak --minutes 60", "whether the cost of an event stays the same for an hour"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CancellationToken cancellation)
    {
        string suite = options.GetRequiredValue(_suite);
        string[] names = options.GetValue(_case) ?? [];
        bool quick = options.GetValue(_quick);
        TimeSpan soak = TimeSpan.FromMinutes(options.GetValue(_minutes));
        using var outputs = new Outputs(options.GetValue(_json), options.GetValue(_html));
        MachineCard machine = MachineCard.Read();
        var parts = new List<ReportPart> { MachineReport.Line(machine) };
        var rows = new List<ResultRow>();
        var results = new List<CaseResult>();

        using (var progress = new ProgressLine(Console))
        {
            InterleaverOptions measuring = quick ? _settings.QuickCompare : _settings.Compare;
            foreach (SuiteCase one in Suites.Select(suite, names, quick))
            {
                if (cancellation.IsCancellationRequested)
                {
                    break;
                }

                IReadOnlyList<IContestant> contestants = one.Create();
                CaseResult result = new Interleaver(one.Rounds.Apply(measuring, soak), progress)
                    .Run(one.Name, one.Metric, contestants, cancellation);
                foreach (IDisposable keeper in contestants.OfType<IDisposable>())
                {
                    keeper.Dispose();
                }

                parts.Add(RowsReport.Of(result, one.Description, one.Reference));
                parts.AddRange(BarsReport.Of(result.Rows));
                rows.AddRange(result.Rows);
                results.Add(result);
            }
        }

        ResultRow[] claims = [.. ClaimCheck.Of(Suites.All[suite].Claims, results).Select(static one => one.ToRow())];
        rows.AddRange(claims);
        parts.AddRange(ClaimsReport.Of(claims));

        if (cancellation.IsCancellationRequested)
        {
            parts.Add(new ReportText("Interrupted: the tables hold what was measured until then."));
        }

        var report = new Report($"raceway compare --suite {suite}", parts);
        ConsoleReport.Write(report, Console);
        outputs.Write(
            Result(
                options, suite, machine, rows,
                (ResultOptions.Quick, quick ? ResultOptions.Yes : ResultOptions.No),
                ("case", string.Join(' ', names)),
                ("minutes", soak.TotalMinutes.ToString(CultureInfo.InvariantCulture))) with
            {
                Curves = CurveBuilder.Of(results, name => Suites.All[suite].Cases.First(one => one.Name == name).Load),
            },
            report);
        return cancellation.IsCancellationRequested ? ExitCode.Interrupted
            : rows.Exists(static row => row.Median is not null && !row.Verified) ? ExitCode.Failed
            : ExitCode.Done;
    }
}
