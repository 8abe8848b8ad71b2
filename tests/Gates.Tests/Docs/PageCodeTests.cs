namespace Raceway.Gates.Tests.Docs;

/// <summary>The C# of a page stands line for line in sources that are compiled and run by other tests.</summary>
public sealed class PageCodeTests
{
    private const string Fence = "```";

    [Theory]
    [InlineData("docs/getting-started.md", 7, "samples/GettingStarted/*.cs")]
    [InlineData("docs/from-disruptor-net.md", 4, "samples/SideBySide/With*.cs")]
    [InlineData("docs/from-channels.md", 3, "samples/SideBySide/With*.cs", "samples/ChannelsReplaced/Program.cs")]
    [InlineData("docs/side-by-side.md", 21, "samples/SideBySide/With*.cs")]
    [InlineData(
        "docs/recipes.md", 14, "tests/Pipeline.Tests/Recipes/RecipesPageTests.cs", "tests/Interop.Tests/Hosting/DocExamples.cs", "tests/Journal.Tests/DocExamples.cs")]
    [InlineData("docs/observing.md", 3, "tests/Pipeline.Tests/Recipes/ObservingPageTests.cs")]
    [InlineData("docs/reading.md", 1, "tests/Pipeline.Tests/Recipes/ObservingPageTests.cs")]
    [InlineData("docs/extending.md", 4, "samples/OwnKinds/*.cs")]
    [InlineData("docs/testing.md", 9, "tests/Pipeline.Tests/Testing/TestingPageTests.cs")]
    [InlineData("docs/interop.md", 1, "tests/Interop.Tests/Bridges/InteropExamplesTests.cs")]
    [InlineData("src/Interop/Journal/README.md", 1, "tests/Journal.Tests/DocExamples.cs")]
    [InlineData("docs/durability.md", 2, "tests/Journal.Tests/DocExamples.cs")]
    [InlineData("docs/logging.md", 2, "tests/Logging.Tests/DocExamples.cs")]
    [InlineData("src/Interop/Logging/README.md", 1, "tests/Logging.Tests/DocExamples.cs")]
    [InlineData("src/Interop/Serilog/README.md", 1, "tests/Logging.Tests/DocExamples.cs")]
    [InlineData("docs/hosting.md", 1, "tests/Interop.Tests/Hosting/DocExamples.cs", "samples/AspNetIngest/Program.cs")]
    [InlineData("src/Testing/README.md", 1, "samples/OwnKinds/Program.cs")]
    [InlineData("src/Interop/Bridges/README.md", 1, "samples/ChannelsReplaced/Program.cs")]
    [InlineData("src/Interop/Hosting/README.md", 1, "samples/AspNetIngest/Program.cs")]
    public void Code_OfAPage_IsInASourceLineForLine(string page, int least, params string[] sources)
    {
        string[] code = [.. sources.SelectMany(Files).Select(static file => Lines(File.ReadAllText(file)))];
        string[] blocks = [.. Tree.Read(page).Split($"{Fence}csharp\n")[1..].Select(static block => Lines(block.Split(Fence)[0]))];

        Assert.InRange(blocks.Length, least, int.MaxValue);
        Assert.All(blocks, block => Assert.Contains(code, source => source.Contains(block, StringComparison.Ordinal)));
    }

    private static string[] Files(string source) =>
        Directory.GetFiles(Path.Combine(Tree.Root, Path.GetDirectoryName(source)!), Path.GetFileName(source));

    // A page shows neither the indentation of its source nor every empty line.
    private static string Lines(string code) =>
        string.Join('\n', code.Split('\n').Select(static line => line.Trim()).Where(static line => line.Length > 0));
}
