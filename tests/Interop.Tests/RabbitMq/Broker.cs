using System.Diagnostics;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>broker.sh, for what is done to nodes while a test runs.</summary>
internal static class Broker
{
    // Not by the path of this file, which a build for CI does not keep.
    private static readonly string s_script = Path.Combine(Tree.Root, "tests", "Interop.Tests", "RabbitMq", "broker.sh");

    public static void Run(params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo("bash", [s_script, .. arguments])
        {
            RedirectStandardOutput = true,
        })!;
        // Read to its end only where it ends: a node that was started keeps the pipe.
        process.WaitForExit(TimeSpan.FromMinutes(3));
        Assert.Equal(0, process.ExitCode);
    }
}
