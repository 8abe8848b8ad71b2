using Raceway.Verify;
using Raceway.Verify.Mutants;

namespace Raceway.Proof.Tests.Verify;

/// <summary>The patches of <c>verification/mutants</c>, and how they are read.</summary>
public sealed class MutantTests
{
    private static readonly string[] s_patch =
    [
        "Mutant: the fence is missing.",
        "Kind: ordering",
        "Method: Progress.Signal",
        "Tier: unit ProgressTests SignalTests",
        "Seconds: 7.5",
        "",
        "diff --git a/src/Ring/Cells/Progress.cs b/src/Ring/Cells/Progress.cs",
        "--- a/src/Ring/Cells/Progress.cs",
        "+++ b/src/Ring/Cells/Progress.cs",
        "@@ -1,1 +1,1 @@",
        "-a",
        "+Kind: wake",
    ];

    private static IReadOnlyList<Mutant> Shipped => Mutant.All(SourceTree.Find(AppContext.BaseDirectory).Mutants);

    [Fact]
    public void Parse_WholeHeader_ReadsAllOfIt()
    {
        Mutant mutant = Mutant.Parse("/x/07-no-fence.patch", s_patch);
        Assert.Equal("07-no-fence", mutant.Name);
        Assert.Equal("the fence is missing.", mutant.Says);
        Assert.Equal(MutantKind.Ordering, mutant.Kind);
        Assert.Equal("Progress.Signal", mutant.Method);
        Assert.Equal(("unit", "ProgressTests SignalTests"), (mutant.Tier, mutant.Filter));
        Assert.Equal(7.5, mutant.Seconds);
        Assert.Equal(["src/Ring/Cells/Progress.cs"], mutant.Sources);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(8)]
    public void Parse_LineMissing_IsRefused(int line) => Assert.Throws<VerifyException>(
        () => Mutant.Parse("x.patch", [.. s_patch.Where((_, i) => i != line)]));

    [Theory]
    [InlineData(1, "Kind: unheard-of")]
    [InlineData(1, "Kind ordering")]
    [InlineData(8, "+++ b/tests/Ring.Tests/Cells/ProgressTests.cs")]
    public void Parse_WrongLine_IsRefused(int line, string text) => Assert.Throws<VerifyException>(
        () => Mutant.Parse("x.patch", [.. s_patch.Select((other, i) => i == line ? text : other)]));

    [Fact]
    public void Fastest_SomeUnrecorded_TakesTheShortestFirst()
    {
        Mutant slow = Mutant.Parse("slow.patch", s_patch) with { Seconds = 20 };
        Mutant unknown = Mutant.Parse("unknown.patch", [.. s_patch.Where(static line => !line.StartsWith("Seconds"))]);
        Mutant fast = slow with { Name = "fast", Seconds = 3 };
        Assert.Equal(["fast", "slow"], Mutant.Fastest([unknown, slow, fast], 2).Select(static mutant => mutant.Name));
    }

    [Fact]
    public void Record_Again_ReplacesTheSeconds()
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("raceway-proof-").FullName, "01-x.patch");
        try
        {
            File.WriteAllLines(file, s_patch);
            Mutant.Read(file).Record(12);
            Assert.Equal(
                s_patch.Select(static line => line.StartsWith("Seconds") ? "Seconds: 12" : line), File.ReadAllLines(file));
        }
        finally
        {
            Directory.Delete(Path.GetDirectoryName(file)!, recursive: true);
        }
    }

    [Theory]
    [InlineData(MutantKind.Ordering, 8)]
    [InlineData(MutantKind.Wake, 6)]
    [InlineData(MutantKind.Lifecycle, 6)]
    [InlineData(MutantKind.Payload, 5)]
    internal void Shipped_Kind_HasEnough(MutantKind kind, int least) =>
        Assert.True(Shipped.Count(mutant => mutant.Kind == kind) >= least);

    // A change of a line beside it is enough for a patch to fit no more, and `.ci/run` tries only some of them.
    [Fact]
    public void Shipped_Patches_FitTheirSources()
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        using Workspace copy = Workspace.Of(SourceTree.Find(AppContext.BaseDirectory), keep: false, cancellation);
        Assert.All(Shipped, mutant =>
        {
            Assert.Null(copy.Apply(mutant, cancellation));
            copy.Revert(mutant);
        });
    }

    [Fact]
    public void Shipped_Methods_HaveFewEach() => Assert.All(
        Shipped.CountBy(static mutant => mutant.Method),
        static method => Assert.True(method.Value <= Mutant.MostInMethod, method.Key));

    [Fact]
    public void Shipped_Tiers_AreInTheTable() =>
        Assert.All(Shipped, static mutant => Assert.NotNull(Raceway.Verify.Tiers.Tier.Named(mutant.Tier)));
}
