using Raceway.Pipelines;

namespace Raceway.Interop.Distributed;

/// <summary>Carries the frames of links between processes: a queue a partition, in order, with confirms and acknowledgements.</summary>
/// <remarks>
/// <para>What links rely on: 1. a frame that was confirmed is delivered until it is acknowledged or parked, whatever fails.
/// 2. A partition's frames are delivered in the order in which they were taken, and to one receiver at a time; those that were
/// not acknowledged are delivered again before newer ones. 3. Everything else may be lost, or happen twice: sends,
/// confirms, deliveries, acknowledgements and connections. 4. A producer has one sender of an epoch at a time, and one of a
/// newer epoch ends it (<see cref="LinkProducer"/>).</para>
/// <para><b>Threads</b>: every member by any thread.</para>
/// </remarks>
public interface ILinkTransport : IAsyncDisposable
{
    /// <summary>Opens the sending side of a link, and what the link needs at the broker.</summary>
    /// <param name="link">Which one.</param>
    /// <param name="producer">The sender's lease on its streams; null for none.</param>
    /// <param name="cancellation">Gives up opening.</param>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses; or another sender has the lease.</exception>
    ValueTask<IFrameSender> OpenSenderAsync(
        LinkAddress link, LinkProducer? producer = null, CancellationToken cancellation = default);

    /// <summary>Opens the receiving side of a link. Nothing is delivered before a partition is subscribed to.</summary>
    /// <param name="link">Which one.</param>
    /// <param name="prefetch">Frames of a partition that may be delivered and not acknowledged, 1 or more.</param>
    /// <param name="handler">Takes the frames, one at a time over all partitions.</param>
    /// <param name="cancellation">Gives up opening.</param>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses.</exception>
    ValueTask<IFrameReceiver> OpenReceiverAsync(
        LinkAddress link, int prefetch, IFrameHandler handler, CancellationToken cancellation = default);
}

/// <summary>The sending side of a link.</summary>
public interface IFrameSender : IAsyncDisposable
{
    /// <summary>Sends a frame; the task completes when what has become of it is known. One at a time a partition.</summary>
    /// <remarks>Trouble is an outcome, never an exception.</remarks>
    /// <param name="partition">0 to the link's partitions less 1.</param>
    /// <param name="frame">Its bytes, left alone until the task completes.</param>
    ValueTask<SendOutcome> SendAsync(int partition, ReadOnlyMemory<byte> frame);

    /// <summary>Completes when it makes sense to send the frame of a partition again.</summary>
    /// <param name="partition">0 to the link's partitions less 1.</param>
    /// <param name="outcome">What became of it.</param>
    /// <param name="attempt">How often it was sent.</param>
    /// <returns>False: never, the sender has been disposed.</returns>
    ValueTask<bool> WaitToResendAsync(int partition, SendOutcome outcome, int attempt);
}

/// <summary>What has become of a frame that was sent.</summary>
public enum SendOutcome
{
    /// <summary>The broker has it, on as many nodes as it promises.</summary>
    Confirmed,

    /// <summary>The broker has not taken it: its queue is full, or not there.</summary>
    Refused,

    /// <summary>Not known: the connection was lost first.</summary>
    Lost,

    /// <summary>Another sender has the producer's lease: this one sends nothing more.</summary>
    Fenced,
}

/// <summary>The receiving side of a link.</summary>
/// <remarks>Deliveries are numbered in sessions: what was not acknowledged in one is delivered again in another.</remarks>
public interface IFrameReceiver : IAsyncDisposable
{
    /// <summary>Takes part in a partition: its frames come when no other receiver has it.</summary>
    ValueTask SubscribeAsync(int partition, CancellationToken cancellation = default);

    /// <summary>
    /// Takes no further frames of a partition: completes when the handler has taken the last one, and been told so. What was
    /// delivered may still be acknowledged.
    /// </summary>
    ValueTask UnsubscribeAsync(int partition, CancellationToken cancellation = default);

    /// <summary>All deliveries of <paramref name="session"/> up to <paramref name="tag"/> are done. Never blocks.</summary>
    void Acknowledge(long session, ulong tag);

    /// <summary>A delivery cannot be handled: it is to be put aside, for people to look at. Never blocks.</summary>
    void Park(long session, ulong tag);

    /// <summary>Completes when the acknowledgements given so far have been sent, or are of no use any more.</summary>
    ValueTask FlushAsync();

    /// <summary>
    /// Whether the deliveries of <paramref name="session"/> are known to be this receiver's still: false if the broker may have
    /// given them to another one. True is no promise: only the receiver of the highest term may write.
    /// </summary>
    bool IsHeld(long session);

