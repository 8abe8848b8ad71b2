using System.Reflection;
using Microsoft.CodeAnalysis;

namespace Raceway.Analyzers.Tests;

/// <summary>Each rule has a page, which shows what is wrong and what is right by code that is compiled.</summary>
public sealed class PageTests
{
    private const string Fence = "```";

    public static TheoryData<string> Ids => [.. Descriptors().Select(static one => one.Id)];

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task Page_OfARule_ShowsWhatItFindsAndWhatItDoesNot(string id)
    {
        string page = Tree.Read("docs", "rules", $"{id}.md");
        string[] code = [.. page.Split($"{Fence}csharp\n")[1..].Select(static one => one.Split(Fence)[0])];
        Assert.Equal(2, code.Length);
        var wrong = new Snippet(code[0]);
        var right = new Snippet(code[1]);

        Assert.Empty(await wrong.ErrorsAsync());
        Assert.Equal(id, Assert.Single(await wrong.FoundAsync()).Split(": ")[1]);
        Assert.Empty(await right.ErrorsAsync());
        Assert.Empty(await right.FoundAsync());
    }

    /// <summary>What a package shows of itself compiles as it stands, and no rule speaks of it.</summary>
    [Theory]
    [InlineData("src/Ring/README.md")]
    [InlineData("src/Pipeline/README.md")]
    [InlineData("src/Concurrency/README.md")]
    public async Task Readme_OfAPackage_Compiles(string page)
    {
        var shown = new Snippet(Assert.Single(Tree.Read(page).Split($"{Fence}csharp\n")[1..]).Split(Fence)[0]);
        Assert.Empty(await shown.ErrorsAsync());
        Assert.Empty(await shown.FoundAsync());
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void Page_OfARule_HasItsTitleAndIsInTheIndex(string id)
    {
        DiagnosticDescriptor rule = Descriptors().Single(one => one.Id == id);
        string page = Tree.Read("docs", "rules", $"{id}.md");

        Assert.StartsWith($"# {id}: {rule.Title}\n\nCategory {rule.Category}, warning by default.\n", page, StringComparison.Ordinal);
        Assert.Contains($"dotnet_diagnostic.{id}.severity = none", page, StringComparison.Ordinal);
        bool hasFix = Snippet.Fixes.Any(fix => fix.FixableDiagnosticIds.Contains(id));
        string row = Assert.Single(Tree.Read("docs", "rules", "README.md").Split('\n'), line => line.StartsWith($"| [{id}]({id}.md) | {rule.Title} |", StringComparison.Ordinal));
        Assert.Equal(hasFix, !row.EndsWith("| - |", StringComparison.Ordinal));
    }

    [Fact]
    public void Rules_All_HaveCasesAndHalfOfThemAFix()
    {
        string[] ids = [.. Descriptors().Select(static one => one.Id)];
        Assert.Equal([.. Enumerable.Range(1, ids.Length).Select(static n => $"RACE{n:000}")], ids);
        Assert.InRange(ids.Length, 10, int.MaxValue);
        Assert.Equal(ids, Case.All.Select(static name => name.Split('/')[0]).Distinct());
        Assert.InRange(Snippet.Fixes.SelectMany(static fix => fix.FixableDiagnosticIds).Distinct().Count() * 2, ids.Length, int.MaxValue);
        Assert.All(Descriptors(), static one => Assert.Equal(DiagnosticSeverity.Warning, one.DefaultSeverity));
    }

    /// <summary>Where the pages are is told to the build; one that was not told invents no address.</summary>
    [Fact]
    public void HelpLinks_OfAllRules_AreThoseThatTheBuildWasTold()
    {
        string? pages = typeof(Rule).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().SingleOrDefault(static one => one.Key == "RulePages")?.Value;
        Assert.All(Descriptors(), one => Assert.Equal(pages is null ? "" : $"{pages}{one.Id}.md", one.HelpLinkUri));
    }

    private static IEnumerable<DiagnosticDescriptor> Descriptors() =>
        Snippet.Rules.SelectMany(static rule => rule.SupportedDiagnostics).OrderBy(static one => one.Id, StringComparer.Ordinal);
}
