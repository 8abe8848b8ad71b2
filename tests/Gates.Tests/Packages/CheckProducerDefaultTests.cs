using System.Diagnostics;
using System.Reflection;
using Raceway.Rings;

namespace Raceway.Gates.Tests.Packages;

/// <summary>What an application that takes the package gets for <see cref="RingOptions.CheckProducer"/>, by its own build.</summary>
public sealed class CheckProducerDefaultTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("raceway-app-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task CheckProducer_OfAnApplication_FollowsItsBuildItsPropertyAndTheEnvironment()
    {
        string version = typeof(Ring).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];
        await DotNet(
            "pack", Path.Combine(Tree.Root, "src", "Ring", "Raceway.Rings.csproj"), "--no-build", "-c", Configuration(),
            "-o", Path.Combine(_folder.FullName, "feed"));
        Write("nuget.config", """
            <configuration><packageSources><clear /><add key="here" value="feed" /></packageSources></configuration>
            """);
        Write("app.csproj", $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <UseAppHost>false</UseAppHost>
                <RestorePackagesPath>packages</RestorePackagesPath>
                <NuGetAudit>false</NuGetAudit>
              </PropertyGroup>
              <ItemGroup><PackageReference Include="Raceway.Rings" Version="{version}" /></ItemGroup>
            </Project>
            """);
        Write("app.cs", "System.Console.Write(new Raceway.Rings.RingOptions().CheckProducer);");

        string debug = await Build("Debug", "debug");
        Assert.Equal("True", await Run(debug));
        Assert.Equal("False", await Run(debug, environment: "0"));
        string release = await Build("Release", "release");
        Assert.Equal("False", await Run(release));
        Assert.Equal("True", await Run(release, environment: "1"));
        Assert.Equal("False", await Run(await Build("Debug", "off", "-p:RacewayCheckProducer=false")));
    }

    // The ring's own build that this test refers to: there is nothing to build again.
    private static string Configuration() =>
        typeof(Ring).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()!.Configuration;

    private void Write(string name, string text) => File.WriteAllText(Path.Combine(_folder.FullName, name), text);

    private async Task<string> Build(string configuration, string output, params string[] more)
    {
        string folder = Path.Combine(_folder.FullName, output);
        await DotNet(["build", Path.Combine(_folder.FullName, "app.csproj"), "-c", configuration, "-o", folder, .. more]);
        return Path.Combine(folder, "app.dll");
    }

    private Task<string> Run(string program, string? environment = null) => DotNet(environment, ["exec", program]);

    // No compiler and no node of the build outlives its call.
    private Task<string> DotNet(params string[] arguments) =>
        DotNet(null, [.. arguments, "-v", "quiet", "-nodeReuse:false", "-p:UseSharedCompilation=false"]);

    private async Task<string> DotNet(string? environment, string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", arguments)
        {
            WorkingDirectory = _folder.FullName, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        start.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        start.Environment["RACEWAY_CHECK_PRODUCER"] = environment;
        // What the test host is run with is not for what it starts.
        foreach (string name in (string[])["MSBuildSDKsPath", "MSBuildExtensionsPath", "MSBUILD_EXE_PATH"]) start.Environment.Remove(name);
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string errors = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.True(process.ExitCode == 0, $"dotnet {string.Join(' ', arguments)}: {await output}{errors}");
        return (await output).Trim();
    }
}
