using System.CommandLine;
using Raceway.Interop.Journal;

namespace Raceway.Lab.Cli.Journals;

/// <summary><c>raceway journal cut</c>: gives up a damage and all behind it.</summary>
internal sealed class CutCommand : JournalPathCommand
{
    private readonly Option<bool> _yes = new("--yes") { Description = "Do it. Without it, the command says what it would give up." };

    /// <summary>Creates the command.</summary>
    public CutCommand(ToolConsole console)
        : base("cut", "Gives up the damage of a journal and all items behind it, so that it can be opened again. Copy the folder first.", console) =>
        Add(_yes);

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway journal cut data/orders", "says what would be given up, and ends with 1 if anything would"),
        ("raceway journal cut data/orders --yes", "does it"),
    ];

    /// <inheritdoc/>
    protected override int Execute(string path, ParseResult options, CommandRun run, Action<object> write)
    {
        bool does = options.GetValue(_yes);
        JournalReport before = does ? JournalFolder.Cut(path) : JournalFolder.Inspect(path);
        Console.Out.WriteLine(Summary(before));
        write(before);
        if (before.Damage is null)
        {
            Console.Out.WriteLine("There is nothing to cut.");
            return ExitCode.Done;
        }

        Console.Out.WriteLine(does
            ? "What is behind it is given up. The journal can be opened."
            : $"Copy the folder, then run 'raceway journal cut {path} --yes': it gives up the damage and all behind it.");
        return does ? ExitCode.Done : ExitCode.Failed;
    }
}
