using System.IO.Compression;
using System.Xml.Linq;

namespace Raceway.Gates.Tests.Packages;

/// <summary>All packages, packed as they are built: by a build that was told no address, and by one that was.</summary>
public sealed class PackedFeed : IAsyncLifetime
{
    /// <summary>Tests that pack: a project is packed by one of them at a time, as each writes into the project's own folder.</summary>
    public const string Collection = "packing";

    /// <summary>What the second build was told.</summary>
    public const string Url = "https://example.org/raceway";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("raceway-packed-");

    /// <summary>The packages of the build that was told no address.</summary>
    public IReadOnlyList<string> Files => Of("plain");

    /// <summary>The packages of the build that was told <see cref="Url"/>.</summary>
    public IReadOnlyList<string> LinkedFiles => Of("linked");

    /// <summary>A package of the first build.</summary>
    public string this[string id] => Files.Single(file => Path.GetFileName(file) == $"{id}.{DotnetCommand.Version}.nupkg");

    public async ValueTask InitializeAsync()
    {
        await PackAsync("plain");
        await PackAsync("linked", $"-p:RepositoryUrl={Url}");
    }

    public ValueTask DisposeAsync()
    {
        _folder.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }

    /// <summary>What a package says of itself.</summary>
    internal static XElement About(ZipArchive package)
    {
        using Stream stream = package.Entries.Single(static one => one.FullName.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        return XDocument.Load(stream).Root!.Elements().Single();
    }

    /// <summary>A part of that, or nothing.</summary>
    internal static string Value(XElement about, string name) =>
        about.Elements().SingleOrDefault(one => one.Name.LocalName == name)?.Value ?? "";

    /// <summary>A file of a package.</summary>
    internal static string Text(ZipArchive package, string name)
    {
        using var reader = new StreamReader(package.GetEntry(name)!.Open());
        return reader.ReadToEnd();
    }

    private Task PackAsync(string name, params string[] more)
    {
        DirectoryInfo folder = _folder.CreateSubdirectory(name);
        return DotnetCommand.PackAsync(folder.FullName, "Raceway.slnx", more);
    }

    private string[] Of(string name) => Directory.GetFiles(Path.Combine(_folder.FullName, name, "feed"), "*.nupkg");
}

[CollectionDefinition(PackedFeed.Collection)]
public sealed class PackingCollection : ICollectionFixture<PackedFeed>;
