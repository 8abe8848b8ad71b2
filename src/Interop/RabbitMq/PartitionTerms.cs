using System.Buffers.Binary;
using System.Threading.Channels;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Raceway.Interop.RabbitMq;

/// <summary>The terms of a link's partitions: a number at the broker that only goes up, a message in a replicated queue.</summary>
/// <remarks>
/// <para>The queue has one active consumer, so one receiver counts at a time. It reads all that was there when its turn came (up to
/// a mark that it writes behind it), writes the next number, and takes the rest away when that is confirmed: a number that was
/// used is never lost, and a receiver that dies in between leaves all for the next.</para>
/// <para>The number is the time of day at least. A broker that has lost the queue still gives higher ones than before.</para>
/// <para><b>Cost</b>: some six round trips, and three confirms.</para>
/// </remarks>
internal static class PartitionTerms
{
    private const int IdLength = 16;

    public static string QueueOf(LinkAddress link) => $"{link.Prefix}terms";

    /// <summary>Declares the queue.</summary>
    public static async Task DeclareAsync(
        IConnection connection, LinkAddress link, RabbitMqOptions options, CancellationToken cancellation)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            Dictionary<string, object?> arguments = LinkQueues.Common(options);
            arguments["x-single-active-consumer"] = true;
            await channel.QueueDeclareAsync(
                QueueOf(link), durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: cancellation)
                .ConfigureAwait(false);
        }
    }

    /// <summary>The next term: above all that were given before.</summary>
    public static async Task<long> NextAsync(
        IConnection connection, RabbitMqWriter writer, LinkAddress link, CancellationToken cancellation)
    {
        string queue = QueueOf(link);
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            var reading = new Reading(channel);
            // There is always one to be read: its delivery says that it is our turn.
            await WriteAsync(writer, queue, 0, Guid.Empty, cancellation).ConfigureAwait(false);
            await channel.BasicConsumeAsync(queue, autoAck: false, reading, cancellation).ConfigureAwait(false);
            (ulong tag, long highest, Guid id) = await reading.NextAsync(cancellation).ConfigureAwait(false);
            var mark = Guid.NewGuid();
            await WriteAsync(writer, queue, 0, mark, cancellation).ConfigureAwait(false);
            while (id != mark)
            {
                (tag, long term, id) = await reading.NextAsync(cancellation).ConfigureAwait(false);
                highest = Math.Max(highest, term);
            }

            // One that was taken for dead while it counted may not come to the same.
            long next = Math.Max(highest, DateTime.UtcNow.Ticks) + 1 + Random.Shared.Next(1024);
            await WriteAsync(writer, queue, next, Guid.Empty, cancellation).ConfigureAwait(false);
            await channel.BasicAckAsync(tag, multiple: true, cancellation).ConfigureAwait(false);
            await channel.CloseAsync(cancellation).ConfigureAwait(false);
            return next;
        }
    }

    private static Task WriteAsync(RabbitMqWriter writer, string queue, long term, Guid id, CancellationToken cancellation)
    {
        var body = new byte[sizeof(long) + IdLength];
        BinaryPrimitives.WriteInt64LittleEndian(body, term);
        id.ToByteArray().CopyTo(body, sizeof(long));
        return writer.WriteAsync("", queue, body, cancellation);
    }

    private sealed class Reading(IChannel channel) : AsyncDefaultBasicConsumer(channel)
    {
        private readonly Channel<(ulong Tag, long Term, Guid Id)> _read =
            System.Threading.Channels.Channel.CreateUnbounded<(ulong Tag, long Term, Guid Id)>();

        public ValueTask<(ulong Tag, long Term, Guid Id)> NextAsync(CancellationToken cancellation) =>
            _read.Reader.ReadAsync(cancellation);

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
            // What another has written there counts as nothing.
            bool isOurs = body.Length == sizeof(long) + IdLength;
            long term = isOurs ? BinaryPrimitives.ReadInt64LittleEndian(body.Span) : 0;
            _read.Writer.TryWrite((deliveryTag, term, isOurs ? new Guid(body.Span[sizeof(long)..]) : Guid.Empty));
            return Task.CompletedTask;
        }

        public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default) => End();

        public override Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason) => End();

        private Task End()
        {
            _read.Writer.TryComplete(new IOException("The terms' queue, or its channel, is gone."));
            return Task.CompletedTask;
        }
    }
}
