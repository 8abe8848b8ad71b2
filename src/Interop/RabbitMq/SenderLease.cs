using System.Buffers.Binary;
using System.Diagnostics;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.RabbitMq;

/// <summary>A sender's lease on its streams: a queue of producer and epoch that is exclusive to the sender's connection.</summary>
/// <remarks>
/// <para>The broker deletes the queue with the connection, so a lease ends as its sender does. A second sender of the same epoch
/// cannot declare the queue. It asks the holder, through the exchange of the link's senders: an answer refuses it at once;
/// without one it waits as long as the broker may take to notice that the holder is gone.</para>
/// <para>A sender of a newer epoch has a queue of its own. It announces itself, and senders of older epochs end themselves.</para>
/// <para>A sender that connects again may find its own lease, of a connection that hangs with its node. Its former mailbox shows
/// that: it is of the same connection. The sender goes on then, and takes the lease again when the broker gives it up.</para>
/// </remarks>
/// <param name="link">Of which link.</param>
/// <param name="producer">The producer that holds it.</param>
/// <param name="patience">How long the broker may take to notice that a holder is gone.</param>
/// <param name="onFenced">Called when another sender has the lease, or a newer one lives.</param>
internal sealed class SenderLease(LinkAddress link, LinkProducer producer, TimeSpan patience, Action onFenced)
{
    private const int IdLength = 16;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longPause = TimeSpan.FromSeconds(1);

    private readonly Guid _id = Guid.NewGuid();
    private readonly string _exchange = LinkQueues.ExchangeOf(link);
    private readonly string _lock = $"{link.Prefix}sender.{producer.Id:x16}.{producer.Epoch:x16}";
    private readonly string _key = $"{producer.Id:x16}";

    // The mailbox of the connection that has the lease, or had it last.
    private volatile string? _holder;

    /// <summary>Takes the lease for a new connection.</summary>
    /// <param name="connection">Which one.</param>
    /// <param name="session">Its number.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <param name="ended">The sender's end, until which it is taken again where it is still a former connection's own.</param>
    /// <exception cref="LinkTransportException">Another sender has it.</exception>
    public async Task TakeAsync(IConnection connection, long session, CancellationToken cancellation, CancellationToken ended)
    {
        string name = $"{_lock}.{_id:n}.{session}";
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await LinkQueues.DeclareExchangeAsync(channel, link, cancellation).ConfigureAwait(false);
        await channel.QueueDeclareAsync(name, durable: false, exclusive: true, autoDelete: false, cancellationToken: cancellation)
            .ConfigureAwait(false);
        await channel.QueueBindAsync(name, _exchange, _key, cancellationToken: cancellation).ConfigureAwait(false);
        var mailbox = new Mailbox(this, channel, name);
        await channel.BasicConsumeAsync(name, autoAck: true, mailbox, cancellation).ConfigureAwait(false);
        if (!await TakeAsync(connection, mailbox, mayGoOn: true, cancellation).ConfigureAwait(false))
            _ = RetakeAsync(connection, mailbox, ended);
    }

    // False: a former connection of this sender has it.
    private async Task<bool> TakeAsync(IConnection connection, Mailbox mailbox, bool mayGoOn, CancellationToken cancellation)
    {
        long begun = Stopwatch.GetTimestamp();
        while (true)
        {
            if (await TryLockAsync(connection, cancellation).ConfigureAwait(false))
            {
                _holder = mailbox.Name;
                await AnnounceAsync(mailbox, cancellation).ConfigureAwait(false);
                return true;
            }

            TimeSpan pause = s_pause;
            if (_holder is { } holder && await ExistsAsync(connection, holder, cancellation).ConfigureAwait(false))
            {
                if (mayGoOn)
                {
                    await AnnounceAsync(mailbox, cancellation).ConfigureAwait(false);
                    return false;
                }

                // The lease is this sender's own.
                begun = Stopwatch.GetTimestamp();
                pause = s_longPause;
            }
            else if (mailbox.Refused.IsCompleted || Stopwatch.GetElapsedTime(begun) > patience)
            {
                throw LinkTransportException.Fenced(link, producer);
            }
            else
            {
                await AnnounceAsync(mailbox, cancellation).ConfigureAwait(false);
            }

            await Task.WhenAny(mailbox.Refused, Task.Delay(pause, cancellation)).ConfigureAwait(false);
            cancellation.ThrowIfCancellationRequested();
        }
    }

