using System.CommandLine;
using Raceway.Verify.Mutants;
using Raceway.Verify.Tiers;

namespace Raceway.Verify.Cli;

/// <summary><c>verify mutants</c>: whether the tests notice seeded faults, and which of them does.</summary>
internal sealed class MutantsCommand : Command
{
    private readonly Option<int?> _fastest = new("--fastest")
    {
        Description = "Only so many, those that were killed in the shortest time.",
        HelpName = "N",
    };

    private readonly Option<string[]> _only = new("--only")
    {
        Description = "Only those whose names begin so.",
        HelpName = "NAME",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<string[]> _tier = new("--tier")
    {
        Description = "Only those that these tiers must notice.",
        HelpName = "NAME",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<bool> _keep = new("--keep") { Description = "Leave the copy of the tree behind." };

    private readonly Option<bool> _record =
        new("--record") { Description = "Write into each patch how many seconds it took." };

    public MutantsCommand()
        : base("mutants", "Applies each patch of verification/mutants to a copy of the tree, and runs the tier that must notice.")
    {
        Add(_fastest);
        Add(_only);
        Add(_tier);
        Add(_keep);
        Add(_record);
        SetAction((options, cancellation) => Task.FromResult(Execute(options, cancellation)));
    }

    private int Execute(ParseResult options, CancellationToken cancellation)
    {
        SourceTree tree = SourceTree.Find(Environment.CurrentDirectory);
        IEnumerable<Mutant> chosen = Mutant.All(tree.Mutants);
        if (options.GetValue(_only) is { Length: > 0 } names)
            chosen = chosen.Where(mutant => names.Any(name => mutant.Name.StartsWith(name, StringComparison.Ordinal)));
        if (options.GetValue(_tier) is { Length: > 0 } tiers) chosen = chosen.Where(mutant => tiers.Contains(mutant.Tier));
        if (options.GetValue(_fastest) is { } most) chosen = Mutant.Fastest(chosen, most);
        return MutantSuite.Run(
            tree,
            [.. chosen],
            Environment.GetEnvironmentVariable(Environments.Tally),
            options.GetValue(_keep),
            options.GetValue(_record),
            cancellation)
            ? ExitCode.Done
            : ExitCode.Failed;
    }
}
