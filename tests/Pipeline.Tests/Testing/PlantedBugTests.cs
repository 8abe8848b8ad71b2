using Raceway.Pipelines.Tests.Testing.Planted;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>The kit finds each planted bug, by the rule that it breaks, and nothing in its corrected twin.</summary>
public sealed class PlantedBugTests(ITestOutputHelper output)
{
    public static TheoryData<string> Names => [.. PlantedBugs.All.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void Handler_WithABug_IsFound(string name)
    {
        (string rule, Action<bool> check) = PlantedBugs.All[name];
        ContractException found = Assert.ThrowsAny<ContractException>(() => check(false));
        output.WriteLine(found.Message);
        Assert.Equal(rule, found.Rule);
    }

    [Fact]
    public void Bugs_Planted_AreAsManyAsThePageSays()
    {
        Assert.InRange(PlantedBugs.All.Count, 20, int.MaxValue);
        Assert.Contains($"has {PlantedBugs.All.Count} handlers with a bug each", Tree.Read("docs", "testing.md"), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Handler_Corrected_Passes(string name) => PlantedBugs.All[name].Check(true);
}
