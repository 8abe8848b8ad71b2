using System.Text.RegularExpressions;

namespace Raceway.Rings.Tests;

/// <summary>What the ring's sources must not use, so that every access to shared memory is one that can be checked.</summary>
public sealed class SourceRulesTests
{
    private const int MostLines = 300;

    // The tests run from the build's output, which lies inside the tree. (A caller's file path is no help: builds for
    // continuous integration write a made-up root into it.)
    private static string Root()
    {
        DirectoryInfo? at = new(AppContext.BaseDirectory);
        while (at is not null && !File.Exists(Path.Combine(at.FullName, "Raceway.slnx"))) at = at.Parent;
        return at?.FullName ?? throw new DirectoryNotFoundException("Raceway.slnx");
    }

    private static string[] Files(string folder) =>
        [.. Directory.GetFiles(Path.Combine(Root(), folder), "*.cs", SearchOption.AllDirectories)
            .Where(file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal))];

    [Theory]
    [InlineData(@"\block\s*\(")]
    [InlineData(@"\bvolatile\b")]
    [InlineData(@"\bnew Lock\b")]
    [InlineData(@"System\.Threading\.")]
    [InlineData(@"Thread\.MemoryBarrier")]
    [InlineData(@"Thread\.Sleep")]
    public void Ring_Sources_DoNotUse(string banned)
    {
        string[] files = Files(Path.Combine("src", "Ring"));
        Assert.True(files.Length > 40);
        foreach (string file in files)
        {
            string[] lines = File.ReadAllLines(file);
            for (int i = 0; i < lines.Length; i++)
            {
                string code = lines[i].Split("//")[0];
                Assert.False(Regex.IsMatch(code, banned), $"{Path.GetFileName(file)}:{i + 1}: {lines[i]}");
            }
        }
    }

    [Theory]
    [InlineData("src/Ring")]
    [InlineData("tests/Ring.Tests")]
    public void Files_Length_IsWithinTheLimit(string folder) =>
        Assert.All(Files(folder), file => Assert.InRange(File.ReadAllLines(file).Length, 1, MostLines));

    [Fact]
    public void Tests_Sources_DoNotSleep()
    {
        string banned = string.Concat("Thread.", "Sleep(");
        Assert.All(
            Files(Path.Combine("tests", "Ring.Tests")),
            file => Assert.DoesNotContain(banned, File.ReadAllText(file), StringComparison.Ordinal));
    }
}
