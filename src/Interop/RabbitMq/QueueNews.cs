using System.Buffers.Binary;
using System.Diagnostics;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>A side that finds a queue of the link deleted declares it again, and tells the receivers so.</summary>
/// <remarks>
/// <para>The broker (3.10) does not always end the consumers of a deleted queue. If the queue is declared again soon enough, it moves
/// them there. They seem to be active, the broker drops each frame on its way to them, and their receiver is told nothing. Only
/// another channel helps.</para>
/// <para>Several sides may find one deletion. The news says how long ago it was found: a receiver that has declared the queues
/// since consumes the new one, and goes on.</para>
/// </remarks>
internal static class QueueNews
{
    private const string Key = "queues";
    private const int IdLength = 16;

    /// <summary>Tells every receiver that listens. Call it when the queues are there again.</summary>
    /// <param name="writer">By which.</param>
    /// <param name="link">Of which link.</param>
    /// <param name="teller">Which side tells: it has a new connection itself.</param>
    /// <param name="foundAt">When it found a queue gone last, by <see cref="Stopwatch"/>.</param>
    /// <param name="cancellation">Gives up.</param>
    public static async Task TellAsync(
        RabbitMqWriter writer, LinkAddress link, Guid teller, long foundAt, CancellationToken cancellation)
    {
        await writer.DeclareExchangeAsync(link, cancellation).ConfigureAwait(false);
        await writer.WriteAsync(LinkQueues.ExchangeOf(link), Key, Write(teller, foundAt), cancellation).ConfigureAwait(false);
    }

    /// <summary>Whether news is of a queue that a receiver may consume which has declared all of them so long ago.</summary>
    public static bool Concerns(ReadOnlySpan<byte> news, Guid self, TimeSpan sinceDeclared)
    {
        // Of what cannot be read the worst is assumed. On its way news grows older than it says, never younger.
        if (news.Length != IdLength + sizeof(long)) return true;
        return new Guid(news[..IdLength]) != self
            && sinceDeclared.Ticks >= BinaryPrimitives.ReadInt64LittleEndian(news[IdLength..]);
    }

    /// <summary>Listens for as long as the connection lives. Call it before anything is consumed.</summary>
    public static async Task ListenAsync(
        IConnection connection, LinkAddress link, Action<ReadOnlyMemory<byte>> onNews, CancellationToken cancellation)
    {
        string name = $"{link.Prefix}news.{Guid.NewGuid():n}";
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await LinkQueues.DeclareExchangeAsync(channel, link, cancellation).ConfigureAwait(false);
        await channel.QueueDeclareAsync(name, durable: false, exclusive: true, autoDelete: false, cancellationToken: cancellation)
            .ConfigureAwait(false);
        await channel.QueueBindAsync(name, LinkQueues.ExchangeOf(link), Key, cancellationToken: cancellation).ConfigureAwait(false);
        await channel.BasicConsumeAsync(name, autoAck: true, new Listening(channel, onNews), cancellation).ConfigureAwait(false);
    }

    private static byte[] Write(Guid teller, long foundAt)
    {
        var news = new byte[IdLength + sizeof(long)];
        teller.ToByteArray().CopyTo(news, 0);
        BinaryPrimitives.WriteInt64LittleEndian(news.AsSpan(IdLength), Stopwatch.GetElapsedTime(foundAt).Ticks);
        return news;
    }

    private sealed class Listening(IChannel channel, Action<ReadOnlyMemory<byte>> onNews) : AsyncDefaultBasicConsumer(channel)
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
            onNews(body);
            return Task.CompletedTask;
        }
    }
}
