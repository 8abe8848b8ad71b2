using RabbitMQ.Client;

namespace Raceway.RabbitBench;

/// <summary>What a run has declared goes with it.</summary>
internal static class Queues
{
    public static ConnectionFactory FactoryOf(string node)
    {
        int colon = node.LastIndexOf(':');
        return new ConnectionFactory { HostName = node[..colon], Port = int.Parse(node.AsSpan(colon + 1), null) };
    }

    public static async Task DeleteAsync(string node, IEnumerable<string> queues)
    {
        await using IConnection connection = await FactoryOf(node).CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        foreach (string queue in queues) await channel.QueueDeleteAsync(queue);
    }
}
