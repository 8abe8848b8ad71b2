using System.Diagnostics;
using System.Globalization;
using Raceway.Verify.Mutants;
using Raceway.Verify.Reporting;
using Raceway.Verify.Tiers;

namespace Raceway.Verify;

/// <summary>The whole proof: models, all tiers, mutants; in the long set the random ones again and again.</summary>
/// <param name="tree">The tree.</param>
/// <param name="isLong">Whether the tiers run their long sets, and all mutants are tried.</param>
/// <param name="time">How long the long set lasts at least.</param>
/// <param name="mutants">Whether mutants are tried.</param>
/// <param name="tally">The file for the counts.</param>
/// <param name="cancellation">Ends it.</param>
internal sealed class Proof(
    SourceTree tree, bool isLong, TimeSpan time, bool mutants, string tally, CancellationToken cancellation)
{
    /// <summary>How many mutants each push tries.</summary>
    public const int PushedMutants = 10;

    private static readonly string[] s_random = ["explorer", "properties", "stress", "faults", "input", "misuse"];

    private readonly TimeSpan _limit = isLong ? TimeSpan.FromHours(6) : TimeSpan.FromMinutes(15);
    private bool _failed;

    /// <summary>Whether nothing has failed.</summary>
    public bool Run()
    {
        long from = Stopwatch.GetTimestamp();
        CheckModels();
        Tier[] tiers = [.. Tier.All.Where(tier => !tier.IsPart && tier.IsIn(tree.Root))];
        foreach (Tier tier in tiers) Build(tier);
        if (_failed) return false;
        foreach (Tier tier in tiers) Test(tier, seed: null);
        if (isLong) RunPrograms();
        if (mutants) TryMutants();
        while (isLong && Stopwatch.GetElapsedTime(from) < time)
        {
            string seed = Random.Shared.Next().ToString(CultureInfo.InvariantCulture);
            foreach (Tier tier in s_random.Select(Tier.Named).Where(tier => tier.IsIn(tree.Root))) Test(tier, seed);
        }

        return !_failed;
    }

    private void CheckModels()
    {
        if (File.Exists(tree.Models)) RunScript("models", tree.Models);
        else Console.WriteLine("== models: not run, there are none");
    }

    // What is shipped as programs: native ones here, and those for another processor, emulated.
    private void RunPrograms()
    {
        RunScript("native samples", Path.Combine(tree.Root, "samples", "publish-native.sh"));
        RunScript("arm64, emulated", Path.Combine(tree.Root, "verification", "arm64.sh"));
    }

    private void RunScript(string name, string script)
    {
        Execution run = Execution.Of(script, [], tree.Root, _limit, Environment(null), cancellation);
        Tell(name, run, run.ExitCode == 0, run.ExitCode == 0 ? run.Output.TrimEnd() : $"exit code {run.ExitCode}");
    }

    private void Build(Tier tier)
    {
        Execution run = tier.Build(tree.Root, mutated: false, cancellation);
        if (run.ExitCode != 0) Tell($"build of {tier.Project}", run, good: false, $"exit code {run.ExitCode}");
    }

    private void Test(Tier tier, string? seed)
    {
        Verdict verdict = tier.Run(tree.Root, [], stopAtFirst: false, _limit, Environment(seed), cancellation);
        string name = seed is null ? tier.Name : $"{tier.Name}, seed {seed}";
        Tell(name, verdict.Run, verdict.Kind == VerdictKind.Passed, verdict.Test);
    }

    private void TryMutants()
    {
        Console.WriteLine("== mutants");
        IReadOnlyList<Mutant> chosen = Mutant.All(tree.Mutants);
        if (!isLong) chosen = Mutant.Fastest(chosen, PushedMutants);
        _failed |= !MutantSuite.Run(tree, chosen, tally, keep: false, record: false, cancellation);
    }

    private void Tell(string name, Execution run, bool good, string result)
    {
        _failed |= !good;
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"== {name}: {(good ? "" : "FAILED: ")}{result} ({run.Seconds:0} s)"));
        if (!good) Console.WriteLine(run.Output);
    }

    private Dictionary<string, string?> Environment(string? seed) => Environments.Of(tally, isLong, seed);
}
