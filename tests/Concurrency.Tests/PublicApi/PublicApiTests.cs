
namespace Raceway.Concurrency.Tests.PublicApi;

/// <summary>What users compile against changes on purpose only.</summary>
public sealed class PublicApiTests
{
    private const string Library = "Raceway.Concurrency";

    [Fact]
    public void Surface_OfTheLibrary_IsAsCheckedIn() => Surface.AssertIsAsCheckedIn(Library, "Concurrency.Tests");

    [Fact]
    public void Types_OfTheLibrary_AreThereForAReason() => Surface.AssertHasReasons(Library);

    [Fact]
    public void TypeParameters_OfPublicTypes_AreAtMostTwo() => Surface.AssertFewTypeParameters(Library);

    [Fact]
    public void References_OfTheLibrary_AreTheRingAlone() => Assert.Equal(["Raceway.Rings"], Surface.ForeignReferences(Library));
}
