using System.Diagnostics;
using System.Text;
using Raceway.Interop.Distributed;
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

    /// <summary>
    /// Waits until each node has written down that it has the link's queues, some seconds after they were declared: one that is
    /// killed before begins them anew, without what was in them (3.10 at least).
    /// </summary>
    public static Task KeptAsync(LinkAddress link)
    {
        string folder = Environment.GetEnvironmentVariable("RACEWAY_RABBIT_BASE")!;
        byte[][] queues = [.. Enumerable.Range(0, link.Partitions).Select(one => Encoding.ASCII.GetBytes(link.QueueOf(one)))];
        return Until(
            () => Array.TrueForAll(Directory.GetDirectories(folder, "quorum", SearchOption.AllDirectories), IsKept),
            "the nodes' registers of queues");

        bool IsKept(string node) =>
            Array.TrueForAll(Directory.GetFiles(node, "names.dets", SearchOption.AllDirectories), HasAll);

        bool HasAll(string register)
        {
            using FileStream stream = new(register, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            var bytes = new byte[stream.Length];
            stream.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            return Array.TrueForAll(queues, queue => bytes.AsSpan().IndexOf(queue) >= 0);
        }
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