    private async Task RetakeAsync(IConnection connection, Mailbox mailbox, CancellationToken cancellation)
    {
        try
        {
            await TakeAsync(connection, mailbox, mayGoOn: false, cancellation).ConfigureAwait(false);
        }
        catch (LinkTransportException)
        {
            onFenced();
        }
        catch (Exception)
        {
            // With its connection lost: the next one takes it.
        }
    }

    private async Task<bool> TryLockAsync(IConnection connection, CancellationToken cancellation) =>
        await RefusalAsync(
            connection,
            channel => channel.QueueDeclareAsync(
                _lock, durable: false, exclusive: true, autoDelete: false, cancellationToken: cancellation),
            Constants.ResourceLocked, cancellation).ConfigureAwait(false) is null;

    // A queue of another connection is locked as long as it is there.
    private static async Task<bool> ExistsAsync(IConnection connection, string queue, CancellationToken cancellation) =>
        await RefusalAsync(
            connection, channel => channel.QueueDeclarePassiveAsync(queue, cancellation), Constants.ResourceLocked, cancellation, Constants.NotFound)
            .ConfigureAwait(false) != Constants.NotFound;

    // What is refused ends its channel.
    private static async Task<int?> RefusalAsync(
        IConnection connection, Func<IChannel, Task> ask, int expected, CancellationToken cancellation, int orElse = 0)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            try
            {
                await ask(channel).ConfigureAwait(false);
                return null;
            }
            catch (OperationInterruptedException refused)
                when (refused.ShutdownReason?.ReplyCode is { } code && (code == expected || code == orElse))
            {
                return refused.ShutdownReason.ReplyCode;
            }
        }
    }

    private ValueTask AnnounceAsync(Mailbox mailbox, CancellationToken cancellation) =>
        SayAsync(mailbox.Channel, _exchange, _key, mailbox.Name, cancellation);

    private ValueTask SayAsync(IChannel channel, string exchange, string key, string? replyTo, CancellationToken cancellation)
    {
        var body = new byte[IdLength + sizeof(ulong)];
        _id.ToByteArray().CopyTo(body, 0);
        BinaryPrimitives.WriteUInt64LittleEndian(body.AsSpan(IdLength), producer.Epoch);
        var properties = new BasicProperties();
        if (replyTo is not null) properties.ReplyTo = replyTo;
        return channel.BasicPublishAsync(exchange, key, mandatory: false, properties, body, cancellation);
    }

    private async Task OnHeardAsync(Mailbox mailbox, ReadOnlyMemory<byte> body, string? replyTo, CancellationToken cancellation)
    {
        // Any program may write to an exchange: what is no announcement is left alone.
        if (body.Length != IdLength + sizeof(ulong) || new Guid(body.Span[..IdLength]) == _id) return;
        ulong epoch = BinaryPrimitives.ReadUInt64LittleEndian(body.Span[IdLength..]);
        if (epoch > producer.Epoch)
        {
            mailbox.Refuse();
            onFenced();
        }
        else if (replyTo is not null)
        {
            if (_holder is not null) await SayAsync(mailbox.Channel, "", replyTo, null, cancellation).ConfigureAwait(false);
        }
        else if (epoch == producer.Epoch)
        {
            mailbox.Refuse();
        }
    }

    private sealed class Mailbox(SenderLease lease, IChannel channel, string name) : AsyncDefaultBasicConsumer(channel)
    {
        private readonly TaskCompletionSource _refused = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public string Name => name;

        /// <summary>Completes when a living sender says that the lease is its own.</summary>
        public Task Refused => _refused.Task;

        public void Refuse() => _refused.TrySetResult();

        public override Task HandleBasicDeliverAsync(
            string consumerTag,
            ulong deliveryTag,
            bool redelivered,
            string exchange,
            string routingKey,
            IReadOnlyBasicProperties properties,
            ReadOnlyMemory<byte> body,
            CancellationToken cancellationToken = default) =>
            lease.OnHeardAsync(this, body, properties.ReplyTo, cancellationToken);
    }
}
