using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Raceway.Gates.Tests.Code;

/// <summary><c>Raceway.Codegen</c> as a process of its own.</summary>
internal static class CodegenProgram
{
    private const string Program = "Raceway.Codegen.dll";

    /// <summary>Runs it to its end; returns what it printed.</summary>
    public static async Task<string> RunAsync(IEnumerable<string> arguments, Dictionary<string, string> environment)
    {
        var start = new ProcessStartInfo(Host(), ["exec", Path.Combine(AppContext.BaseDirectory, Program), .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach ((string name, string value) in environment) start.Environment[name] = value;
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string errors = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.True(process.ExitCode == 0, $"{Program} ended with {process.ExitCode}: {await output}{errors}");
        return await output;
    }

    private static string Host()
    {
        string name = OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet";
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", name));
        return File.Exists(host) ? host : name;
    }
}
