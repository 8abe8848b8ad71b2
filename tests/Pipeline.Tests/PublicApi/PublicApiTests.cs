using System.Reflection;

namespace Raceway.Pipelines.Tests.PublicApi;

/// <summary>What users compile against changes on purpose only.</summary>
public sealed class PublicApiTests
{
    private const string UpdateVariable = "RACEWAY_UPDATE_API";

    [Theory]
    [InlineData("Raceway.Rings")]
    [InlineData("Raceway.Pipelines")]
    public void Surface_OfEachLibrary_IsAsCheckedIn(string library)
    {
        string actual = ApiText.Of(Assembly.Load(library));
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            File.WriteAllText(Path.Combine(SourceFolder(), $"{library}.txt"), actual);
            return;
        }

        string file = Path.Combine(AppContext.BaseDirectory, "PublicApi", $"{library}.txt");
        string[] expected = File.Exists(file) ? File.ReadAllLines(file) : [];
        string[] lines = actual.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string[] changes =
        [
            .. expected.Except(lines).Select(line => $"- {line.Trim()}"),
            .. lines.Except(expected).Select(line => $"+ {line.Trim()}"),
        ];
        Assert.True(
            expected.SequenceEqual(lines),
            $"The public surface of {library} has changed. If that is meant, run the tests once with "
            + $"{UpdateVariable}=1, which rewrites tests/Pipeline.Tests/PublicApi/{library}.txt, and check the "
            + "difference in.\n"
            + string.Join('\n', changes.DefaultIfEmpty("(only the order or number of lines)")));
    }

    [Theory]
    [InlineData("Raceway.Rings")]
    [InlineData("Raceway.Pipelines")]
    public void TypeParameters_OfPublicTypes_AreAtMostTwo(string library) =>
        Assert.All(
            Assembly.Load(library).GetExportedTypes(),
            type => Assert.True(type.GetGenericArguments().Length <= 2, ApiNames.Full(type)));

    [Fact]
    public void References_OfTheRing_AreTheRuntimeAlone() => Assert.Empty(ForeignReferences("Raceway.Rings"));

    [Fact]
    public void References_OfThePipeline_AreTheRingAlone() =>
        Assert.Equal(["Raceway.Rings"], ForeignReferences("Raceway.Pipelines"));

    [Fact]
    public void ApiText_OfKnownTypes_IsAsCSharpWritesThem()
    {
        string text = ApiText.Of(typeof(Plan).Assembly);

        Assert.Contains("enum Raceway.Pipelines.Plan : int\n    0 = SharedRing\n", text, StringComparison.Ordinal);
        Assert.Contains(
            "    static PipelineBuilder<T, T> Of<T>(int capacity)\n", text, StringComparison.Ordinal);
        Assert.Contains(
            "sealed class Raceway.Pipelines.Pipeline<T> : IAsyncDisposable\n", text, StringComparison.Ordinal);
        Assert.DoesNotContain("StageGraph", text, StringComparison.Ordinal);
    }

    private static IEnumerable<string> ForeignReferences(string library) =>
        Assembly.Load(library).GetReferencedAssemblies()
            .Select(reference => reference.Name!)
            .Where(name => !name.StartsWith("System.", StringComparison.Ordinal));

    // The tests run from the build's output, which lies inside the tree.
    private static string SourceFolder()
    {
        DirectoryInfo? at = new(AppContext.BaseDirectory);
        while (at is not null && !File.Exists(Path.Combine(at.FullName, "Raceway.slnx"))) at = at.Parent;
        string root = at?.FullName ?? throw new DirectoryNotFoundException("Raceway.slnx");
        return Path.Combine(root, "tests", "Pipeline.Tests", "PublicApi");
    }
}
