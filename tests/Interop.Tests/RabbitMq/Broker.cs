using System.Diagnostics;
using RabbitMQ.Client;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>broker.sh, for what is done to nodes while a test runs.</summary>
internal static class Broker
{
    /// <summary>One of its tests at a time: what is done to the nodes is done to everybody.</summary>
    public const string Collection = "Broker";

    // Of pauses, not of the clock: see Watchdog. A node that starts on a busy machine takes minutes.
    private const int MostLooks = 24_000;

    // Not by the path of this file, which a build for CI does not keep.
    private static readonly string s_script = Path.Combine(Tree.Root, "tests", "Interop.Tests", "RabbitMq", "broker.sh");

    public static void Run(params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo("bash", [s_script, .. arguments])
        {
            RedirectStandardOutput = true,
        })!;
        // Read to its end only where it ends: a node that was started keeps the pipe.
        Assert.True(process.WaitForExit(TimeSpan.FromMinutes(10)), $"Hung: broker.sh {string.Join(' ', arguments)}");
        Assert.Equal(0, process.ExitCode);
    }

    /// <summary>The client alone, to look at what a link has done.</summary>
    public static ConnectionFactory Factory()
    {
        string[] node = BrokerFactAttribute.Nodes[0].Split(':');
        return new ConnectionFactory { HostName = node[0], Port = int.Parse(node[1], null) };
    }

    /// <summary>Waits, for four minutes and more; <paramref name="state"/> says how it is where that was not enough.</summary>
    public static async Task Until(Func<bool> condition, string what, Func<string>? state = null)
    {
        for (int looks = 0; !condition(); looks++)
        {
            if (looks == MostLooks) Assert.Fail($"Hung, waiting for: {what}. {state?.Invoke()}");
            await Task.Delay(10);
        }
    }
}
