using System.CommandLine;

namespace Raceway.Lab.Cli.Journals;

/// <summary><c>raceway journal</c>: looks at the journal of a folder, and at the disk below it.</summary>
internal sealed class JournalCommand : Command
{
    /// <summary>Creates the command with what it can do.</summary>
    public JournalCommand(ToolConsole console)
        : base("journal", "Looks at a journal: what it holds, whether all of it is right, its items; gives up a damage; measures the disk.")
    {
        Add(new InfoCommand(console));
        Add(new VerifyCommand(console));
        Add(new DumpCommand(console));
        Add(new CutCommand(console));
        Add(new ProbeCommand(console));
    }
}
