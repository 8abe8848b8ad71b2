using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Docs;

/// <summary>The tests of the whole tree, found in their sources, and the names by which documents speak of them.</summary>
/// <remarks>
/// A document writes `Class.Method`, `Method` alone where the class is plain from the context, `Class` for all of its
/// tests, and … or * for what is left out.
/// </remarks>
internal static partial class TestNames
{
    /// <summary>Every test, as Class.Method.</summary>
    public static IReadOnlySet<string> All { get; } = Find();

    /// <summary>The names of tests in a text.</summary>
    public static IEnumerable<string> In(string text) =>
        Quoted().Matches(text).Select(static match => match.Groups[1].Value).Where(static name => Name().IsMatch(name));

    /// <summary>Whether a name, as written in a document, means at least one test.</summary>
    public static bool Exists(string name)
    {
        string pattern = Regex.Escape(name.Replace('…', '*')).Replace("\\*", "\\w*", StringComparison.Ordinal);
        if (!name.Contains('_', StringComparison.Ordinal)) pattern += "\\.\\w+";
        else if (!name.Contains('.', StringComparison.Ordinal)) pattern = "\\w+\\." + pattern;
        var whole = new Regex($"^{pattern}$");
        return All.Any(whole.IsMatch);
    }

    private static HashSet<string> Find()
    {
        HashSet<string> found = [];
        foreach (string file in Directory.EnumerateFiles(
            Path.Combine(Tree.Root, "tests"), "*.cs", SearchOption.AllDirectories))
        {
            string owner = "";
            bool isTest = false;
            foreach (string line in File.ReadLines(file))
            {
                if (Class().Match(line) is { Success: true } type) owner = type.Groups[1].Value;
                isTest |= Attribute().IsMatch(line);
                if (!isTest || Method().Match(line) is not { Success: true } method) continue;
                found.Add($"{owner}.{method.Groups[1].Value}");
                isTest = false;
            }
        }

        return found;
    }

    [GeneratedRegex(@"`([^`\n]+)`")]
    private static partial Regex Quoted();

    // A class of tests, a method of one, or a method alone: those have an underscore in them.
    [GeneratedRegex(@"^(?!RACEWAY_)(?:[A-Z][\w*]*Tests(?:\.[A-Z]\w*…?)?|[A-Z][A-Za-z]*_\w*…?)$")]
    private static partial Regex Name();

    // Tests lie in the file's own class, not in those within it.
    [GeneratedRegex(@"^(?:[a-z]+ )*class (\w+)")]
    private static partial Regex Class();

    [GeneratedRegex(@"^\s*\[\w*(?:Fact|Theory)\b")]
    private static partial Regex Attribute();

    [GeneratedRegex(@"^\s*public (?:async )?(?:Task|void) (\w+)\(")]
    private static partial Regex Method();
}
