using System.Text.RegularExpressions;

namespace Raceway.Verify.Tiers;

/// <summary>
/// The explorer of interleavings, which compiles the sources itself. Whole it is a project of tests, which count; to look for
/// the first failure, among some of its bodies, it is a program.
/// </summary>
/// <param name="Name">As the headers of the mutants call it.</param>
/// <param name="Project">The folder of its project.</param>
internal sealed partial record ExplorerTier(string Name, string Project) : Tier(Name, Project)
{
    private const int Found = 1;
    private const string NotMoved = "An execution has not moved";

    /// <inheritdoc/>
    public override Verdict Run(
        string tree,
        IReadOnlyCollection<string> filters,
        bool stopAtFirst,
        TimeSpan limit,
        IReadOnlyDictionary<string, string?> environment,
        CancellationToken cancellation)
    {
        if (!stopAtFirst) return new TestTier(Name, Project).Run(tree, filters, stopAtFirst, limit, environment, cancellation);
        string[] arguments = ["exec", Assembly(tree), "run", .. filters, "--fail-fast"];
        return Read(Execution.Of("dotnet", arguments, tree, limit, environment, cancellation));
    }

    /// <summary>Makes sense of what the program wrote.</summary>
    public static Verdict Read(Execution run)
    {
        if (run.Hung) return new Verdict(VerdictKind.Failed, "hang", run);
        // Its watchdog: a loop that never touches what is modelled.
        if (run.Output.Contains(NotMoved, StringComparison.Ordinal)) return new Verdict(VerdictKind.Failed, "hang", run);
        if (run.ExitCode == Found && Replay().Match(run.Output) is { Success: true } failure)
            return new Verdict(VerdictKind.Failed, failure.Groups["body"].Value, run);
        if (run.ExitCode != 0) return new Verdict(VerdictKind.Unclear, $"exit code {run.ExitCode}", run);
        return Sum().IsMatch(run.Output)
            ? new Verdict(VerdictKind.Passed, "passed", run)
            : new Verdict(VerdictKind.Unclear, "nothing was explored", run);
    }

    // A failure ends with the command that shows it again, for a body in a memory mode.
    [GeneratedRegex(@"^replay: .* replay (?<body>\S+ \S+) ", RegexOptions.Multiline)]
    private static partial Regex Replay();

    [GeneratedRegex(@"^[1-9][\d,]* interleavings, 0 failed", RegexOptions.Multiline)]
    private static partial Regex Sum();
}
