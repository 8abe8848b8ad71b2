using System.CommandLine;
using Raceway.Interop.Journal;

namespace Raceway.Lab.Cli.Journals;

/// <summary><c>raceway journal verify</c>: whether all of a journal is what was written.</summary>
internal sealed class VerifyCommand(ToolConsole console) : JournalPathCommand(
    "verify", "Checks every byte of a journal; ends with 1 if it is damaged. A torn tail is no damage. Changes nothing.", console)
{
    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway journal verify data/orders", "ends with 0 if all is right, with 1 and the place if not"),
        ("raceway journal verify data/orders --json orders.json", "also writes it for a program to read"),
    ];

    /// <inheritdoc/>
    protected override int Execute(string path, ParseResult options, CommandRun run, Action<object> write)
    {
        JournalReport report = JournalFolder.Inspect(path);
        Console.Out.WriteLine(Summary(report));
        write(report);
        return report.Damage is null ? ExitCode.Done : ExitCode.Failed;
    }
}
