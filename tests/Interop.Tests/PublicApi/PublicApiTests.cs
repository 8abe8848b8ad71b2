using System.Reflection;
using Raceway.Pipelines.Tests.PublicApi;

namespace Raceway.Interop.Tests.PublicApi;

/// <summary>What users of the interop libraries compile against changes on purpose only.</summary>
public sealed class PublicApiTests
{
    private const string UpdateVariable = "RACEWAY_UPDATE_API";

    public static TheoryData<string> Libraries =>
        ["Raceway.Interop", "Raceway.Interop.Hosting", "Raceway.Interop.Distributed", "Raceway.Interop.RabbitMq"];

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Surface_OfEachLibrary_IsAsCheckedIn(string library)
    {
        string actual = ApiText.Of(Assembly.Load(library));
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            File.WriteAllText(Path.Combine(Tree.Root, "tests", "Interop.Tests", "PublicApi", $"{library}.txt"), actual);
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
            + $"rewrites tests/Interop.Tests/PublicApi/{library}.txt, and check the difference in.\n"
            + string.Join('\n', changes.DefaultIfEmpty("(only the order or number of lines)")));
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void TypeParameters_OfPublicTypes_AreAtMostTwo(string library) =>
        Assert.All(
            Assembly.Load(library).GetExportedTypes(),
            type => Assert.True(type.GetGenericArguments().Length <= 2, type.FullName));

    [Fact]
    public void References_OfTheBridges_AreThePipelineAndTheRuntime() =>
        Assert.Equal(
            ["Raceway.Pipelines", "Raceway.Rings"],
            Assembly.Load("Raceway.Interop").GetReferencedAssemblies()
                .Select(reference => reference.Name!)
                .Where(name => !name.StartsWith("System.", StringComparison.Ordinal))
                .Order());
}
