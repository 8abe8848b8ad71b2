using System.CommandLine;
using Raceway.Verify.Reporting;

namespace Raceway.Verify.Cli;

/// <summary><c>verify line FILE</c>: the one line that closes a run.</summary>
internal sealed class LineCommand : Command
{
    public LineCommand()
        : base("line", "Sums up what the tiers have counted, in one line.")
    {
        var file = new Argument<FileInfo>("FILE") { Description = $"What {Tiers.Environments.Tally} named while they ran." };
        Add(file.AcceptExistingOnly());
        SetAction(result => Console.WriteLine(new ProofLine(File.ReadLines(result.GetRequiredValue(file).FullName))));
    }
}
