using System.IO.Compression;
using System.Text.Json;
using System.Xml.Linq;

namespace Raceway.Gates.Tests.Packages;

/// <summary>What the package of templates holds. That its projects build and run is tried by src/Templates/try.sh.</summary>
[Collection(PackedFeed.Collection)]
public sealed class TemplateTests(PackedFeed feed)
{
    // What fits on a screen.
    private const int MostLines = 50;

    private static string Folder => Path.Combine(Tree.Root, "src", "Templates", "content");

    /// <summary>As another version is packed, the new project asks for that one.</summary>
    [Fact]
    public void Projects_OfThePackage_AskForThePackagesThatWereBuiltWithThem()
    {
        using ZipArchive package = ZipFile.OpenRead(feed["Raceway.Templates"]);
        Dictionary<string, string> pinned = XDocument.Load(Path.Combine(Tree.Root, "Directory.Packages.props")).Descendants("PackageVersion")
            .ToDictionary(static one => one.Attribute("Include")!.Value, static one => one.Attribute("Version")!.Value.Trim('[', ']'));
        (string Name, string Version)[] asked =
        [
            .. package.Entries.Where(static one => one.Name.EndsWith(".csproj", StringComparison.Ordinal)).SelectMany(static one =>
            {
                using Stream stream = one.Open();
                return XDocument.Load(stream).Descendants("PackageReference")
                    .Select(static one => (one.Attribute("Include")!.Value, one.Attribute("Version")!.Value)).ToArray();
            }),
        ];

        Assert.InRange(asked.Length, 7, int.MaxValue);
        Assert.All(asked, one => Assert.Equal(
            one.Name.StartsWith("Raceway.", StringComparison.Ordinal) ? DotnetCommand.Version : pinned[one.Name], one.Version));
    }

    [Fact]
    public void Templates_OfThePackage_AreThoseOfTheSources()
    {
        using ZipArchive package = ZipFile.OpenRead(feed["Raceway.Templates"]);
        string[] sources =
        [
            .. Directory.GetFiles(Folder, "*", SearchOption.AllDirectories)
                .Select(static file => $"content/{Path.GetRelativePath(Folder, file).Replace('\\', '/')}").Order(StringComparer.Ordinal),
        ];
        Assert.Equal(sources, package.Entries.Select(static one => one.FullName)
            .Where(static name => name.StartsWith("content/", StringComparison.Ordinal)).Order(StringComparer.Ordinal));
        Assert.All(
            sources.Where(static name => Path.GetExtension(name) != ".csproj"),
            name => Assert.Equal(Tree.Read("src", "Templates", name).TrimEnd(), PackedFeed.Text(package, name).ReplaceLineEndings("\n").TrimEnd()));
        Assert.Equal("Template", PackedFeed.About(package).Descendants().Single(static one => one.Name.LocalName == "packageType").Attribute("name")?.Value);
    }

    /// <summary>A README that names templates names all that there are.</summary>
    [Fact]
    public void Readme_Names_EachTemplate() => Assert.All(Directory.GetDirectories(Folder), static folder =>
    {
        using JsonDocument template = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder, ".template.config", "template.json")));
        string name = template.RootElement.GetProperty("shortName").GetString()!;
        Assert.Equal(Path.GetFileName(folder), name);
        Assert.Contains($"`{name}`", Tree.Read("src", "Templates", "README.md"), StringComparison.Ordinal);
    });

    [Fact]
    public void Sources_OfATemplate_FitOnAScreen() => Assert.All(
        Directory.GetFiles(Folder, "*.cs", SearchOption.AllDirectories),
        static file => Assert.InRange(File.ReadAllLines(file).Length, 1, MostLines));
}
