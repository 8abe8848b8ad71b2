using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.RabbitMq;

/// <summary>Looks after the parked queue of a link.</summary>
internal static class ParkedFrames
{
    /// <summary>Marks a frame that was put back.</summary>
    public const string PutBackHeader = "x-raceway-put-back";

    /// <summary>
    /// Shows at most so many frames to <paramref name="settle"/>; true: the frame is settled and leaves the queue. The others are
    /// in the queue again, in their order, when the channel is closed.
    /// </summary>
    public static async Task<int> WalkAsync(
        IChannel channel,
        LinkAddress link,
        int most,
        LinkKeys? keys,
        Func<ParkedFrame, Task<bool>> settle,
        CancellationToken cancellation)
    {
        int settled = 0;
        ulong left = 0;
        try
        {
            for (int i = 0; i < most; i++)
            {
                BasicGetResult? message = await channel.BasicGetAsync(link.ParkedQueue, autoAck: false, cancellation).ConfigureAwait(false);
                if (message is null) break;
                if (await settle(new ParkedFrame(link, keys, message)).ConfigureAwait(false))
                {
                    await channel.BasicAckAsync(message.DeliveryTag, multiple: false, cancellation).ConfigureAwait(false);
                    settled++;
                }
                else
                {
                    left = message.DeliveryTag;
                }
            }

            if (left != 0) await channel.BasicNackAsync(left, multiple: true, requeue: true, cancellation).ConfigureAwait(false);
            // Behind the acknowledgements: the broker has them when it answers.
            await channel.CloseAsync(cancellation).ConfigureAwait(false);
        }
        catch (OperationInterruptedException gone) when (gone.ShutdownReason?.ReplyCode == Constants.NotFound)
        {
            // No queue, nothing parked.
        }

        return settled;
    }

    /// <summary>Publishes a frame into its partition again; false if it is not known which one that is.</summary>
    public static async Task<bool> PutBackAsync(IChannel channel, LinkAddress link, ParkedFrame frame, CancellationToken cancellation)
    {
        if (frame.Partition is not { } partition) return false;
        var properties = new BasicProperties
        {
            DeliveryMode = DeliveryModes.Persistent,
            Headers = new Dictionary<string, object?> { [PutBackHeader] = true },
        };
        try
        {
            await channel.BasicPublishAsync("", link.QueueOf(partition), mandatory: true, properties, frame.Body, cancellation)
                .ConfigureAwait(false);
            return true;
        }
        catch (PublishException refused)
        {
            throw RabbitMqErrors.NotPutBack(link, partition, refused);
        }
    }
}
