using System.Diagnostics;
using System.Reflection;

namespace Raceway.Tests.Support;

/// <summary>The SDK's commands, for tests of what the build of a user gets.</summary>
internal static class DotnetCommand
{
    /// <summary>As this test was built: what is packed is there already.</summary>
    public static string Configuration { get; } =
        typeof(DotnetCommand).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()!.Configuration;

    /// <summary>The version of the packages.</summary>
    public static string Version { get; } = typeof(Ring).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    /// <summary>Packs a project of the tree, as it is built, into the folder <c>feed</c>.</summary>
    public static Task PackAsync(string folder, string project, params string[] more) => BuildAsync(
        folder, ["pack", Path.Combine(Tree.Root, project), "--no-build", "-c", Configuration, "-o", Path.Combine(folder, "feed"), .. more]);

    /// <summary>Runs a command that builds. No compiler and no node of the build outlives it.</summary>
    public static Task<string> BuildAsync(string folder, params string[] arguments) =>
        RunAsync(folder, [.. arguments, "-v", "quiet", "-nodeReuse:false", "-p:UseSharedCompilation=false"]);

    /// <summary>Runs a command; returns what it has printed, and fails where it fails.</summary>
    public static async Task<string> RunAsync(string folder, string[] arguments, params (string Name, string? Value)[] environment)
    {
        var start = new ProcessStartInfo("dotnet", arguments)
        {
            WorkingDirectory = folder, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        start.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        foreach ((string name, string? value) in environment) start.Environment[name] = value;
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
