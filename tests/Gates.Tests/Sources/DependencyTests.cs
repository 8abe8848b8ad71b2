using System.Reflection;
using System.Xml.Linq;

namespace Raceway.Gates.Tests.Sources;

/// <summary>Libraries refer to each other one way only: interop to pipelines, pipelines and concurrency to the ring.</summary>
public sealed class DependencyTests
{
    [Theory]
    [InlineData("Raceway.Rings")]
    [InlineData("Raceway.Concurrency", "Raceway.Rings")]
    [InlineData("Raceway.Pipelines", "Raceway.Rings")]
    [InlineData("Raceway.Testing", "Raceway.Pipelines", "Raceway.Rings")]
    [InlineData("Raceway.Interop", "Raceway.Pipelines", "Raceway.Rings")]
    [InlineData("Raceway.Interop.Journal", "Raceway.Pipelines", "Raceway.Rings")]
    public void References_OfALibrary_PointOneWayAndElseToTheRuntimeAlone(string library, params string[] expected) =>
        Assert.Equal(
            expected,
            Assembly.Load(library).GetReferencedAssemblies()
                .Select(static reference => reference.Name!)
                .Where(static name => !name.StartsWith("System.", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal));

    /// <summary>
    /// One kernel: only the ring shows its internals, and only to the two libraries with units that it drives (decision 0020). Rules of
    /// the analyzer and their fixes come in one package.
    /// </summary>
    [Fact]
    public void Internals_OfALibrary_AreShownToNoOther_ButTheRings()
    {
        string[] pairs =
        [
            .. Directory.GetFiles(Path.Combine(Tree.Root, "src"), "*.csproj", SearchOption.AllDirectories)
                .SelectMany(static file => XDocument.Load(file).Descendants("InternalsVisibleTo")
                    .Select(to => $"{Path.GetFileNameWithoutExtension(file)} → {to.Attribute("Include")!.Value}"))
                .Where(static pair => !pair.EndsWith("Tests", StringComparison.Ordinal) && !pair.EndsWith(".Micro", StringComparison.Ordinal)
                    && !pair.EndsWith(".Support", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal),
        ];

        Assert.Equal(["Raceway.Analyzers → Raceway.Analyzers.Fixes", "Raceway.Rings → Raceway.Concurrency", "Raceway.Rings → Raceway.Pipelines"], pairs);
    }
}
