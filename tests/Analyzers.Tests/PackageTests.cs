using System.IO.Compression;
using System.Text.Json;

namespace Raceway.Analyzers.Tests;

/// <summary>A project that takes a package of Raceway's, and says nothing else, is checked by the rules.</summary>
public sealed class PackageTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("raceway-rules-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Rules_OfAProjectThatTakesAPackage_AreReportedOnce()
    {
        await DotnetCommand.PackAsync(_folder.FullName, "src/Ring/Raceway.Rings.csproj");
        await DotnetCommand.PackAsync(_folder.FullName, "src/Pipeline/Raceway.Pipelines.csproj");
        Write("nuget.config", """
            <configuration><packageSources><clear /><add key="here" value="feed" /></packageSources></configuration>
            """);
        Write("app.cs", "System.Console.Write(Raceway.Rings.Dispatch.Batch(maxAge: System.TimeSpan.FromSeconds(1)));");

        Assert.Equal(["RACE010"], await Build("Raceway.Rings"));
        // The rules are in the ring's package, which comes with it; also where both are named they speak once.
        Assert.Equal(["RACE010"], await Build("Raceway.Pipelines"));
        Assert.Equal(["RACE010"], await Build("Raceway.Rings", "Raceway.Pipelines"));
    }

    [Fact]
    public async Task Package_OfTheRing_HoldsRulesAndFixes()
    {
        await DotnetCommand.PackAsync(_folder.FullName, "src/Ring/Raceway.Rings.csproj");
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(_folder.FullName, "feed", $"Raceway.Rings.{DotnetCommand.Version}.nupkg"));
        Assert.Equal(
            ["analyzers/dotnet/cs/Raceway.Analyzers.Fixes.dll", "analyzers/dotnet/cs/Raceway.Analyzers.dll"],
            package.Entries.Select(static one => one.FullName).Where(static name => name.StartsWith("analyzers/", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal));
    }

    // By the compiler's own log: what a build prints has the same warning again in its summary.
    private async Task<string[]> Build(params string[] packages)
    {
        Write("app.csproj", $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <UseAppHost>false</UseAppHost>
                <RestorePackagesPath>packages</RestorePackagesPath>
                <NuGetAudit>false</NuGetAudit>
                <ErrorLog>rules.sarif,version=2.1</ErrorLog>
              </PropertyGroup>
              <ItemGroup>
                {string.Concat(packages.Select(static one => $"<PackageReference Include=\"{one}\" Version=\"{DotnetCommand.Version}\" />"))}
              </ItemGroup>
            </Project>
            """);
        await DotnetCommand.BuildAsync(_folder.FullName, "build", Path.Combine(_folder.FullName, "app.csproj"), "--no-incremental");
        using JsonDocument log = JsonDocument.Parse(await File.ReadAllBytesAsync(Path.Combine(_folder.FullName, "rules.sarif")));
        return [.. log.RootElement.GetProperty("runs")[0].GetProperty("results").EnumerateArray().Select(static one => one.GetProperty("ruleId").GetString()!)];
    }

    private void Write(string name, string text) => File.WriteAllText(Path.Combine(_folder.FullName, name), text);
}
