using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Docs;

/// <summary>The tests of the whole tree, found in their sources, and the names by which documents speak of them.</summary>
/// <remarks>
/// A document writes `Class.Method`, `Method` alone where the class is plain from the context, `Class` for all of its
/// tests, and … or * for what is left out.
/// </remarks>
internal static partial class TestNames
{
    /// <summary>Every test, as Class.Method and the file from the tree's root on.</summary>
    private static readonly IReadOnlyList<(string Name, string File)> s_tests = Find();

    /// <summary>Every test, as Class.Method.</summary>
    public static IReadOnlySet<string> All { get; } = s_tests.Select(static test => test.Name).ToHashSet();

    /// <summary>The names of tests in a text.</summary>
    public static IEnumerable<string> In(string text) =>
        Quoted().Matches(text).Select(static match => match.Groups[1].Value).Where(static name => Name().IsMatch(name));

    /// <summary>The names of tests in a text that are links, and where each leads from the page on.</summary>
    public static IEnumerable<(string Name, string Link)> LinksIn(string text) =>
        Linked().Matches(text).Select(static match => (match.Groups[1].Value, match.Groups[2].Value)).Where(static link => Name().IsMatch(link.Item1));

    /// <summary>Whether a name, as written in a document, means at least one test.</summary>
    public static bool Exists(string name) => All.Any(Pattern(name).IsMatch);

    /// <summary>Whether at least one of the tests that a name means is in that file, from the tree's root on.</summary>
    public static bool IsIn(string name, string file)
    {
        Regex pattern = Pattern(name);
        return s_tests.Any(test => test.File == file && pattern.IsMatch(test.Name));
    }

    private static Regex Pattern(string name)
    {
        string pattern = Regex.Escape(name.Replace('…', '*')).Replace("\\*", "\\w*", StringComparison.Ordinal);
        if (!name.Contains('_', StringComparison.Ordinal)) pattern += "\\.\\w+";
        else if (!name.Contains('.', StringComparison.Ordinal)) pattern = "\\w+\\." + pattern;
        return new Regex($"^{pattern}$");
    }

    private static List<(string Name, string File)> Find()
    {
        List<(string Name, string File)> found = [];
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
                found.Add(($"{owner}.{method.Groups[1].Value}", Path.GetRelativePath(Tree.Root, file).Replace('\\', '/')));
                isTest = false;
            }
        }

        return found;
    }

    [GeneratedRegex(@"`([^`\n]+)`")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"\[`([^`\n]+)`\]\(([^)\s]+)\)")]
    private static partial Regex Linked();

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
