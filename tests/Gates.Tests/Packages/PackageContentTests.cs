using System.IO.Compression;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Raceway.Gates.Tests.Packages;

/// <summary>What a reader of a package site sees of each package, and that every link of it leads somewhere.</summary>
public sealed partial class PackageContentTests : IDisposable
{
    private const string Url = "https://example.org/raceway";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("raceway-packed-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Packages_All_SayWhatTheyAreAndInventNoAddress()
    {
        await DotnetCommand.PackAsync(_folder.FullName, "Raceway.slnx");

        string[] packed = Directory.GetFiles(Path.Combine(_folder.FullName, "feed"), "*.nupkg");
        Assert.Equal(Packable().Count(), packed.Length);
        Assert.All(packed, static file =>
        {
            using ZipArchive package = ZipFile.OpenRead(file);
            XElement about = About(package);
            Assert.Equal("Raceway contributors", Value(about, "authors"));
            Assert.Equal("MIT", Value(about, "license"));
            Assert.Equal("icon.png", Value(about, "icon"));
            Assert.Equal("README.md", Value(about, "readme"));
            Assert.NotEqual("", Value(about, "tags"));
            Assert.NotEqual("", Value(about, "description"));
            Assert.NotEqual("", Value(about, "releaseNotes"));
            Assert.All((string[])["icon.png", "CHANGELOG.md"], name => Assert.NotNull(package.GetEntry(name)));
            // This build was not told where the project is to be found.
            Assert.Equal("", Value(about, "projectUrl"));
            Assert.Null(about.Elements().Single(static one => one.Name.LocalName == "repository").Attribute("url"));
            Assert.Empty(Links(Text(package, "README.md")));
            Assert.True(File.Exists(Path.ChangeExtension(file, ".snupkg")), $"{file} has no symbols.");
        });
    }

    [Fact]
    public async Task Package_ToldItsRepository_LinksToPagesThatAreThere()
    {
        await DotnetCommand.PackAsync(_folder.FullName, "src/Ring/Raceway.Rings.csproj", $"-p:RepositoryUrl={Url}");

        using ZipArchive package = await ZipFile.OpenReadAsync(Assert.Single(Directory.GetFiles(Path.Combine(_folder.FullName, "feed"), "*.nupkg")));
        XElement about = About(package);
        Assert.Equal(Url, Value(about, "projectUrl"));
        Assert.Equal(Url, about.Elements().Single(static one => one.Name.LocalName == "repository").Attribute("url")?.Value);
        string[] links = [.. Links(Text(package, "README.md"))];
        Assert.InRange(links.Length, 3, int.MaxValue);
        Assert.All(links, static link =>
        {
            Assert.StartsWith($"{Url}/blob/main/", link, StringComparison.Ordinal);
            Assert.True(File.Exists(Path.Combine(Tree.Root, link[$"{Url}/blob/main/".Length..])), link);
        });
    }

    /// <summary>A debugger is led to the sources of the very commit, where the build was told of a host that it knows.</summary>
    [Theory]
    [InlineData("https://github.com/example/raceway", "https://raw.githubusercontent.com/example/raceway/")]
    [InlineData("", "")]
    public async Task SourceLink_OfABuild_LeadsToTheRepositoryItWasTold(string told, string sources)
    {
        string items = await DotnetCommand.RunAsync(
            _folder.FullName,
            [
                "msbuild", Path.Combine(Tree.Root, "src", "Ring", "Raceway.Rings.csproj"), $"-p:RepositoryUrl={told}", "-getItem:SourceRoot",
                "-t:InitializeSourceControlInformation,_InitializeGitHubSourceLinkUrl", "-nodeReuse:false",
            ]);
        using JsonDocument json = JsonDocument.Parse(items);
        string[] found =
        [
            .. json.RootElement.GetProperty("Items").GetProperty("SourceRoot").EnumerateArray()
                .Where(static root => root.TryGetProperty("SourceControl", out JsonElement kind) && kind.GetString() == "git")
                .Select(static root => root.TryGetProperty("SourceLinkUrl", out JsonElement url) ? url.GetString()! : ""),
        ];
        // A tree without its history has no root of that kind.
        Assert.All(found, url => Assert.StartsWith(sources, url, StringComparison.Ordinal));
        if (told.Length == 0) Assert.All(found, static url => Assert.DoesNotContain("example", url, StringComparison.Ordinal));
    }

    private static IEnumerable<string> Packable() =>
        ((string[])["src", "bench"]).SelectMany(static top => Directory.GetFiles(Path.Combine(Tree.Root, top), "*.csproj", SearchOption.AllDirectories))
            .Where(static file => XDocument.Load(file).Descendants("IsPackable").Any(static one => one.Value == "true"));

    private static XElement About(ZipArchive package)
    {
        using Stream stream = package.Entries.Single(static one => one.FullName.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        return XDocument.Load(stream).Root!.Elements().Single();
    }

    private static string Value(XElement about, string name) =>
        about.Elements().SingleOrDefault(one => one.Name.LocalName == name)?.Value ?? "";

    private static string Text(ZipArchive package, string name)
    {
        using var reader = new StreamReader(package.GetEntry(name)!.Open());
        return reader.ReadToEnd();
    }

    private static IEnumerable<string> Links(string page) => Link().Matches(page).Select(static one => one.Groups[1].Value);

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();
}
