namespace Raceway.Pipelines.Tests;

/// <summary>README's code is the sample's, which is compiled and run by other tests.</summary>
public sealed class ReadmeTests
{
    [Fact]
    public void Code_OfReadme_IsInTheSampleLineForLine()
    {
        string readme = File.ReadAllText(Path.Combine(Tree.Root, "README.md"));
        string sample = File.ReadAllText(Path.Combine(Tree.Root, "samples", "GettingStarted", "Program.cs"));

        string[] blocks = readme.Split("```csharp\n")[1..];
        Assert.NotEmpty(blocks);
        Assert.All(blocks, block => Assert.Contains(block.Split("```")[0], sample, StringComparison.Ordinal));
    }
}
