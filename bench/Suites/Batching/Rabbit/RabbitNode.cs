using System.Globalization;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Suites.Batching.Rabbit;

/// <summary>The broker that is measured, which <c>tests/Interop.Tests/RabbitMq/broker.sh</c> announces.</summary>
internal static class RabbitNode
{
    private const string Variable = "RACEWAY_RABBIT_NODES";
    private static readonly TimeSpan s_longestDelete = TimeSpan.FromSeconds(10);

    /// <summary>The broker's nodes, <c>host:port</c> each.</summary>
    public static IReadOnlyList<string> All =>
        Environment.GetEnvironmentVariable(Variable)?.Split(',', StringSplitOptions.RemoveEmptyEntries) ?? [];

    /// <summary>Why nothing can be measured here, if no broker is announced.</summary>
    public static string? Missing() => All.Count > 0 ? null : $"no broker: {Variable} is not set, broker.sh with 1 sets it";

    /// <summary>Connects to the first node.</summary>
    public static async Task<IConnection> ConnectAsync()
    {
        string node = All[0];
        int colon = node.LastIndexOf(':');
        var factory = new ConnectionFactory
        {
            HostName = node[..colon],
            Port = int.Parse(node.AsSpan(colon + 1), CultureInfo.InvariantCulture),
            // What a round had sent is lost with its connection: the round fails, and nothing is sent again.
            AutomaticRecoveryEnabled = false,
        };
        return await factory.CreateConnectionAsync().ConfigureAwait(false);
    }

    /// <summary>Deletes what a contestant leaves at the broker.</summary>
    /// <remarks>A broker that is gone is not told again: the contestant's round has failed by it.</remarks>
    public static async Task DeleteAsync(Func<CancellationToken, Task> delete)
    {
        using var limit = new CancellationTokenSource(s_longestDelete);
        try
        {
            await delete(limit.Token).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is RabbitMQClientException or OperationCanceledException or TimeoutException or IOException)
        {
        }
    }
}
