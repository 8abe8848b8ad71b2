using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>broker.sh, for what is done to nodes while a test runs.</summary>
internal static class Broker
{
    public static void Run(params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo("bash", [Path.Combine(Folder(), "broker.sh"), .. arguments])
        {
            RedirectStandardOutput = true,
        })!;
        // Read to its end only where it ends: a node that was started keeps the pipe.
        process.WaitForExit(TimeSpan.FromMinutes(3));
        Assert.Equal(0, process.ExitCode);
    }

    private static string Folder([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
