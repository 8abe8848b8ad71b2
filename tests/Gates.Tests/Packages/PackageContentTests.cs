using System.IO.Compression;
using System.Reflection.PortableExecutable;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Raceway.Gates.Tests.Packages;

/// <summary>What a reader of a package site sees of each package, and that every link of it leads somewhere.</summary>
[Collection(PackedFeed.Collection)]
public sealed partial class PackageContentTests(PackedFeed feed)
{
    /// <summary>The projects that are packed, from the tree's root.</summary>
    public static TheoryData<string> Libraries => [.. Packable().Where(static file => !HasNoSurface(file)).Select(Named)];

    [Fact]
    public void Packages_All_SayWhatTheyAreAndInventNoAddress()
    {
        Assert.Equal(Packable().Count(), feed.Files.Count);
        Assert.All(feed.Files, static file =>
        {
            using ZipArchive package = ZipFile.OpenRead(file);
            XElement about = PackedFeed.About(package);
            Assert.Equal("Raceway contributors", PackedFeed.Value(about, "authors"));
            Assert.Equal("MIT", PackedFeed.Value(about, "license"));
            Assert.Equal("icon.png", PackedFeed.Value(about, "icon"));
            Assert.Equal("README.md", PackedFeed.Value(about, "readme"));
            Assert.NotEqual("", PackedFeed.Value(about, "tags"));
            Assert.NotEqual("", PackedFeed.Value(about, "description"));
            Assert.NotEqual("", PackedFeed.Value(about, "releaseNotes"));
            Assert.All((string[])["icon.png", "CHANGELOG.md"], name => Assert.NotNull(package.GetEntry(name)));
            // This build was not told where the project is to be found.
            Assert.Equal("", PackedFeed.Value(about, "projectUrl"));
            Assert.Null(about.Elements().Single(static one => one.Name.LocalName == "repository").Attribute("url"));
            Assert.Empty(Links(PackedFeed.Text(package, "README.md")));
        });
    }

    [Fact]
    public void Packages_WithAnAssembly_HaveSymbols() => Assert.All(feed.Files, static file =>
    {
        using ZipArchive package = ZipFile.OpenRead(file);
        string[] ours =
        [
            .. package.Entries.Select(static one => one.Name)
                .Where(static name => OfRaceway().IsMatch(name) && !name.StartsWith("Raceway.Analyzers", StringComparison.Ordinal)),
        ];
        string symbols = Path.ChangeExtension(file, ".snupkg");
        Assert.Equal(ours.Length > 0, File.Exists(symbols));
        if (ours.Length == 0) return;
        using ZipArchive found = ZipFile.OpenRead(symbols);
        Assert.Subset(found.Entries.Select(static one => one.Name).ToHashSet(), ours.Select(static name => Path.ChangeExtension(name, ".pdb")).ToHashSet());
    });

    /// <summary>What the sources ask for is one thing, what an application has to fulfil another: a version may have become exact on the way.</summary>
    [Fact]
    public void Packages_WhatTheyDependOn_IsALowerBound()
    {
        string[] versions =
        [
            .. feed.Files.SelectMany(static file =>
            {
                using ZipArchive package = ZipFile.OpenRead(file);
                return PackedFeed.About(package).Descendants().Where(static one => one.Name.LocalName == "dependency")
                    .Select(static one => one.Attribute("version")!.Value).ToArray();
            }),
        ];

        Assert.InRange(versions.Length, 10, int.MaxValue);
        Assert.All(versions, static version => Assert.Matches(@"^\d[^,]*$", version));
    }

    [Fact]
    public void Packages_ToldTheirRepository_LinkToPagesThatAreThere()
    {
        Assert.Equal(feed.Files.Count, feed.LinkedFiles.Count);
        Assert.All(feed.LinkedFiles, static file =>
        {
            using ZipArchive package = ZipFile.OpenRead(file);
            XElement about = PackedFeed.About(package);
            Assert.Equal(PackedFeed.Url, PackedFeed.Value(about, "projectUrl"));
            Assert.Equal(PackedFeed.Url, about.Elements().Single(static one => one.Name.LocalName == "repository").Attribute("url")?.Value);
            string[] links = [.. Links(PackedFeed.Text(package, "README.md"))];
            Assert.NotEmpty(links);
            Assert.All(links, static link =>
            {
                Assert.StartsWith($"{PackedFeed.Url}/blob/main/", link, StringComparison.Ordinal);
                string page = link[$"{PackedFeed.Url}/blob/main/".Length..].Split('#')[0];
                Assert.True(File.Exists(Path.Combine(Tree.Root, page)), link);
            });
        });
    }

    /// <summary>The SDK compares what a library offers with what it promises, when it is packed.</summary>
    [Theory]
    [MemberData(nameof(Libraries))]
    public async Task Package_OfALibrary_IsValidated(string project)
    {
        string property = await DotnetCommand.RunAsync(
            Tree.Root, ["msbuild", project, "-getProperty:EnablePackageValidation", "-nodeReuse:false"]);
        Assert.Equal("true", property);
    }

    /// <summary>What is for one system only would be carried by users of all others.</summary>
    [Fact]
    public void Packages_All_HoldNothingForOneSystemOnly() => Assert.All(feed.Files, static file =>
    {
        using ZipArchive package = ZipFile.OpenRead(file);
        Assert.All(package.Entries, static one =>
        {
            Assert.DoesNotContain("runtimes/", one.FullName, StringComparison.Ordinal);
            Assert.DoesNotContain(Path.GetExtension(one.Name), (string[])[".so", ".dylib", ".a", ".exe"]);
            if (Path.GetExtension(one.Name) == ".dll") Assert.True(IsManaged(one), one.FullName);
        });
    });

    /// <summary>A debugger is led to the sources of the very commit, where the build was told of a host that it knows.</summary>
    [Theory]
    [InlineData("https://github.com/example/raceway", "https://raw.githubusercontent.com/example/raceway/")]
    [InlineData("", "")]
    public async Task SourceLink_OfABuild_LeadsToTheRepositoryItWasTold(string told, string sources)
    {
        string items = await DotnetCommand.RunAsync(
            Tree.Root,
            [
                "msbuild", Path.Combine("src", "Ring", "Raceway.Rings.csproj"), $"-p:RepositoryUrl={told}", "-getItem:SourceRoot",
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

    // The tool, and the templates.
    private static bool HasNoSurface(string project) =>
        XDocument.Load(project).Descendants().Any(static one => one.Name.LocalName is "PackAsTool" or "PackageType");

    private static string Named(string file) => Path.GetRelativePath(Tree.Root, file).Replace('\\', '/');

    private static bool IsManaged(ZipArchiveEntry assembly)
    {
        using Stream stream = assembly.Open();
        using var memory = new MemoryStream();
        stream.CopyTo(memory);
        memory.Position = 0;
        using var reader = new PEReader(memory);
        return reader.HasMetadata;
    }

    private static IEnumerable<string> Links(string page) => Link().Matches(page).Select(static one => one.Groups[1].Value);

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^raceway(?:\.[\w.]+)?\.dll$", RegexOptions.IgnoreCase)]
    private static partial Regex OfRaceway();
}
