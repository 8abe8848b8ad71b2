using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.RabbitMq;

/// <summary>The queues and the exchange of a link at the broker, and how they are asked for.</summary>
internal static class LinkQueues
{
    /// <summary>The arguments of every queue that is kept.</summary>
    public static Dictionary<string, object?> Common(RabbitMqOptions options) => new()
    {
        ["x-queue-type"] = "quorum",
        // The broker counts every delivery of a connection that is lost, of whatever frame. So it does not decide, and what is
        // looked at in the parked queue stays there. Explicit, as its default differs by version.
        ["x-delivery-limit"] = int.MaxValue,
        ["x-quorum-initial-group-size"] = options.Replicas,
        ["x-queue-leader-locator"] = "balanced",
    };

    /// <summary>Declares all of them: with every connection, as one may have been deleted meanwhile.</summary>
    /// <param name="connection">By which.</param>
    /// <param name="options">How they are kept.</param>
    /// <param name="link">Of which link.</param>
    /// <param name="again">They were there once: the broker is asked for one answer in all.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>How many frames are parked.</returns>
    /// <exception cref="LinkTransportException">The broker has them otherwise.</exception>
    public static async Task<uint> DeclareAsync(
        IConnection connection, RabbitMqOptions options, LinkAddress link, bool again, CancellationToken cancellation)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            try
            {
                for (int i = 0; i < link.Partitions; i++)
                    await QueueAsync(channel, link.QueueOf(i), Partition(options, link), again, cancellation).ConfigureAwait(false);
                QueueDeclareOk parked =
                    await QueueAsync(channel, link.ParkedQueue, Common(options), noWait: false, cancellation).ConfigureAwait(false);
                return parked.MessageCount;
            }
            catch (OperationInterruptedException refused) when (refused.ShutdownReason?.ReplyCode == Constants.PreconditionFailed)
            {
                throw RabbitMqErrors.Refused(link, refused.ShutdownReason.ReplyText);
            }
        }
    }

    /// <summary>
    /// The exchange by which the sides of a link hear of each other: leases of senders, and news of queues. It is kept: one that
    /// went with its last sender could go between a new sender's declaration and binding.
    /// </summary>
    public static string ExchangeOf(LinkAddress link) => $"{link.Prefix}senders";

    /// <summary>Declares it.</summary>
    public static Task DeclareExchangeAsync(IChannel channel, LinkAddress link, CancellationToken cancellation) =>
        channel.ExchangeDeclareAsync(ExchangeOf(link), "direct", durable: true, autoDelete: false, cancellationToken: cancellation);

    private static Task<QueueDeclareOk> QueueAsync(
        IChannel channel, string queue, Dictionary<string, object?> arguments, bool noWait, CancellationToken cancellation) =>
        channel.QueueDeclareAsync(
            queue, durable: true, exclusive: false, autoDelete: false, arguments, noWait: noWait, cancellationToken: cancellation);

    private static Dictionary<string, object?> Partition(RabbitMqOptions options, LinkAddress link)
    {
        Dictionary<string, object?> arguments = Common(options);
        arguments["x-single-active-consumer"] = true;
        arguments["x-max-length-bytes"] = options.MaxQueueBytes;
        arguments["x-overflow"] = "reject-publish";
        // Without these a frame that is parked is dropped; with at-most-once it may be, on its way.
        arguments["x-dead-letter-exchange"] = "";
        arguments["x-dead-letter-routing-key"] = link.ParkedQueue;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        return arguments;
    }
}
