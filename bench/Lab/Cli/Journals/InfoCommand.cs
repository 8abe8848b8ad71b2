using System.CommandLine;
using Raceway.Interop.Journal;

namespace Raceway.Lab.Cli.Journals;

/// <summary><c>raceway journal info</c>: what a journal holds.</summary>
internal sealed class InfoCommand(ToolConsole console) : JournalPathCommand("info", "Shows what a journal holds, segment by segment. Changes nothing.", console)
{
    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway journal info data/orders", "items, segments, schemas, whether it was closed"),
    ];

    /// <inheritdoc/>
    protected override int Execute(string path, ParseResult options, CommandRun run, Action<object> write)
    {
        JournalReport report = JournalFolder.Inspect(path);
        Print(report);
        write(report);
        return ExitCode.Done;
    }
}
