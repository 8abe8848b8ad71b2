using System.Reflection;

namespace Raceway.Gates.Tests.Api;

/// <summary>What is asked of every library's public surface.</summary>
internal static class Surface
{
    private const string UpdateVariable = "RACEWAY_UPDATE_API";

    // Behind the line of each type: why users need it.
    private const string ReasonMark = "  // ";

    /// <summary>The surface is that of the file beside this one. The variable makes it that, and keeps the reasons.</summary>
    public static void AssertIsAsCheckedIn(string library)
    {
        string[] lines = ApiText.Of(Assembly.Load(library)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string place = $"tests/Gates.Tests/Api/{library}.txt";
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            string checkedIn = Path.Combine(Tree.Root, place);
            Dictionary<string, string> reasons = ReasonsOf(File.Exists(checkedIn) ? File.ReadAllLines(checkedIn) : []);
            File.WriteAllLines(checkedIn, lines.Select(line => reasons.TryGetValue(line, out string? why) ? line + ReasonMark + why : line));
            return;
        }

        string[] expected = [.. CheckedIn(library).Select(static line => line.Split(ReasonMark)[0])];
        string[] changes =
        [
            .. expected.Except(lines).Select(line => $"- {line.Trim()}"),
            .. lines.Except(expected).Select(line => $"+ {line.Trim()}"),
        ];
        Assert.True(
            expected.SequenceEqual(lines),
            $"The public surface of {library} has changed. If that is meant, run the tests once with {UpdateVariable}=1, which "
            + $"rewrites {place}, and check the difference in.\n"
            + string.Join('\n', changes.DefaultIfEmpty("(only the order or number of lines)")));
    }

    /// <summary>Each public type is there for a reason, which stands behind it in the file.</summary>
    public static void AssertHasReasons(string library)
    {
        string[] types = [.. CheckedIn(library).Where(static line => !line.StartsWith(' '))];
        Assert.NotEmpty(types);
        Assert.All(types, static type => Assert.Contains(ReasonMark, type, StringComparison.Ordinal));
    }

    /// <summary>The number of types and that of the lines of their members.</summary>
    public static string SizeOf(string library)
    {
        string[] lines = CheckedIn(library);
        int members = lines.Count(static line => line.StartsWith(' '));
        return $"{lines.Length - members}; {members}";
    }

    private static string[] CheckedIn(string library)
    {
        string file = Path.Combine(AppContext.BaseDirectory, "Api", $"{library}.txt");
        return File.Exists(file) ? File.ReadAllLines(file) : [];
    }

    private static Dictionary<string, string> ReasonsOf(string[] lines) =>
        lines.Select(static line => line.Split(ReasonMark)).Where(static parts => parts.Length == 2)
            .ToDictionary(static parts => parts[0], static parts => parts[1]);

    public static void AssertFewTypeParameters(string library) =>
        Assert.All(
            Assembly.Load(library).GetExportedTypes(),
            type => Assert.True(type.GetGenericArguments().Length <= 2, ApiNames.Full(type)));
}
