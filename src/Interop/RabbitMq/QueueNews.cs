using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>A side that finds a queue of the link deleted declares it again, and tells the receivers so.</summary>
/// <remarks>
/// The broker (3.10) does not always end the consumers of a deleted queue. If the queue is declared again soon enough, it moves
/// them there. They seem to be active, the broker drops each frame on its way to them, and their receiver is told nothing. Only
/// another channel helps.
/// </remarks>
internal static class QueueNews
{
    private const string Key = "queues";

    /// <summary>Tells every receiver that listens. Call it when the queues are there again.</summary>
    public static async Task TellAsync(RabbitMqWriter writer, LinkAddress link, CancellationToken cancellation)
    {
        await writer.DeclareExchangeAsync(link, cancellation).ConfigureAwait(false);
        await writer.WriteAsync(LinkQueues.ExchangeOf(link), Key, ReadOnlyMemory<byte>.Empty, cancellation).ConfigureAwait(false);
    }

    /// <summary>Listens for as long as the connection lives. Call it before anything is consumed.</summary>
    public static async Task ListenAsync(
        IConnection connection, LinkAddress link, Action onDeclaredAgain, CancellationToken cancellation)
    {
        string name = $"{link.Name}.g{link.Generation}.news.{Guid.NewGuid():n}";
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await LinkQueues.DeclareExchangeAsync(channel, link, cancellation).ConfigureAwait(false);
        await channel.QueueDeclareAsync(name, durable: false, exclusive: true, autoDelete: false, cancellationToken: cancellation)
            .ConfigureAwait(false);
        await channel.QueueBindAsync(name, LinkQueues.ExchangeOf(link), Key, cancellationToken: cancellation).ConfigureAwait(false);
        await channel.BasicConsumeAsync(name, autoAck: true, new Listening(channel, onDeclaredAgain), cancellation).ConfigureAwait(false);
    }

    private sealed class Listening(IChannel channel, Action onDeclaredAgain) : AsyncDefaultBasicConsumer(channel)
    {
        public override Task HandleBasicDeliverAsync(
            string consumerTag,
            ulong deliveryTag,
            bool redelivered,
            string exchange,
            string routingKey,
            IReadOnlyBasicProperties properties,
            ReadOnlyMemory<byte> body,
            CancellationToken cancellationToken = default)
        {
            onDeclaredAgain();
            return Task.CompletedTask;
        }
    }
}
