using System.Diagnostics;
using Raceway.Verify.Tiers;

namespace Raceway.Verify.Mutants;

/// <summary>What has become of a mutant.</summary>
/// <param name="Mutant">It.</param>
/// <param name="Killed">Whether a tier noticed it.</param>
/// <param name="By">The tier; where none did, what is wrong.</param>
/// <param name="Test">The test.</param>
/// <param name="Seconds">From the patch to the end.</param>
/// <param name="Output">Of what went wrong; empty where nothing did.</param>
internal sealed record Fate(Mutant Mutant, bool Killed, string By, string Test, double Seconds, string Output);

/// <summary>Mutants meet the tiers, one after another, in a copy of the tree.</summary>
/// <param name="workspace">The copy.</param>
/// <param name="cancellation">Ends it.</param>
internal sealed class MutantTrial(Workspace workspace, CancellationToken cancellation)
{
    // Some tests, and all of a tier: far beyond what they take, so that only what hangs meets it.
    private static readonly TimeSpan s_someLimit = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_allLimit = TimeSpan.FromMinutes(15);

    private string Tree => workspace.Folder;

    /// <summary>What the mutants will meet must pass without them. Returns what does not.</summary>
    public string? Unchanged(IReadOnlyCollection<Mutant> mutants)
    {
        foreach (IGrouping<string, Mutant> group in mutants.GroupBy(static mutant => mutant.Tier))
        {
            Tier tier = Tier.Named(group.Key);
            if (!tier.IsIn(Tree)) continue;
            if (tier.Build(Tree, mutated: false, cancellation) is { ExitCode: not 0 } failed) return failed.Output;
            string[] filters = group.Any(static mutant => mutant.Filter.Length == 0)
                ? []
                : [.. group.SelectMany(static mutant => Filters(mutant)).Distinct()];
            Verdict verdict = Run(tier, filters, s_allLimit);
            if (verdict.Kind != VerdictKind.Passed) return $"{tier.Name}: {verdict.Test}\n{verdict.Run.Output}";
        }

        return null;
    }

    /// <summary>Applies one, and looks who notices.</summary>
    public Fate Of(Mutant mutant)
    {
        long from = Stopwatch.GetTimestamp();
        Fate End(bool killed, string by, string test, string output = "") =>
            new(mutant, killed, by, test, Stopwatch.GetElapsedTime(from).TotalSeconds, output);

        if (workspace.Apply(mutant, cancellation) is { } refusal) return End(false, "DOES NOT APPLY", "", refusal);
        try
        {
            Tier meant = Tier.Named(mutant.Tier);
            if (!meant.IsIn(Tree)) return End(false, "NOT RUN", $"the tree has no {meant.Project}");
            if (Build(meant) is { } error) return End(false, "DOES NOT COMPILE", "", error);
            Verdict verdict = Run(meant, Filters(mutant), s_someLimit);
            if (verdict.Kind == VerdictKind.Failed) return End(true, meant.Name, verdict.Test);
            if (verdict.Kind == VerdictKind.Unclear) return End(false, "UNCLEAR", verdict.Test, verdict.Run.Output);

            foreach (Tier tier in Tier.All.Where(tier => !tier.IsPart && tier.IsIn(Tree)))
            {
                if (Build(tier) is { } other) return End(false, "DOES NOT COMPILE", tier.Name, other);
                verdict = Run(tier, [], s_allLimit);
                if (verdict.Kind == VerdictKind.Failed) return End(true, $"{tier.Name}, not {meant.Name}", verdict.Test);
            }

            return End(false, "SURVIVED", "");
        }
        finally
        {
            workspace.Revert(mutant);
        }
    }

    private static string[] Filters(Mutant mutant) => mutant.Filter.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private string? Build(Tier tier) =>
        tier.Build(Tree, mutated: true, cancellation) is { ExitCode: not 0 } failed ? failed.Output : null;

    private Verdict Run(Tier tier, string[] filters, TimeSpan limit) =>
        tier.Run(Tree, filters, stopAtFirst: true, limit, Environments.OfTools, cancellation);
}
