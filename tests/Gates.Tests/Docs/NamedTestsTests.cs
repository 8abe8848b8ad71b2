using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Docs;

/// <summary>Documents that name a test as their proof name one that is there.</summary>
public sealed partial class NamedTestsTests
{
    private const int LeastTests = 500;

    [Theory]
    [InlineData("semantics.md", 100)]
    [InlineData("faults.md", 1)]
    [InlineData("peers-bugs.md", 40)]
    [InlineData("distributed.md", 20)]
    [InlineData("from-disruptor-net.md", 5)]
    [InlineData("from-channels.md", 5)]
    [InlineData("memory-ordering.md", 0)]
    [InlineData("wait-strategies.md", 0)]
    public void Document_EveryTestNamed_Exists(string document, int least)
    {
        string[] names = [.. TestNames.In(Tree.Read("docs", document))];
        Assert.InRange(names.Length, least, int.MaxValue);
        Assert.Equal([], names.Where(static name => !TestNames.Exists(name)));
    }

    /// <summary>The promise first, its test as a link.</summary>
    [Fact]
    public void Semantics_EveryTestNamed_IsALinkToItsFile()
    {
        string text = Tree.Read("docs", "semantics.md");
        (string Name, string Link)[] links = [.. TestNames.LinksIn(text)];
        Assert.Equal([], TestNames.In(text).Except(links.Select(static link => link.Name)));
        Assert.Equal(TestNames.In(text).Count(), links.Length);
        Assert.Equal([], links.Where(static link => !link.Link.StartsWith("../", StringComparison.Ordinal) || !TestNames.IsIn(link.Name, link.Link["../".Length..])));
    }

    [Theory]
    [InlineData("Document_EveryTestNamed_Exists", "tests/Gates.Tests/Docs/NamedTestsTests.cs", true)]
    [InlineData("Document_EveryTest…", "tests/Gates.Tests/Docs/NamedTestsTests.cs", true)]
    [InlineData("Document_EveryTestNamed_Exists", "tests/Gates.Tests/Docs/LinkTests.cs", false)]
    public void IsIn_ATestAndAFile_WhereItIs(string name, string file, bool isThere) => Assert.Equal(isThere, TestNames.IsIn(name, file));

    [Fact]
    public void Semantics_EveryRowOfTheList_NamesATest()
    {
        Dictionary<string, string> sections = Sections(Tree.Read("docs", "semantics.md"));
        IEnumerable<string> rows = Enumerable.Range(1, 17).Append(20).Select(static number => $"S{number}");
        Assert.Equal([], rows.Where(row => !sections.TryGetValue(row, out string? text) || !TestNames.In(text).Any()));
    }

    [Theory]
    [InlineData("NamedTestsTests.Document_EveryTestNamed_Exists", true)]
    [InlineData("Document_EveryTestNamed_Exists", true)]
    [InlineData("Document_Every…", true)]
    [InlineData("Named*Tests", true)]
    [InlineData("NamedTestsTests", true)]
    [InlineData("NamedTestsTests.Document_EveryTest", false)]
    [InlineData("OtherTests.Document_EveryTestNamed_Exists", false)]
    [InlineData("Document_Nothing…", false)]
    [InlineData("NobodysTests", false)]
    // A method of a test class that is no test.
    [InlineData("NamedTestsTests.Sections", false)]
    public void Exists_AnyWayOfWriting_IsFoundWhereItIsThere(string name, bool exists)
    {
        Assert.InRange(TestNames.All.Count, LeastTests, int.MaxValue);
        Assert.Equal(exists, TestNames.Exists(name));
    }

    [Fact]
    public void In_TextWithOtherCode_FindsTestsAlone() =>
        Assert.Equal(
            ["ATests.B_C_D", "B_C_D", "B_…", "ATests", "A*Tests"],
            TestNames.In("`ATests.B_C_D`, `B_C_D`, `B_…`, `ATests`, `A*Tests`, `Publish`, `Ring.Unprocessed`, B_C, `tests/A_B`"));

    private static Dictionary<string, string> Sections(string text) =>
        Heading().Split(text).Skip(1).Chunk(2).ToDictionary(static pair => pair[0], static pair => pair[1]);

    [GeneratedRegex(@"^## (S\d+|\w+).*$", RegexOptions.Multiline)]
    private static partial Regex Heading();
}
