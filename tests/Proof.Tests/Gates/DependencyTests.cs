using System.Reflection;

namespace Raceway.Proof.Tests.Gates;

/// <summary>Libraries refer to each other one way only: interop to pipelines, pipelines and concurrency to the ring.</summary>
public sealed class DependencyTests
{
    [Theory]
    [InlineData("Raceway.Rings")]
    [InlineData("Raceway.Concurrency", "Raceway.Rings")]
    [InlineData("Raceway.Pipelines", "Raceway.Rings")]
    [InlineData("Raceway.Interop", "Raceway.Pipelines", "Raceway.Rings")]
    public void References_OfALibrary_PointOneWay(string library, params string[] expected) =>
        Assert.Equal(
            expected,
            Assembly.Load(library).GetReferencedAssemblies()
                .Select(static reference => reference.Name!)
                .Where(static name => name.StartsWith("Raceway.", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal));
}
