using Raceway.Verify.Reporting;

namespace Raceway.Verify.Mutants;

/// <summary>Several mutants, in one copy of the tree.</summary>
internal static class MutantSuite
{
    /// <summary>Tries them all; whether all were killed.</summary>
    /// <param name="tree">The tree.</param>
    /// <param name="mutants">Which.</param>
    /// <param name="tally">The file for the count, or null.</param>
    /// <param name="keep">Whether the copy stays.</param>
    /// <param name="record">Whether their patches are told how long it took.</param>
    /// <param name="cancellation">Ends it.</param>
    public static bool Run(
        SourceTree tree,
        IReadOnlyList<Mutant> mutants,
        string? tally,
        bool keep,
        bool record,
        CancellationToken cancellation)
    {
        if (mutants.Count == 0) throw new VerifyException("no mutant has such a name.");
        using Workspace workspace = Workspace.Of(tree, keep, cancellation);
        var trial = new MutantTrial(workspace, cancellation);
        if (trial.Unchanged(mutants) is { } already)
            throw new VerifyException($"without a mutant nothing may fail, but this does:\n{already}");
        var table = new MutantTable(mutants);
        int killed = 0;
        foreach (Mutant mutant in mutants)
        {
            Fate fate = trial.Of(mutant);
            table.Write(fate);
            if (!fate.Killed) continue;
            killed++;
            if (record) mutant.Record(fate.Seconds);
        }

        MutantTable.WriteSum(killed, mutants.Count);
        if (!string.IsNullOrEmpty(tally)) ProofLine.Append(tally, killed, mutants.Count);
        return killed == mutants.Count;
    }
}
