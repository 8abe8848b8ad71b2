using System.Globalization;
using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Sources;

/// <summary>Words that make a sentence hard to read, counted for each folder: never more than before.</summary>
/// <remarks>
/// They stand where the sentence should name its actor: the producer, the stage, the caller, the thread. `words.txt` beside
/// this file holds the counts. A change that lowers a count writes the new number there.
/// </remarks>
public sealed partial class WordsTests
{
    private static readonly string[] s_kinds = [".cs", ".fs", ".md"];

    public static TheoryData<string, int> Folders()
    {
        TheoryData<string, int> folders = [];
        foreach ((string folder, int before) in Counts()) folders.Add(folder, before);
        return folders;
    }

    [Theory]
    [MemberData(nameof(Folders))]
    public void Words_OfAFolder_AreNoMoreThanBefore(string folder, int before)
    {
        string[] found =
        [
            .. Files(folder).SelectMany(static file => File.ReadLines(file).SelectMany((line, i) =>
                Words().Matches(line).Select(match => $"{Path.GetFileName(file)}:{i + 1}: {match.Value}"))),
        ];
        Assert.True(
            found.Length <= before,
            $"{folder}: {found.Length} of these words, {before} before. Name the actor instead.\n{string.Join('\n', found)}");
    }

    [Fact]
    public void Words_CountedFolders_AreAllThereAre()
    {
        string[] all =
        [
            .. new[] { "src", "bench" }.SelectMany(static top => Directory.GetDirectories(Path.Combine(Tree.Root, top))
                .Select(path => $"{top}/{Path.GetFileName(path)}")),
            "docs", "samples", "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
        ];
        Assert.Equal(all.Order(StringComparer.Ordinal), Counts().Select(static row => row.Folder).Order(StringComparer.Ordinal));
    }

    private static IEnumerable<(string Folder, int Before)> Counts() =>
        File.ReadLines(Path.Combine(Tree.Root, "tests", "Gates.Tests", "Sources", "words.txt"))
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Select(static parts => (parts[0], int.Parse(parts[1], CultureInfo.InvariantCulture)));

    private static IEnumerable<string> Files(string folder)
    {
        string path = Path.Combine(Tree.Root, folder);
        if (File.Exists(path)) return [path];
        return Directory.EnumerateFiles(path, "*", SearchOption.AllDirectories)
            .Where(static file => s_kinds.Contains(Path.GetExtension(file)));
    }

    [GeneratedRegex(@"\b(?:who|whom|whose|whoever|nobody|somebody|anybody|everybody|heed|heeds|heeded|dear|dearly|shall)\b", RegexOptions.IgnoreCase)]
    private static partial Regex Words();
}
