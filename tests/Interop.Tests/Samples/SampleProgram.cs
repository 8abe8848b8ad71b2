using System.Diagnostics;

namespace Raceway.Interop.Tests.Samples;

/// <summary>A sample as a process of its own.</summary>
internal static class SampleProgram
{
    public static string Folder => Path.Combine(Tree.Root, "samples");

    /// <summary>Starts it, with both of its outputs redirected.</summary>
    public static Process Start(string sample, params string[] arguments) => Process.Start(Of(sample, arguments))!;

    /// <summary>How it is started.</summary>
    public static ProcessStartInfo Of(string sample, params string[] arguments)
    {
        // Beside this assembly's own folder: artifacts/bin/<project>/<configuration>.
        string configuration = Path.GetFileName(Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory));
        string program = Path.Combine(
            AppContext.BaseDirectory, "..", "..", sample, configuration, sample + (OperatingSystem.IsWindows() ? ".exe" : ""));
        return new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
    }
}
