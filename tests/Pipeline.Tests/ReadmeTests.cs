namespace Raceway.Pipelines.Tests;

/// <summary>README's code is the sample's, which is compiled and run by other tests.</summary>
public sealed class ReadmeTests
{
    [Fact]
    public void Code_OfReadme_IsInTheSampleLineForLine()
    {
        string root = Root();
        string readme = File.ReadAllText(Path.Combine(root, "README.md"));
        string sample = File.ReadAllText(Path.Combine(root, "samples", "GettingStarted", "Program.cs"));

        string[] blocks = readme.Split("```csharp\n")[1..];
        Assert.NotEmpty(blocks);
        Assert.All(blocks, block => Assert.Contains(block.Split("```")[0], sample, StringComparison.Ordinal));
    }

    private static string Root()
    {
        DirectoryInfo? at = new(AppContext.BaseDirectory);
        while (at is not null && !File.Exists(Path.Combine(at.FullName, "Raceway.slnx"))) at = at.Parent;
        return at?.FullName ?? throw new DirectoryNotFoundException("Raceway.slnx");
    }
}
