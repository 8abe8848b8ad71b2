using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Docs;

/// <summary>What a page links to is there, and so is every path of the tree that it names.</summary>
public sealed partial class LinkTests
{
    private static readonly string[] s_tops = ["src", "tests", "bench", "docs", "samples", "verification"];

    // The least number of links over all pages: the pattern still finds them.
    private const int LeastLinks = 200;
    private const int LeastPaths = 40;

    /// <summary>Each page of the tree, from its root.</summary>
    public static TheoryData<string> Pages =>
    [
        .. Directory.GetFiles(Tree.Root, "*.md")
            .Concat(s_tops.SelectMany(static top => Directory.GetFiles(Path.Combine(Tree.Root, top), "*.md", SearchOption.AllDirectories)))
            .Select(static file => Path.GetRelativePath(Tree.Root, file).Replace('\\', '/'))
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>The same, but for that which names what is gone.</summary>
    public static TheoryData<string> PagesOfToday => [.. Pages.Select(static page => page.Data).Where(static page => page != "CHANGELOG.md")];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Links_OfAPage_LeadSomewhere(string page) => Assert.Equal([], Links(page).Where(link => !Leads(link, page)));

    [Theory]
    [MemberData(nameof(PagesOfToday))]
    public void Paths_InAPage_Exist(string page) => Assert.Equal([], Paths(page).Where(static path => !Exists(path)));

    [Fact]
    public void Patterns_AllPages_FindLinksAndPaths()
    {
        Assert.InRange(Pages.Sum(static page => Links(page.Data).Count()), LeastLinks, int.MaxValue);
        Assert.InRange(Pages.Sum(static page => Paths(page.Data).Count()), LeastPaths, int.MaxValue);
    }

    [Theory]
    [InlineData("none.md", false)]
    [InlineData("README.md#none", false)]
    [InlineData("CONTRIBUTING.md#gates", true)]
    [InlineData("tests/Gates.Tests", true)]
    public void Leads_ALinkOfReadme_WhereItIsThere(string link, bool leads) => Assert.Equal(leads, Leads(link, "README.md"));

    private static IEnumerable<string> Links(string page) =>
        Link().Matches(Tree.Read(page)).Select(static match => match.Groups[1].Value)
            .Where(static link => !link.StartsWith("http", StringComparison.Ordinal));

    private static IEnumerable<string> Paths(string page) =>
        TreePath().Matches(Tree.Read(page)).Select(static match => match.Groups[1].Value);

    private static bool Leads(string link, string page)
    {
        string[] parts = link.Split('#', 2);
        string file = Path.Combine(Tree.Root, parts[0].Length == 0 ? page : Path.Combine(Path.GetDirectoryName(page)!, parts[0]));
        if (parts.Length == 1) return File.Exists(file) || Directory.Exists(file);
        return File.Exists(file)
            && Heading().Matches(File.ReadAllText(file)).Any(match => Anchor(match.Groups[1].Value) == parts[1]);
    }

    // A name may have a star in its last part.
    private static bool Exists(string path)
    {
        string full = Path.Combine(Tree.Root, path);
        return path.Contains('*', StringComparison.Ordinal)
            ? Directory.Exists(Path.GetDirectoryName(full)) && Directory.GetFileSystemEntries(Path.GetDirectoryName(full)!, Path.GetFileName(full)).Length > 0
            : File.Exists(full) || Directory.Exists(full);
    }

    // As the sites that show Markdown make them.
    private static string Anchor(string heading) =>
        string.Concat(heading.Trim().ToLowerInvariant().Where(static c => char.IsLetterOrDigit(c) || c is ' ' or '-' or '_'))
            .Replace(' ', '-');

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"`((?:src|tests|bench|docs|samples|verification)/[\w./*-]+)`")]
    private static partial Regex TreePath();

    [GeneratedRegex(@"^#+ (.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();
}
