using System.Xml.Linq;

namespace Raceway.Lab.Tests;

/// <summary>What packages ask of their users: lower bounds, so that they stand beside any other version.</summary>
public sealed class PackageTests
{
    [Fact]
    public void References_OfShippedPackages_AreLowerBounds()
    {
        string root = Root();
        Dictionary<string, string> versions = XDocument.Load(Path.Combine(root, "Directory.Packages.props")).Descendants("PackageVersion")
            .ToDictionary(static one => one.Attribute("Include")!.Value, static one => one.Attribute("Version")!.Value);
        (string Project, string Package)[] shipped =
        [
            .. from file in Directory.EnumerateFiles(Path.Combine(root, "src"), "*.csproj", SearchOption.AllDirectories)
               let project = XDocument.Load(file)
               where project.Descendants("IsPackable").Any(static one => one.Value == "true")
               from reference in project.Descendants("PackageReference")
               select (Path.GetFileName(file), reference.Attribute("Include")!.Value),
        ];

        Assert.NotEmpty(shipped);
        Assert.All(shipped, one => Assert.True(char.IsAsciiDigit(versions[one.Package][0]), $"{one}: {versions[one.Package]}"));
    }

    private static string Root()
    {
        string folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Raceway.slnx"))) folder = Path.GetDirectoryName(folder)!;
        return folder;
    }
}
