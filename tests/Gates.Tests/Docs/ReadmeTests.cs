namespace Raceway.Gates.Tests.Docs;

/// <summary>README is what a stranger reads to its end.</summary>
public sealed class ReadmeTests
{
    private const int MostLines = 119;

    [Fact]
    public void Readme_IsShort()
    {
        int lines = Tree.Read("README.md").TrimEnd('\n').Split('\n').Length;
        Assert.True(lines <= MostLines, $"README.md has {lines} lines, and {MostLines} are the most. Move detail to docs.");
    }
}
