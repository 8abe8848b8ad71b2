
namespace Raceway.Interop.Tests.PublicApi;

/// <summary>What users of the interop libraries compile against changes on purpose only.</summary>
public sealed class PublicApiTests
{
    public static TheoryData<string> Libraries =>
        ["Raceway.Interop", "Raceway.Interop.Hosting", "Raceway.Interop.Distributed", "Raceway.Interop.RabbitMq"];

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Surface_OfEachLibrary_IsAsCheckedIn(string library) => Surface.AssertIsAsCheckedIn(library, "Interop.Tests");

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Types_OfEachLibrary_AreThereForAReason(string library) => Surface.AssertHasReasons(library);

    [Theory]
    [MemberData(nameof(Libraries))]
    public void TypeParameters_OfPublicTypes_AreAtMostTwo(string library) => Surface.AssertFewTypeParameters(library);

    [Fact]
    public void References_OfTheBridges_AreThePipelineAndTheRuntime() =>
        Assert.Equal(["Raceway.Pipelines", "Raceway.Rings"], Surface.ForeignReferences("Raceway.Interop"));
}
