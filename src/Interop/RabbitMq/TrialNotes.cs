using System.Security.Cryptography;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.RabbitMq;

/// <summary>Which receivers try which suspect frame, kept at the broker: a queue a partition, made when it is first needed.</summary>
/// <remarks>
/// A note names a frame and the receivers that tried it. A receiver that reads its own name has lost a connection and no more. One
/// that lives says so by an exclusive queue of its own: the broker deletes that with the connection.
/// <para>
/// A note may outlive its frame: the broker puts back what a receiver was reading when its channel closed, and that may
/// come behind the end of a trial. It counts for no other frame, and the partition's next trial takes it away.
/// </para>
/// </remarks>
internal sealed class TrialNotes(RabbitMqOptions options, LinkAddress link, RabbitMqWriter writer)
{
    private const int IdLength = 16;

    // A living receiver notices that its connection is lost after two heartbeats, and makes another within the third.
    private const int HeartbeatsOfGrace = 3;

    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(500);

    private readonly Guid _receiver = Guid.NewGuid();
    private readonly int _mostEnded = TrialLimit.MostEnded(options.DeliveryLimit);

    public static string QueueOf(LinkAddress link, int partition) => $"{link.QueueOf(partition)}.tries";

    /// <summary>Writes down that this receiver tries a frame; or says that too many that did have ended.</summary>
    /// <remarks>A broker that takes nothing keeps no frame back: it is tried without a note, and a worker that it ends is not
    /// counted. What is there is handled, so that there is room again.</remarks>
    public async Task<FrameTrial> BeginAsync(
        IConnection connection, int partition, ReadOnlyMemory<byte> body, CancellationToken cancellation)
    {
        Guid frame = new(SHA256.HashData(body.Span).AsSpan(0, IdLength));
        string queue = QueueOf(link, partition);
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            await channel.QueueDeclareAsync(
                queue, durable: true, exclusive: false, autoDelete: false, LinkQueues.Common(options), cancellationToken: cancellation)
                .ConfigureAwait(false);
            (HashSet<Guid> tried, ulong lastTag, int notes) = await ReadAsync(channel, queue, frame, cancellation).ConfigureAwait(false);
            bool isKnown = !tried.Add(_receiver);
            if (tried.Count - 1 >= _mostEnded)
            {
                await StrikeLivingAsync(connection, tried, cancellation).ConfigureAwait(false);
                // The notes stay: the frame comes again if this receiver ends before it is parked.
                if (tried.Count - 1 >= _mostEnded) return FrameTrial.Exhausted;
            }

            if (isKnown && notes == 1) return FrameTrial.Begun;
            // First the new note, then the old ones go: if this ends between, they are read together.
            bool isWritten = await writer.TryWriteAsync("", queue, Write(frame, tried), cancellation).ConfigureAwait(false);
            if (isWritten && lastTag != 0) await channel.BasicAckAsync(lastTag, multiple: true, cancellation).ConfigureAwait(false);
            return FrameTrial.Begun;
        }
    }

    /// <summary>The frame of a partition that was tried last has been handled: nothing is written down of it any more.</summary>
    public async Task EndAsync(IConnection connection, int partition, CancellationToken cancellation)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            try
            {
                await channel.QueuePurgeAsync(QueueOf(link, partition), cancellation).ConfigureAwait(false);
            }
            catch (OperationInterruptedException gone) when (gone.ShutdownReason?.ReplyCode == Constants.NotFound)
            {
                // With all notes in it.
            }
        }
    }

    /// <summary>Says to others that this receiver lives, for as long as this connection does.</summary>
    public async Task LiveAsync(IConnection connection, CancellationToken cancellation)
    {
        while (connection.IsOpen)
        {
            // A lost connection of this receiver may hold the name until the broker knows of the loss.
            if (await DeclarePresenceAsync(connection, cancellation).ConfigureAwait(false)) return;
            await Task.Delay(s_look, cancellation).ConfigureAwait(false);
        }
    }

    private static async Task<(HashSet<Guid> Tried, ulong LastTag, int Notes)> ReadAsync(
        IChannel channel, string queue, Guid frame, CancellationToken cancellation)
    {
        HashSet<Guid> tried = [];
        ulong last = 0;
        int notes = 0;
        while (await channel.BasicGetAsync(queue, autoAck: false, cancellation).ConfigureAwait(false) is { } note)
        {
            notes++;
            last = note.DeliveryTag;
            ReadOnlySpan<byte> bytes = note.Body.Span;
            if (bytes.Length % IdLength != 0 || bytes.IsEmpty || new Guid(bytes[..IdLength]) != frame) continue;
            for (int at = IdLength; at < bytes.Length; at += IdLength) tried.Add(new Guid(bytes.Slice(at, IdLength)));
        }

        return (tried, last, notes);
    }

    private static byte[] Write(Guid frame, HashSet<Guid> tried)
    {
        var note = new byte[IdLength * (1 + tried.Count)];
        frame.ToByteArray().CopyTo(note, 0);
        int at = IdLength;
        foreach (Guid one in tried)
        {
            one.ToByteArray().CopyTo(note, at);
            at += IdLength;
        }

        return note;
    }

    // Leaves those that have had no connection for long enough, and this receiver.
    private async Task StrikeLivingAsync(IConnection connection, HashSet<Guid> tried, CancellationToken cancellation)
    {
        for (TimeSpan waited = default; waited < options.Heartbeat * HeartbeatsOfGrace; waited += s_look)
        {
            foreach (Guid one in tried.ToArray())
                if (one != _receiver && await LivesAsync(connection, one, cancellation).ConfigureAwait(false)) tried.Remove(one);
            if (tried.Count - 1 < _mostEnded) return;
            await Task.Delay(s_look, cancellation).ConfigureAwait(false);
        }
    }

    private async Task<bool> LivesAsync(IConnection connection, Guid receiver, CancellationToken cancellation)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            try
            {
                await channel.QueueDeclarePassiveAsync(PresenceOf(receiver), cancellation).ConfigureAwait(false);
                return true;
            }
            catch (OperationInterruptedException answer) when (answer.ShutdownReason?.ReplyCode is Constants.ResourceLocked or Constants.NotFound)
            {
                return answer.ShutdownReason.ReplyCode == Constants.ResourceLocked;
            }
        }
    }

    private async Task<bool> DeclarePresenceAsync(IConnection connection, CancellationToken cancellation)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            try
            {
                await channel.QueueDeclareAsync(
                    PresenceOf(_receiver), durable: false, exclusive: true, autoDelete: false, cancellationToken: cancellation)
                    .ConfigureAwait(false);
                return true;
            }
            catch (OperationInterruptedException held) when (held.ShutdownReason?.ReplyCode == Constants.ResourceLocked)
            {
                return false;
            }
        }
    }

    private string PresenceOf(Guid receiver) => $"{link.Prefix}worker.{receiver:n}";
}
