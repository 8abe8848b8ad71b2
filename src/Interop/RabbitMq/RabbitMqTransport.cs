using System.Runtime.CompilerServices;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>Links over RabbitMQ: each partition a quorum queue with one active consumer.</summary>
/// <remarks>
/// <para>What is asked of the broker, for each link: queues <c>{link}.g{generation}.p{00..}</c>, replicated, of limited bytes
/// (a full one refuses), with a delivery limit; and <c>{link}.g{generation}.parked</c>, where frames go that cannot be handled. A
/// frame is sent to its queue by name; one for which there is no queue comes back and is not taken for confirmed.</para>
/// <para>A sender's lease is an exclusive queue, and <c>{link}.g{generation}.senders</c> the exchange by which senders hear of each
/// other. With <see cref="LinkOptions.Fencing"/> the queue <c>{link}.g{generation}.terms</c> keeps the partitions' terms.</para>
/// <para>Each side of a link has a connection of its own, which is made again when it is lost, for as long as it takes.</para>
/// <para><b>Cost</b>: a few hundred bytes allocated a frame, by the client.</para>
/// </remarks>
public sealed class RabbitMqTransport : ILinkTransport
{
    private readonly RabbitMqOptions _options;
    private readonly List<RabbitMqPort> _ports = [];

    /// <summary>Nothing is connected before a link is opened.</summary>
    /// <param name="options">Where the broker is; null for the defaults.</param>
    /// <exception cref="ArgumentException">Something is out of range.</exception>
    public RabbitMqTransport(RabbitMqOptions? options = null) => _options = (options ?? new RabbitMqOptions()).Checked();

    /// <inheritdoc/>
    public async ValueTask<IFrameSender> OpenSenderAsync(
        LinkAddress link, LinkProducer? producer = null, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(link);
        return await OpenAsync(new RabbitMqSender(_options, link, producer), cancellation).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask<IFrameReceiver> OpenReceiverAsync(
        LinkAddress link, int prefetch, IFrameHandler handler, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(link);
        ArgumentNullException.ThrowIfNull(handler);
        return await OpenAsync(new RabbitMqReceiver(_options, link, prefetch, handler), cancellation).ConfigureAwait(false);
    }

    /// <summary>
    /// Deletes what a link has at the broker, with everything that is in it: when nobody uses it any more, as after a change of
    /// its generation.
    /// </summary>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses.</exception>
    public async ValueTask DeleteAsync(LinkAddress link, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(link);
        try
        {
            IConnection connection = await _options.ConnectAsync(cancellation).ConfigureAwait(false);
            await using ConfiguredAsyncDisposable closing = connection.ConfigureAwait(false);
            IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
            foreach (string queue in Enumerable.Range(0, link.Partitions).Select(link.QueueOf).Append(link.ParkedQueue)
                .Append(PartitionTerms.QueueOf(link)))
                await channel.QueueDeleteAsync(queue, false, false, false, cancellation).ConfigureAwait(false);
            await channel.ExchangeDeleteAsync(SenderLease.ExchangeOf(link), false, false, cancellation).ConfigureAwait(false);
        }
        catch (Exception fault) when (!cancellation.IsCancellationRequested)
        {
            throw RabbitMqErrors.Unreachable(_options, fault);
        }
    }

    /// <summary>Closes all connections.</summary>
    public async ValueTask DisposeAsync()
    {
        RabbitMqPort[] ports;
        lock (_ports)
        {
            ports = [.. _ports];
            _ports.Clear();
        }

        foreach (RabbitMqPort port in ports) await port.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask<TPort> OpenAsync<TPort>(TPort port, CancellationToken cancellation)
        where TPort : RabbitMqPort
    {
        try
        {
            await port.OpenAsync(cancellation).ConfigureAwait(false);
        }
        catch
        {
            await port.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        lock (_ports) _ports.Add(port);
        return port;
    }
}
