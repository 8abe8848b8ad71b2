using System.Text.RegularExpressions;

namespace Raceway.Verify.Tiers;

/// <summary>Tests of a project, or those of some of its folders.</summary>
internal sealed partial record TestTier : Tier
{
    private readonly string[] _within;

    /// <param name="name">As the headers of the mutants call it.</param>
    /// <param name="project">The folder of its project.</param>
    /// <param name="within">What the full names of its tests contain, each one of these; none: all tests.</param>
    public TestTier(string name, string project, params string[] within)
        : base(name, project) => _within = within;

    /// <inheritdoc/>
    public override bool IsPart => _within.Length > 0;

    /// <inheritdoc/>
    public override Verdict Run(
        string tree,
        IReadOnlyCollection<string> filters,
        bool stopAtFirst,
        TimeSpan limit,
        IReadOnlyDictionary<string, string?> environment,
        CancellationToken cancellation)
    {
        List<string> arguments = ["test", Assembly(tree)];
        string filter = string.Join('&', new[] { AnyOf(_within), AnyOf(filters) }.Where(static part => part.Length > 0));
        if (filter.Length > 0) arguments.AddRange("--filter", filter);
        if (stopAtFirst) arguments.AddRange("--", "xUnit.StopOnFail=true");
        return Read(Execution.Of("dotnet", arguments, tree, limit, environment, cancellation));
    }

    /// <summary>Makes sense of what the test runner wrote.</summary>
    public static Verdict Read(Execution run)
    {
        if (run.Hung) return new Verdict(VerdictKind.Failed, "hang", run);
        if (FailedTest().Match(run.Output) is { Success: true } failed)
            return new Verdict(VerdictKind.Failed, failed.Groups["name"].Value, run);
        // The runner of Visual Studio, or the test program that it started, ended in the middle of the tests.
        if (run.Output.Contains("Test host process crashed", StringComparison.Ordinal)
            || run.Output.Contains("[FATAL ERROR] Xunit.Sdk.TestPipelineException", StringComparison.Ordinal))
            return new Verdict(VerdictKind.Failed, "crash", run);
        if (run.ExitCode != 0) return new Verdict(VerdictKind.Unclear, $"exit code {run.ExitCode}", run);
        return Summary().Match(run.Output) is { Success: true } passed
            ? new Verdict(VerdictKind.Passed, $"{passed.Groups["count"].Value} passed", run)
            : new Verdict(VerdictKind.Unclear, "no test was run", run);
    }

    private static string AnyOf(IReadOnlyCollection<string> names) => names.Count == 0
        ? ""
        : $"({string.Join('|', names.Select(static name => $"FullyQualifiedName~{name}"))})";

    // As the framework says it at once, and the runner at the end: a run that stops at the first failure may break off between.
    [GeneratedRegex(@"^\[xUnit\.net [^\]]+\]\s+(?<name>[^\s(]+)[^\n]*\[FAIL\]|^\s*Failed (?<name>[^\s(]+)[^\n]*\[[^\]\n]+\]\s*$", RegexOptions.Multiline)]
    private static partial Regex FailedTest();

    [GeneratedRegex(@"Failed:\s+0, Passed:\s+(?<count>[1-9]\d*)")]
    private static partial Regex Summary();
}
