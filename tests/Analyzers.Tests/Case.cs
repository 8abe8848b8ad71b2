namespace Raceway.Analyzers.Tests;

/// <summary>A misuse, and its twin that does the same rightly: a file with a part for each.</summary>
/// <remarks>
/// The part behind <c>// wrong</c> has a comment with the rule's ID at the end of each line where it is to be found. The part
/// behind <c>// right</c> is the twin. Behind <c>// fixed</c> the twin is what the rule's fix makes of the misuse. Behind
/// <c>// right, without a fix</c> there is none: only the author knows what is meant.
/// </remarks>
internal sealed class Case
{
    private const string NoFix = "// right, without a fix\n";

    private static readonly string s_folder = Path.Combine(Tree.Root, "tests", "Analyzers.Tests", "Cases");

    private Case(string wrong, string right, bool isFixed, bool hasNoFix)
    {
        string[] lines = wrong.Split('\n');
        Expected = [.. lines.SelectMany(static (line, i) => line.Split("// RACE")[1..].Select(id => $"{i + 1}: RACE{id.Trim()}"))];
        Wrong = new Snippet(string.Join('\n', lines.Select(static line => line.Split("// RACE")[0].TrimEnd())));
        Right = new Snippet(right);
        IsFixed = isFixed;
        HasNoFix = hasNoFix;
    }

    /// <summary>Every file of cases, as rule/name.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        .. Directory.GetFiles(s_folder, "*.cs", SearchOption.AllDirectories)
            .Select(static file => Path.GetRelativePath(s_folder, file).Replace('\\', '/'))
            .Order(StringComparer.Ordinal),
    ];

    public string[] Expected { get; }

    public Snippet Wrong { get; }

    public Snippet Right { get; }

    public bool IsFixed { get; }

    public bool HasNoFix { get; }

    public static Case Read(string name)
    {
        string text = File.ReadAllText(Path.Combine(s_folder, name)).ReplaceLineEndings("\n");
        string[] parts = text.Split(["// wrong\n", "// right\n", "// fixed\n", NoFix], StringSplitOptions.None);
        Assert.Equal(3, parts.Length);
        return new Case(parts[1].Trim(), parts[2].Trim(), text.Contains("// fixed\n", StringComparison.Ordinal), text.Contains(NoFix, StringComparison.Ordinal));
    }
}
