namespace Raceway.Pipelines.Tests.PublicApi;

/// <summary>What users compile against changes on purpose only.</summary>
public sealed class PublicApiTests
{
    public static TheoryData<string> Libraries => ["Raceway.Rings", "Raceway.Pipelines", "Raceway.Testing"];

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Surface_OfEachLibrary_IsAsCheckedIn(string library) => Surface.AssertIsAsCheckedIn(library, "Pipeline.Tests");

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Types_OfEachLibrary_AreThereForAReason(string library) => Surface.AssertHasReasons(library);

    [Theory]
    [MemberData(nameof(Libraries))]
    public void TypeParameters_OfPublicTypes_AreAtMostTwo(string library) => Surface.AssertFewTypeParameters(library);

    [Fact]
    public void References_OfTheRing_AreTheRuntimeAlone() => Assert.Empty(Surface.ForeignReferences("Raceway.Rings"));

    [Fact]
    public void References_OfThePipeline_AreTheRingAlone() =>
        Assert.Equal(["Raceway.Rings"], Surface.ForeignReferences("Raceway.Pipelines"));

    [Fact]
    public void References_OfTesting_AreRingAndPipelineAlone() =>
        Assert.Equal(["Raceway.Pipelines", "Raceway.Rings"], Surface.ForeignReferences("Raceway.Testing").Order());

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
