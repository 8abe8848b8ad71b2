using System.Xml.Linq;
using Raceway.Pipelines;

namespace Raceway.Gates.Tests.Api;

/// <summary>What users compile against changes on purpose only.</summary>
public sealed class PublicApiTests
{
    public static TheoryData<string> Libraries =>
    [
        "Raceway.Rings", "Raceway.Concurrency", "Raceway.Pipelines", "Raceway.Testing",
        "Raceway.Interop", "Raceway.Interop.Hosting", "Raceway.Interop.Distributed", "Raceway.Interop.RabbitMq",
        "Raceway.Interop.Journal", "Raceway.Interop.Logging", "Raceway.Interop.Serilog",
    ];

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Surface_OfEachLibrary_IsAsCheckedIn(string library) => Surface.AssertIsAsCheckedIn(library);

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Types_OfEachLibrary_AreThereForAReason(string library) => Surface.AssertHasReasons(library);

    [Theory]
    [MemberData(nameof(Libraries))]
    public void TypeParameters_OfPublicTypes_AreAtMostTwo(string library) => Surface.AssertFewTypeParameters(library);

    /// <summary>A new package has a baseline, unless it holds no assembly.</summary>
    [Fact]
    public void Libraries_OfPackages_AreAllLookedAt() =>
        Assert.Equal(
            Directory.GetFiles(Path.Combine(Tree.Root, "src"), "*.csproj", SearchOption.AllDirectories)
                .Select(static file => (file, Project: XDocument.Load(file)))
                .Where(static one => one.Project.Descendants("IsPackable").Any(static each => each.Value == "true"))
                .Where(static one => one.Project.Descendants("IncludeBuildOutput").All(static each => each.Value != "false"))
                .Select(static one => one.file)
                .Select(static file => Path.GetFileNameWithoutExtension(file))
                .Order(StringComparer.Ordinal),
            Libraries.Select(static row => row.Data).Order(StringComparer.Ordinal));

    /// <summary>Decision 0020 tells how large each surface is now: a change of it changes that row too.</summary>
    [Fact]
    public void Sizes_InDecision0020_AreThoseOfTheBaselines() => Assert.Equal(
        Libraries.Select(static row => row.Data).Select(static library => $"| {library} | {Surface.SizeOf(library)} |"),
        Tree.Read("docs", "decisions", "0020-concurrency-and-the-kernel.md").Split('\n')
            .Where(static line => line.StartsWith("| Raceway.", StringComparison.Ordinal)).Select(static line => line.Split('|'))
            .Select(static cells => $"|{cells[1]}|{cells[3]}|"));

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
}
