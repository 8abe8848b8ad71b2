namespace Raceway.Gates.Tests.Docs;

/// <summary>Decisions take one form, so that a reader finds the same answer in the same place.</summary>
public sealed class DecisionTests
{
    private static readonly string[] s_headings = ["## Question", "## Decision", "## Why", "## What it costs"];
    private const string Tried = "## What was tried";

    public static TheoryData<string> Decisions =>
        [.. Directory.GetFiles(Path.Combine(Tree.Root, "docs", "decisions"), "*.md").Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Decisions))]
    public void Decision_Any_HasItsNumberAndTheSameHeadings(string file)
    {
        string[] lines = [.. Tree.Read("docs", "decisions", file).Split('\n').Where(static line => line.StartsWith('#'))];
        Assert.StartsWith($"# {file[..4]} ", lines[0], StringComparison.Ordinal);
        Assert.Equal(s_headings, lines[1..].Where(static line => line != Tried));
        Assert.InRange(lines.Length, s_headings.Length + 1, lines[^1] == Tried ? s_headings.Length + 2 : s_headings.Length + 1);
    }
}
