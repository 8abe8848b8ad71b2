using System.CommandLine;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway doctor</c>: what a reader must know of this machine before believing its figures.</summary>
internal sealed class DoctorCommand : ToolCommand
{
    /// <summary>What it takes at most; usually less than a second.</summary>
    private static readonly TimeSpan s_bound = TimeSpan.FromSeconds(20);

    private readonly Option<string?> _json = CommonOptions.Json();
    private readonly Option<string?> _html = CommonOptions.Html();

    /// <summary>Creates the command.</summary>
    public DoctorCommand(ToolConsole console)
        : base("doctor", "Shows what matters of this machine: cores, quota, line size, barriers, pause, clock. Takes at most 20 s.", console)
    {
        Add(_json);
        Add(_html);
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway doctor", "prints the machine's card and what to keep in mind"),
        ("raceway doctor --json machine.json", "also writes it for a program to read"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        using var outputs = new Outputs(options.GetValue(_json), options.GetValue(_html));
        run.Bound(s_bound);
        MachineCard machine = MachineCard.Read();
        cancellation.ThrowIfCancellationRequested();
        run.BeginReport();
        var report = new Report("raceway doctor", [MachineReport.Table(machine), .. MachineReport.Advice(machine)]);
        ConsoleReport.Write(report, Console);
        outputs.Write(Result(options, "doctor", machine, rows: []), report);
        return ExitCode.Done;
    }
}
