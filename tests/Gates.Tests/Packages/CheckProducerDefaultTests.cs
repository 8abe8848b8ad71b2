using Raceway.Rings;

namespace Raceway.Gates.Tests.Packages;

/// <summary>What an application that takes the package gets for <see cref="RingOptions.CheckProducer"/>, by its own build.</summary>
[Collection(PackedFeed.Collection)]
public sealed class CheckProducerDefaultTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("raceway-app-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task CheckProducer_OfAnApplication_FollowsItsBuildItsPropertyAndTheEnvironment()
    {
        await DotnetCommand.PackAsync(_folder.FullName, "src/Ring/Raceway.Rings.csproj");
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
              <ItemGroup><PackageReference Include="Raceway.Rings" Version="{DotnetCommand.Version}" /></ItemGroup>
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

    private void Write(string name, string text) => File.WriteAllText(Path.Combine(_folder.FullName, name), text);

    private async Task<string> Build(string configuration, string output, params string[] more)
    {
        string folder = Path.Combine(_folder.FullName, output);
        await DotnetCommand.BuildAsync(_folder.FullName, ["build", Path.Combine(_folder.FullName, "app.csproj"), "-c", configuration, "-o", folder, .. more]);
        return Path.Combine(folder, "app.dll");
    }

    private Task<string> Run(string program, string? environment = null) =>
        DotnetCommand.RunAsync(_folder.FullName, ["exec", program], ("RACEWAY_CHECK_PRODUCER", environment));
}
