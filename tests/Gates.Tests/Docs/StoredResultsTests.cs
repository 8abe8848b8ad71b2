using System.Text.RegularExpressions;
using Raceway.Lab.Reporting.Documents;
using Raceway.Measuring;

namespace Raceway.Gates.Tests.Docs;

/// <summary>Figures that pages quote are those of the result files in <c>docs/results</c>.</summary>
/// <remarks>
/// <c>raceway report RUN.json --summary docs/results/SUITE.json --pages README.md docs/*.md</c> stores a run and writes its figures into
/// the pages.
/// </remarks>
public sealed partial class StoredResultsTests
{
    private const int MostBytes = 700_000;

    /// <summary>Pages on which each table of figures says where they are from.</summary>
    public static TheoryData<string> MeasuredPages => ["README.md", "docs/batching.md", "docs/benchmarks.md", "docs/scenarios.md"];

    /// <summary>Pages with figures of a stored file.</summary>
    public static TheoryData<string> QuotingPages =>
        [.. LinkTests.Pages.Select(static page => page.Data).Where(static page => PageFigures.Files(Tree.Read(page)).Any())];

    /// <summary>The stored files.</summary>
    public static TheoryData<string> Stored =>
        [.. Directory.GetFiles(Path.Combine(Tree.Root, "docs", "results"), "*.json").Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(QuotingPages))]
    public void Figures_OfAPage_AreThoseOfTheStoredFiles(string page)
    {
        string text = Tree.Read(page), folder = Path.GetDirectoryName(page)!;
        Assert.Equal(PageFigures.Rewrite(text, page, file => ResultFile.Load(Path.Combine(Tree.Root, folder, file))), text);
    }

    [Theory]
    [MemberData(nameof(MeasuredPages))]
    public void Tables_OfAPageOfFigures_SayWhereTheyAreFrom(string page) =>
        Assert.Equal([], Tables(Tree.Read(page)).Where(static table => !table.IsMarked && Measured().IsMatch(table.Text)).Select(static table => table.Text.Split('\n')[0]));

    [Theory]
    [MemberData(nameof(Stored))]
    public void File_Stored_IsASummaryThatAPageQuotes(string file)
    {
        string text = Tree.Read("docs", "results", file);
        Assert.Equal(ResultSummary.Of(ResultFile.Parse(text)).ToLines(), text);
        Assert.InRange(text.Length, 1, MostBytes);
        Assert.Contains(QuotingPages, page => PageFigures.Files(Tree.Read(page.Data)).Any(quoted => Path.GetFileName(quoted) == file));
    }

    [Fact]
    public void Tables_OfText_AreFoundWithTheirMarkers()
    {
        (string Text, bool IsMarked)[] tables = [.. Tables("a\n\n| A |\n|---|\n| 1 µs |\n\n<!-- measured: c0ffee1, 2026-01-02 -->\n\n| B |\n|---|\n| 2.0× |\n")];
        Assert.Equal([("| A |\n|---|\n| 1 µs |\n", false), ("| B |\n|---|\n| 2.0× |\n", true)], tables);
        Assert.All(tables, static table => Assert.Matches(Measured(), table.Text));
        Assert.DoesNotMatch(Measured(), "| `raceway run` | 8 stages | RACE001 |");
        Assert.NotEmpty(QuotingPages);
        Assert.NotEmpty(Stored);
    }

    // A table that no result file is behind says by a comment at which commit it was measured.
    private static IEnumerable<(string Text, bool IsMarked)> Tables(string page) =>
        Table().Matches(page).Select(static match => (match.Groups["table"].Value, match.Groups["marker"].Success));

    [GeneratedRegex(@"(?<marker><!-- (?:results: \S+\n(?:(?!-->).)*|measured: [0-9a-f]{7}, \d{4}-\d\d-\d\d )-->\n\n)?(?<table>(?<=^|\n)\|[^\n]*\n\|[-: |]+\|\n(?:\|[^\n]*(?:\n|$))*)", RegexOptions.Singleline)]
    private static partial Regex Table();

    // A cell with a time, a rate, a ratio, or a number with a fraction.
    [GeneratedRegex(@"\|[^|\n]*\d (?:ns|µs|ms|s|M|k)\b|\|[^|\n]*\d(?:\.\d+)?×|\| \*{0,2}\d+[.,]\d+")]
    private static partial Regex Measured();
}
