namespace Raceway.Verify.Tiers;

/// <summary>A layer of tests: how it is built, how some or all of it is run, and what its output says.</summary>
/// <param name="Name">As the headers of the mutants call it.</param>
/// <param name="Project">The folder of its project.</param>
internal abstract record Tier(string Name, string Project)
{
    private static readonly TimeSpan s_buildLimit = TimeSpan.FromMinutes(10);

    /// <summary>All, in the order in which they get to see a mutant that the one meant for it has let live.</summary>
    public static IReadOnlyList<Tier> All { get; } =
    [
        new TestTier("unit", "tests/Ring.Tests"),
        new TestTier("concurrency", "tests/Concurrency.Tests"),
        new TestTier("pipeline", "tests/Pipeline.Tests"),
        new TestTier("journal", "tests/Journal.Tests"),
        new ExplorerTier("explorer", "tests/Explorer"),
        new TestTier("proof", "tests/Proof.Tests"),
        new TestTier("litmus", "tests/Proof.Tests", "Litmus."),
        new TestTier("properties", "tests/Proof.Tests", "Properties."),
        new TestTier("stress", "tests/Proof.Tests", "Stress."),
        new TestTier("faults", "tests/Proof.Tests", "Faults."),
        new TestTier("memory", "tests/Proof.Tests", "Memory."),
        new TestTier("input", "tests/Proof.Tests", "BadInput."),
        new TestTier("misuse", "tests/Proof.Tests", "Misuse."),
        new TestTier("gates", "tests/Gates.Tests"),
        new TestTier("arm64", "tests/Gates.Tests", "Arm64"),
    ];

    /// <summary>The one of that name.</summary>
    public static Tier Named(string name) => All.FirstOrDefault(tier => tier.Name == name)
        ?? throw new VerifyException($"there is no tier '{name}': it is one of {string.Join(", ", All.Select(static tier => tier.Name))}.");

    /// <summary>Whether all that it runs is run by another one of the table too.</summary>
    public virtual bool IsPart => false;

    /// <summary>Whether the tree has it.</summary>
    public bool IsIn(string tree) => Directory.Exists(Path.Combine(tree, Project));

    /// <summary>Builds it, with all that it refers to.</summary>
    /// <param name="tree">The tree, or its copy.</param>
    /// <param name="mutated">Whether the sources are a mutant's, who may leave something unused behind.</param>
    /// <param name="cancellation">Ends it before.</param>
    public Execution Build(string tree, bool mutated, CancellationToken cancellation)
    {
        List<string> arguments = ["build", Project, "-c", "Release", "-m:1", "-v", "quiet"];
        if (mutated) arguments.AddRange("-p:RunAnalyzers=false", "-p:TreatWarningsAsErrors=false");
        // A mutant changes no project, so once is enough.
        if (mutated && File.Exists(Path.Combine(tree, "artifacts", "obj", ProjectName(tree), "project.assets.json")))
            arguments.Add("--no-restore");
        return Execution.Of("dotnet", arguments, tree, s_buildLimit, Environments.OfTools, cancellation);
    }

    /// <summary>Runs what <paramref name="filters"/> name, or all of it.</summary>
    public abstract Verdict Run(
        string tree,
        IReadOnlyCollection<string> filters,
        bool stopAtFirst,
        TimeSpan limit,
        IReadOnlyDictionary<string, string?> environment,
        CancellationToken cancellation);

    /// <summary>Where the build has left it.</summary>
    protected string Assembly(string tree)
    {
        string name = ProjectName(tree);
        return Path.Combine(tree, "artifacts", "bin", name, "release", $"{name}.dll");
    }

    private string ProjectName(string tree) =>
        Path.GetFileNameWithoutExtension(Directory.GetFiles(Path.Combine(tree, Project), "*.csproj").Single());
}

/// <summary>What a run of a tier has come to.</summary>
/// <param name="Kind">That.</param>
/// <param name="Test">The first test that failed; for the others what there is to say.</param>
/// <param name="Run">The process.</param>
internal sealed record Verdict(VerdictKind Kind, string Test, Execution Run);

/// <summary>What a run of a tier may come to.</summary>
internal enum VerdictKind
{
    /// <summary>Something ran, and nothing failed.</summary>
    Passed,

    /// <summary>A test failed, the process crashed, or it had to be killed.</summary>
    Failed,

    /// <summary>Neither: nothing ran, or it was not run in the right way.</summary>
    Unclear,
}
