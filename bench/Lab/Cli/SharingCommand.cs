using System.CommandLine;
using Raceway.Analysis.SharingStudy;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway sharing</c>: what false sharing costs on this machine, and how a ring is best laid out on it.</summary>
internal sealed class SharingCommand : ToolCommand
{
    private const string SuiteName = "sharing";

    private readonly ToolSettings _settings;
    private readonly Option<string[]> _case = new("--case")
    {
        Description = "Only the cases named; 'counters*' means all that begin with counters. Default: all.",
        HelpName = "NAME",
        AllowMultipleArgumentsPerToken = true,
    };

    private static readonly TimeSpan s_bound = TimeSpan.FromMinutes(3), s_quickBound = TimeSpan.FromMinutes(2);

    private readonly Option<bool> _quick = CommonOptions.Quick(
        "Fewer and shorter rounds: a first impression, in at most 2 minutes instead of 3.");
    private readonly Option<string?> _json = CommonOptions.Json();
    private readonly Option<string?> _html = CommonOptions.Html();

    /// <summary>Creates the command.</summary>
    public SharingCommand(ToolConsole console, ToolSettings settings)
        : base(
            SuiteName,
            "Measures what false sharing costs here: counters, hand-written rings and the real ring at all distances; finds the "
            + "size of a line and what is prefetched; says which padding to choose.",
            console)
    {
        _settings = settings;
        foreach (Option option in new Option[] { _case, _quick, _json, _html })
        {
            Add(option);
        }

        _case.Validators.Add(static result =>
        {
            foreach (string name in result.Tokens.Select(static token => token.Value))
            {
                if (SuiteList.ErrorOf(name, SuiteList.All[SuiteName]) is { } error)
                {
                    result.AddError(error);
                }
            }
        });
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway sharing", "the whole study: about a minute and a half"),
        ("raceway sharing --quick --html sharing.html", "a first impression, as a page"),
        ("raceway sharing --case 'counters/*' prefetch --json sharing.json", "bare cells and prefetch, for a program to read"),
        ("raceway sharing --case 'padding/*'", "the real ring alone, under each padding"),
        ("taskset -c 0,1 raceway sharing", "between two processors of your choice, of one core or of two"),
    ];

    // A ring starts threads and forms batches: its rounds must be longer than those of a bare loop.
    private static InterleaverOptions OfRing(InterleaverOptions bare) =>
        bare with { RoundTime = 5 * bare.RoundTime, WarmUpLimit = 5 * bare.WarmUpLimit };

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        string[] names = options.GetValue(_case) ?? [];
        bool quick = options.GetValue(_quick);
        using var outputs = new Outputs(options.GetValue(_json), options.GetValue(_html));
        InterleaverOptions measuring = quick ? _settings.QuickSharing : _settings.Sharing;
        InterleaverOptions Measuring(SuiteCase one) => one is RingCase ? OfRing(measuring) : measuring;
        SuiteCase[] cases = [.. SuiteList.Select(SuiteName, names, quick: false)];
        TimeBudget budget = run.Bound(quick ? s_quickBound : s_bound);
        MachineCard machine = MachineCard.Read();

        // Opened here: it counts the threads that this one starts from now on.
        using PerfCounters counters = PerfCounters.Open();
        var suiteMeasuring = new SuiteMeasuring(cases, Measuring, default, inner => new CountedContestant(inner, counters));
        run.IfStuck(ending => Report(options, machine, suiteMeasuring.SoFar(ending), counters, outputs, cancellation));
        SuiteRun measured = suiteMeasuring.Run(Console, budget, cancellation);
        run.BeginReport();
        Report(options, machine, measured, counters, outputs, cancellation);
        return cancellation.IsCancellationRequested ? ExitCode.Interrupted
            : measured is { IsRight: true, IsAbandoned: false } ? ExitCode.Done
            : ExitCode.Failed;
    }

    private void Report(
        ParseResult options, MachineCard machine, SuiteRun run, PerfCounters counters, Outputs outputs, CancellationToken cancellation)
    {
        var findings = new SharingFindings(run.Results);
        var report = new Report(
            $"raceway {Name}",
            [
                .. SharingReport.Tables(findings),
                .. run.TablesOf([.. counters.HardwareMetrics]),
                .. cancellation.IsCancellationRequested
                    ? [new ReportText("Interrupted: this is what was measured until then.")]
                    : Array.Empty<ReportPart>(),
            ])
        {
            Answer = [.. SharingReport.Answer(findings, machine)],
            Method = [StandingReport.Method, SharingReport.Method(counters)],
            Machine = machine,
        };
        ResultRow[] rows = [.. SharingRows.Of(run.Results)];
        outputs.Write(
            Result(
                options, SuiteName, machine, rows,
                (ResultOptions.Quick, options.GetValue(_quick) ? ResultOptions.Yes : ResultOptions.No),
                ("case", string.Join(' ', options.GetValue(_case) ?? []))) with
            {
                Curves = run.Curves,
            },
            report);
        ConsoleReport.Write(report, Console);
    }
}