    /// <summary>Ends <paramref name="session"/>, if it is the present one: what is not acknowledged is delivered again. Never blocks.</summary>
    void Renew(long session);

    /// <summary>
    /// Writes down, where it outlives this process, that this receiver hands out a <see cref="ReceivedFrame.IsSuspect"/> frame;
    /// and says whether too many receivers that wrote the same have ended since.
    /// </summary>
    /// <remarks>
    /// Called before the frame is handed out, while nothing else is in the process. A receiver that has lost its connection has not
    /// ended: lost connections alone never exhaust a frame.
    /// </remarks>
    /// <value>A transport that never marks a frame as suspect need not implement it.</value>
    ValueTask<FrameTrial> BeginTrialAsync(ReceivedFrame frame) => ValueTask.FromResult(FrameTrial.Begun);

    /// <summary>Takes back what <see cref="BeginTrialAsync"/> wrote down: the frame was handled, so it ends no receivers.</summary>
    /// <remarks>Also where the frame's session is over: then with the next session, before anything is delivered in it.</remarks>
    ValueTask EndTrialAsync(ReceivedFrame frame) => ValueTask.CompletedTask;
}

/// <summary>What has become of a trial: see <see cref="IFrameReceiver.BeginTrialAsync"/>.</summary>
public enum FrameTrial
{
    /// <summary>It is written down: the frame may be handed out, alone.</summary>
    Begun,

    /// <summary>Too many receivers have ended with it: it is to be parked.</summary>
    Exhausted,

    /// <summary>The session is over: the frame comes again.</summary>
    Lost,
}

/// <summary>Takes what a receiver is delivered.</summary>
public interface IFrameHandler
{
    /// <summary>Whether frames must say their term; a transport may need some round trips for that when a partition begins.</summary>
    bool NeedsTerms => false;

    /// <summary>A new session: what the last one had delivered comes again, and the tags begin anew.</summary>
    void OnSession(long session);

    /// <summary>Takes a frame. The next one comes when the task has completed; the body is valid until then.</summary>
    ValueTask OnFrameAsync(ReceivedFrame frame);

    /// <summary>No further frame of a partition comes in this session. Called as frames are: one thing at a time.</summary>
    ValueTask OnUnsubscribedAsync(int partition);
}

/// <summary>A frame as it was delivered.</summary>
/// <param name="Session">In which session.</param>
/// <param name="Tag">Its number in the session, counted up.</param>
/// <param name="Partition">From which queue.</param>
/// <param name="Redelivered">It may have been delivered before.</param>
/// <param name="Body">Its bytes.</param>
public readonly record struct ReceivedFrame(
    long Session, ulong Tag, int Partition, bool Redelivered, ReadOnlyMemory<byte> Body)
{
    /// <summary>
    /// The partition's term: higher for each receiver that has the partition after another. 0 unless the handler
    /// <see cref="IFrameHandler.NeedsTerms">needs it</see>.
    /// </summary>
    public long Term { get; init; }

    /// <summary>It was delivered so often that it may be what ends its receivers: it is to be tried, alone.</summary>
    public bool IsSuspect { get; init; }

    /// <summary>It was parked, and put back: its stream has gone on without it.</summary>
    public bool IsPutBack { get; init; }
}

/// <summary>A sender's lease on the streams of its link: no other sender of the same name and epoch may live beside it.</summary>
/// <remarks>
/// The lease ends with the sender's connection, and is taken again with the next one. A sender of a newer epoch ends one of an
/// older epoch.
/// </remarks>
/// <param name="Name">The producer's name.</param>
/// <param name="Epoch">Which life of it.</param>
public readonly record struct LinkProducer(string Name, ulong Epoch)
{
    /// <summary>What its frames are marked with: the hash of its name, the same in every process.</summary>
    public ulong Id => KeyHash.Of(Name);
}

/// <summary>The broker cannot be reached, or refuses what it is asked for.</summary>
public sealed class LinkTransportException : IOException
{
    /// <summary>With what happened, and what to do about it.</summary>
    public LinkTransportException(string message, Exception? cause = null)
        : base(message, cause)
    {
    }

    /// <summary>Another sender has the producer's lease.</summary>
    /// <param name="link">The link.</param>
    /// <param name="producer">The producer of the lease.</param>
    public static LinkTransportException Fenced(LinkAddress link, LinkProducer producer)
    {
        ArgumentNullException.ThrowIfNull(link);
        return LinkErrors.Fenced(link.Name, producer);
    }
}
