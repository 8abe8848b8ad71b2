using System.Xml.Linq;

namespace Raceway.Gates.Tests.Packages;

/// <summary>What packages ask of their users: lower bounds, so that they stand beside any other version.</summary>
public sealed class PackageTests
{
    [Fact]
    public void References_OfShippedPackages_AreLowerBounds()
    {
        Dictionary<string, string> versions = XDocument.Load(Path.Combine(Tree.Root, "Directory.Packages.props")).Descendants("PackageVersion")
            .ToDictionary(static one => one.Attribute("Include")!.Value, static one => one.Attribute("Version")!.Value);
        (string Project, string Package)[] shipped =
        [
            .. from file in Directory.EnumerateFiles(Path.Combine(Tree.Root, "src"), "*.csproj", SearchOption.AllDirectories)
               let project = XDocument.Load(file)
               where project.Descendants("IsPackable").Any(static one => one.Value == "true")
               from reference in project.Descendants("PackageReference")
               select (Path.GetFileName(file), reference.Attribute("Include")!.Value),
        ];

        Assert.NotEmpty(shipped);
        Assert.All(shipped, one => Assert.True(char.IsAsciiDigit(versions[one.Package][0]), $"{one}: {versions[one.Package]}"));
    }
}
