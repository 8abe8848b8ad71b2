using System.Diagnostics;
using System.IO.Compression;
using System.Reflection;
using System.Text.Json;
using Raceway.Rings;

namespace Raceway.Analyzers.Tests;

/// <summary>A project that takes a package of Raceway's, and says nothing else, is checked by the rules.</summary>
public sealed class PackageTests : IDisposable
{
    private static readonly string s_version =
        typeof(Ring).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("raceway-rules-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Rules_OfAProjectThatTakesAPackage_AreReportedOnce()
    {
        await Pack("Ring", "Raceway.Rings");
        await Pack("Pipeline", "Raceway.Pipelines");
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
        await Pack("Ring", "Raceway.Rings");
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(_folder.FullName, "feed", $"Raceway.Rings.{s_version}.nupkg"));
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
                {string.Concat(packages.Select(static one => $"<PackageReference Include=\"{one}\" Version=\"{s_version}\" />"))}
              </ItemGroup>
            </Project>
            """);
        await DotNet("build", Path.Combine(_folder.FullName, "app.csproj"), "--no-incremental");
        using JsonDocument log = JsonDocument.Parse(await File.ReadAllBytesAsync(Path.Combine(_folder.FullName, "rules.sarif")));
        return [.. log.RootElement.GetProperty("runs")[0].GetProperty("results").EnumerateArray().Select(static one => one.GetProperty("ruleId").GetString()!)];
    }

    // The build that this test refers to: there is nothing to build again.
    private Task Pack(string folder, string project) => DotNet(
        "pack", Path.Combine(Tree.Root, "src", folder, $"{project}.csproj"), "--no-build",
        "-c", typeof(Ring).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()!.Configuration,
        "-o", Path.Combine(_folder.FullName, "feed"));

    private void Write(string name, string text) => File.WriteAllText(Path.Combine(_folder.FullName, name), text);

    private async Task DotNet(params string[] arguments)
    {
        // No compiler and no node of the build outlives its call.
        var start = new ProcessStartInfo("dotnet", [.. arguments, "-v", "quiet", "-nodeReuse:false", "-p:UseSharedCompilation=false"])
        {
            WorkingDirectory = _folder.FullName, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        start.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        // What the test host is run with is not for what it starts.
        foreach (string name in (string[])["MSBuildSDKsPath", "MSBuildExtensionsPath", "MSBUILD_EXE_PATH"]) start.Environment.Remove(name);
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string errors = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.True(process.ExitCode == 0, $"dotnet {string.Join(' ', arguments)}: {await output}{errors}");
    }
}
