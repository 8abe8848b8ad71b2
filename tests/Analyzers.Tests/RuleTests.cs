namespace Raceway.Analyzers.Tests;

/// <summary>Planted misuses are found, and their twins are left alone.</summary>
public sealed class RuleTests
{
    private const int LeastCases = 60;

    public static TheoryData<string> Cases => [.. Case.All];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Misuse_Planted_IsFoundWhereItStands(string name)
    {
        Case one = Case.Read(name);
        Assert.Empty(await one.Wrong.ErrorsAsync());
        Assert.NotEmpty(one.Expected);
        Assert.Equal(one.Expected, await one.Wrong.FoundAsync());
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Twin_DoesItRightly_IsSilent(string name)
    {
        Case one = Case.Read(name);
        Assert.Empty(await one.Right.ErrorsAsync());
        Assert.Empty(await one.Right.FoundAsync());
    }

    /// <summary>A fix makes of the misuse what its twin is, or is not offered, if the case says so; in any case, something that is right.</summary>
    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Fix_OfAMisuse_MakesItsTwin(string name)
    {
        Case one = Case.Read(name);
        string? made = await one.Wrong.FixedAsync();
        if (one.IsFixed) Assert.Equal(one.Right.Code, made);
        if (one.HasNoFix) Assert.Null(made);
        if (made is null) return;
        var after = new Snippet(made);
        Assert.Empty(await after.ErrorsAsync());
        Assert.Empty(await after.FoundAsync());
    }

    [Fact]
    public void Cases_OfAllRules_AreEnough() => Assert.InRange(Case.All.Count, LeastCases, int.MaxValue);
}
