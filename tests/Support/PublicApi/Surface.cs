using System.Reflection;

namespace Raceway.Tests.Support.PublicApi;

/// <summary>What is asked of every library's public surface.</summary>
internal static class Surface
{
    private const string UpdateVariable = "RACEWAY_UPDATE_API";

    /// <summary>The surface is that of the file in the folder of <paramref name="tests"/>; the variable makes it that.</summary>
    public static void AssertIsAsCheckedIn(string library, string tests)
    {
        string actual = ApiText.Of(Assembly.Load(library));
        string place = $"tests/{tests}/PublicApi/{library}.txt";
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            File.WriteAllText(Path.Combine(Tree.Root, place), actual);
            return;
        }

        string file = Path.Combine(AppContext.BaseDirectory, "PublicApi", $"{library}.txt");
        string[] expected = File.Exists(file) ? File.ReadAllLines(file) : [];
        string[] lines = actual.Split('\n', StringSplitOptions.RemoveEmptyEntries);
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

    public static void AssertFewTypeParameters(string library) =>
        Assert.All(
            Assembly.Load(library).GetExportedTypes(),
            type => Assert.True(type.GetGenericArguments().Length <= 2, ApiNames.Full(type)));

    /// <summary>What it refers to, apart from the runtime.</summary>
    public static IEnumerable<string> ForeignReferences(string library) =>
        Assembly.Load(library).GetReferencedAssemblies()
            .Select(reference => reference.Name!)
            .Where(name => !name.StartsWith("System.", StringComparison.Ordinal))
            .Order();
}
