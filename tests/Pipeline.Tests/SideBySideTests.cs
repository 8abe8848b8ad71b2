namespace Raceway.Pipelines.Tests;

/// <summary>The page that shows seven shapes side by side has the code of the sample, which is compiled and run.</summary>
public sealed class SideBySideTests
{
    [Fact]
    public void Code_OfThePage_IsInTheSampleLineForLine()
    {
        string page = File.ReadAllText(Path.Combine(Tree.Root, "docs", "side-by-side.md"));
        string[] sources = [.. Directory.GetFiles(Path.Combine(Tree.Root, "samples", "SideBySide"), "With*.cs").Select(File.ReadAllText)];

        string[] blocks = [.. page.Split("```csharp\n")[1..].Select(static block => block.Split("```")[0])];
        Assert.Equal(21, blocks.Length);
        Assert.All(blocks, block => Assert.Contains(sources, source => source.Contains(block, StringComparison.Ordinal)));
    }
}
