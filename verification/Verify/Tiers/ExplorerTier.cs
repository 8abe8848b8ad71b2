namespace Raceway.Verify.Tiers;

/// <summary>The explorer of interleavings: a program that compiles the sources itself.</summary>
/// <param name="Name">As the headers of the mutants call it.</param>
/// <param name="Project">The folder of its project.</param>
internal sealed record ExplorerTier(string Name, string Project) : Tier(Name, Project)
{
    private const int Found = 1;

    /// <inheritdoc/>
    public override Verdict Run(
        string tree,
        IReadOnlyCollection<string> filters,
        bool stopAtFirst,
        TimeSpan limit,
        IReadOnlyDictionary<string, string?> environment,
        CancellationToken cancellation)
    {
        List<string> arguments = ["exec", Assembly(tree), "run", .. filters];
        if (stopAtFirst) arguments.Add("--fail-fast");
        return Read(Execution.Of("dotnet", arguments, tree, limit, environment, cancellation));
    }

    private static Verdict Read(Execution run)
    {
        if (run.Hung) return new Verdict(VerdictKind.Failed, "hang", run);
        return run.ExitCode switch
        {
            0 => new Verdict(VerdictKind.Passed, "passed", run),
            Found => new Verdict(VerdictKind.Failed, FirstFailure(run.Output), run),
            _ => new Verdict(VerdictKind.Unclear, $"exit code {run.ExitCode}", run),
        };
    }

    private static string FirstFailure(string output) =>
        output.Split('\n').FirstOrDefault(static line => line.Contains("FAIL", StringComparison.OrdinalIgnoreCase))?.Trim()
        ?? "found";
}
