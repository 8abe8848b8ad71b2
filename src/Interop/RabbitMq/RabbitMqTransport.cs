using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>Links over RabbitMQ: each partition a quorum queue with one active consumer.</summary>
/// <remarks>
/// <para>What is asked of the broker, for each link: queues <c>{link}.g{generation}.p{00..}</c>, replicated, of limited bytes
/// (a full one refuses); and <c>{link}.g{generation}.parked</c>, where frames go that cannot be handled
/// (<see cref="ListParkedAsync"/>). A partition with a suspect frame has a queue <c>….tries</c> too: see
/// <see cref="RabbitMqOptions.DeliveryLimit"/>. A frame is sent to its queue by name; one for which there is no queue comes back and
/// is not taken for confirmed.</para>
/// <para>A sender's lease is an exclusive queue, and <c>{link}.g{generation}.senders</c> the exchange by which the sides hear of each
/// other: a receiver has an exclusive queue <c>….news</c> there, and one that tries suspect frames an exclusive <c>….worker</c>. With <see cref="LinkOptions.Fencing"/> the queue <c>{link}.g{generation}.terms</c> keeps the partitions' terms.</para>
/// <para>Each side of a link has a connection of its own, which is made again when it is lost, for as long as it takes.</para>
/// <para><b>Cost</b>: a few hundred bytes allocated a frame, by the client.</para>
/// </remarks>
/// <example>
/// <code>
/// await using var transport = new RabbitMqTransport(new()
/// {
///     Nodes = ["rabbit-1:5672", "rabbit-2:5672"],
///     UserName = "shop",
///     Password = password,
/// });
/// await using SplitRun&lt;Order> run = await split.RunAsync(new() { Transport = transport, Parts = ["book"] }, cancellation);
/// </code>
/// </example>
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
    /// Deletes what a link has at the broker, with everything that is in it: when it is not used any more, as after a change of
    /// its generation.
    /// </summary>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses.</exception>
    public async ValueTask DeleteAsync(LinkAddress link, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(link);
        await RabbitMqNodes.WithAsync(
            _options, null,
            async (_, channel, limit) =>
            {
                foreach (string queue in Enumerable.Range(0, link.Partitions)
                    .SelectMany(partition => new[] { link.QueueOf(partition), TrialNotes.QueueOf(link, partition) })
                    .Append(link.ParkedQueue)
                    .Append(PartitionTerms.QueueOf(link)))
                    await channel.QueueDeleteAsync(queue, false, false, false, limit).ConfigureAwait(false);
                await channel.ExchangeDeleteAsync(LinkQueues.ExchangeOf(link), false, false, limit).ConfigureAwait(false);
                return true;
            },
            cancellation).ConfigureAwait(false);
    }

    /// <summary>Shows the frames of a link that were parked, the oldest first. They stay where they are.</summary>
    /// <remarks><b>Memory</b>: the bytes of all frames that it returns.</remarks>
    /// <param name="link">Which link.</param>
    /// <param name="most">How many at most.</param>
    /// <param name="keys">The link's, if its frames are signed: with others, or none, such a frame is no frame
    /// (<see cref="FrameError.Signature"/>).</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses.</exception>
    public async ValueTask<IReadOnlyList<ParkedFrame>> ListParkedAsync(
        LinkAddress link, int most = 100, LinkKeys? keys = null, CancellationToken cancellation = default)
    {
        List<ParkedFrame> frames = [];
        await WalkParkedAsync(
            link, most, keys,
            (_, frame, _) =>
            {
                frames.Add(frame);
                return Task.FromResult(false);
            },
            cancellation).ConfigureAwait(false);
        return frames;
    }

    /// <summary>Puts parked frames back into their partitions, behind what is in them.</summary>
    /// <remarks>
    /// <b>Order</b>: their items come after later items of the same keys, as a stream of their own
    /// (<see cref="LinkPosition.Stream"/>). Items that were handled before the frame was parked are handled again. A frame is
    /// put back twice if this process ends in between; workers then know it again as they know other frames.
    /// </remarks>
    /// <param name="link">Which link.</param>
    /// <param name="which">Which frames; those that are not put back stay parked.</param>
    /// <param name="keys">The link's, if its frames are signed: with others, or none, such a frame is no frame
    /// (<see cref="FrameError.Signature"/>).</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>How many were put back.</returns>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or a queue takes no more.</exception>
    public async ValueTask<int> PutBackParkedAsync(
        LinkAddress link, Predicate<ParkedFrame> which, LinkKeys? keys = null, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(which);
        // What is put back may be parked again while this goes on.
        HashSet<Guid> seen = [];
        return await WalkParkedAsync(
            link, int.MaxValue, keys,
            async (channel, frame, limit) =>
                which(frame) && seen.Add(frame.Id) && await ParkedFrames.PutBackAsync(channel, link, frame, limit).ConfigureAwait(false),
            cancellation).ConfigureAwait(false);
    }

    /// <summary>Deletes parked frames, with the items in them, for good.</summary>
    /// <param name="link">Which link.</param>
    /// <param name="which">Which frames.</param>
    /// <param name="keys">The link's, if its frames are signed: with others, or none, such a frame is no frame
    /// (<see cref="FrameError.Signature"/>).</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>How many were deleted.</returns>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses.</exception>
    public async ValueTask<int> DropParkedAsync(
        LinkAddress link, Predicate<ParkedFrame> which, LinkKeys? keys = null, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(which);
        return await WalkParkedAsync(link, int.MaxValue, keys, (_, frame, _) => Task.FromResult(which(frame)), cancellation)
            .ConfigureAwait(false);
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

    private async Task<int> WalkParkedAsync(
        LinkAddress link,
        int most,
        LinkKeys? keys,
        Func<IChannel, ParkedFrame, CancellationToken, Task<bool>> settle,
        CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(link);
        if (most < 1) throw RabbitMqErrors.Most(most);
        return await RabbitMqNodes.WithAsync(
            _options, RabbitMqOptions.Confirmed,
            (_, channel, limit) => ParkedFrames.WalkAsync(channel, link, most, keys, frame => settle(channel, frame, limit), limit),
            cancellation).ConfigureAwait(false);
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
