using System.Diagnostics;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Raceway.Interop.RabbitMq;

/// <summary>One side of a link: a connection and a channel, made again when they are lost.</summary>
/// <remarks>
/// The client's own recovery is off: it does not send again what was not confirmed, and hides what the link has to know, that a
/// session has ended.
/// </remarks>
internal abstract class RabbitMqPort : IAsyncDisposable
{
    private static readonly TimeSpan s_shortestPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_longestGoodbye = TimeSpan.FromSeconds(10);

    private readonly CancellationTokenSource _ended = new();
    private readonly LinkEventLine _events;
    private IConnection? _connection;
    private bool _wasDeclared;
    private volatile bool _isUnreadable;

    private Task _reconnecting = Task.CompletedTask;
    private bool _isReconnecting;
    private bool _isBlocked;
    private long _unblockedAt;

    protected RabbitMqPort(RabbitMqOptions options, LinkAddress link)
    {
        Options = options;
        _events = new LinkEventLine(link.Name, options.OnEvent);
        Link = link;
        Writer = new RabbitMqWriter(options);
        Deleted = new DeletedQueues(Writer, link, _ended.Token);
        Queues = [.. Enumerable.Range(0, link.Partitions).Select(link.QueueOf)];
    }

    protected RabbitMqOptions Options { get; }

    protected LinkAddress Link { get; }

    protected string[] Queues { get; }

    /// <summary>What is not to be held up by an alarm is not written by <see cref="Connection"/>.</summary>
    protected RabbitMqWriter Writer { get; }

    protected DeletedQueues Deleted { get; }

    /// <summary>When the queues were declared, at the earliest, by the connection that is being made.</summary>
    protected long DeclaredAt { get; private set; }

    /// <summary>Counted up with each node that is tried; only changed where the port is not open.</summary>
    protected long Session { get; private set; }

    protected object Gate { get; } = new();

    /// <summary>The open channel; null between connections.</summary>
    protected IChannel? Channel { get; private set; }

    /// <summary>The connection of the open channel.</summary>
    protected IConnection? Connection { get; private set; }

    protected CancellationToken Ended => _ended.Token;

    /// <summary>The side has ended for good: no connection is made again.</summary>
    protected virtual bool IsOver => false;

    protected abstract CreateChannelOptions ChannelOptions { get; }

    public async ValueTask OpenAsync(CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(Options.OpenTimeout);
        try
        {
            await ConnectAsync(RabbitMqNodes.OpenAsync, limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException late) when (limit.IsCancellationRequested && !cancellation.IsCancellationRequested)
        {
            throw RabbitMqErrors.Late(Options, late.InnerException);
        }
        catch (Exception fault) when (fault is not LinkTransportException && !cancellation.IsCancellationRequested)
        {
            // The client's own time limits are cancellations too.
            throw RabbitMqErrors.Unreachable(Options, fault);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_ended.IsCancellationRequested) return;
        await _ended.CancelAsync().ConfigureAwait(false);
        Task reconnecting;
        lock (Gate) reconnecting = _reconnecting;
        await reconnecting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Deleted.Telling.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Writer.DisposeAsync().ConfigureAwait(false);
        await CloseAsync(polite: true).ConfigureAwait(false);
        OnLost();
    }

    /// <summary>A channel is open, and not known yet to any other code: what the side needs of its node, within the node's limit.</summary>
    protected abstract ValueTask OnOpenedAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation);

    /// <summary>The node has done all that. What waits for this process has no limit.</summary>
    protected virtual ValueTask OnChosenAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation) =>
        ValueTask.CompletedTask;

    /// <summary>The channel is in use from now on.</summary>
    protected abstract ValueTask OnReadyAsync(IChannel channel, long session);

    /// <summary>So many frames are in the parked queue as a connection is made.</summary>
    protected virtual void OnParked(uint count)
    {
    }

    /// <summary>The channel is lost (with <see cref="Gate"/> held), or the port has ended.</summary>
    protected abstract void OnLost();

    /// <summary>Whether the broker has said that it takes nothing, now or at some time since <paramref name="from"/>.</summary>
    protected bool WasBlockedSince(long from) => Volatile.Read(ref _isBlocked) || Volatile.Read(ref _unblockedAt) >= from;

    /// <summary>Gives up a connection that does not do what it should.</summary>
    protected void Lose(IChannel channel, string reason) => Lose(channel, reason, isDeleted: false);

    /// <summary>Gives up a connection as a queue of the link is gone: the next one declares it again, and tells the receivers.</summary>
    protected void LoseDeleted(IChannel channel, string reason) => Lose(channel, reason, isDeleted: true);

    /// <summary>Gives up a connection for what the broker has answered: that a queue is gone, or anything else.</summary>
    protected void Lose(IChannel channel, string reason, Exception fault) => Lose(channel, reason, RabbitMqErrors.IsNotFound(fault));

    private void Lose(IChannel channel, string reason, bool isDeleted)
    {
        lock (Gate)
        {
            // A queue that is found deleted once more with the same connection is found once.
            if (Channel != channel) return;
            if (isDeleted) Deleted.Find();
            Channel = null;
            Connection = null;
            // Both before another connection can be ready.
            OnLost();
            _events.Add(LinkEventKind.Disconnected, reason);
            // One at a time: the one that is connecting sees that it is lost again.
            if (!_isReconnecting && !_ended.IsCancellationRequested)
            {
                _isReconnecting = true;
                _reconnecting = Task.Run(ReconnectAsync);
            }
        }

        _events.Tell();
    }

    private async Task ReconnectAsync()
    {
        TimeSpan pause = s_shortestPause;
        // The next connection is delivered the same again.
        if (_isUnreadable) await Task.Delay(s_longestPause, _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _isUnreadable = false;
        while (!_ended.IsCancellationRequested)
        {
            try
            {
                await CloseAsync(polite: false).ConfigureAwait(false);
                if (IsOver) return;
                // Once a round over all nodes it is told that none has answered.
                await ConnectAsync(RabbitMqNodes.FirstAsync, _ended.Token).ConfigureAwait(false);
                lock (Gate)
                {
                    _isReconnecting = Channel is null;
                    if (!_isReconnecting) return;
                }
            }
            catch (Exception fault) when (!_ended.IsCancellationRequested)
            {
                Tell(LinkEventKind.Unreachable, fault is LinkTransportException ? fault.Message : RabbitMqErrors.Reason(fault));
            }

            await Task.Delay(pause, _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            pause = pause * 2 < s_longestPause ? pause * 2 : s_longestPause;
        }
    }

    private async Task ConnectAsync(Opening open, CancellationToken cancellation)
    {
        (IConnection connection, IChannel channel) =
            await open(Options, ChannelOptions, PrepareAsync, cancellation).ConfigureAwait(false);
        _connection = connection;
        long session = Session;
        await OnChosenAsync(connection, channel, session, cancellation).ConfigureAwait(false);
        lock (Gate)
        {
            Channel = channel;
            Connection = connection;
            Volatile.Write(ref _isBlocked, false);
            _events.Add(LinkEventKind.Connected, $"{connection.Endpoint.HostName}:{connection.Endpoint.Port}");
        }

        Watch(connection, channel);
        _events.Tell();
        await OnReadyAsync(channel, session).ConfigureAwait(false);
        // Lost before it was watched.
        if (channel.IsClosed) Lose(channel, "closed while opening");
    }

    // What a node has to do for this side before it is chosen.
    private async Task PrepareAsync(IConnection connection, IChannel channel, CancellationToken cancellation)
    {
        long session;
        // First: what still comes of another session, or of a node that was tried before, is not taken for this one's.
        lock (Gate) session = ++Session;
        long found = Deleted.Found;
        DeclaredAt = Stopwatch.GetTimestamp();
        OnParked(await LinkQueues.DeclareAsync(connection, Options, Link, _wasDeclared, cancellation).ConfigureAwait(false));
        _wasDeclared = true;
        Deleted.OnDeclared(found);
        await OnOpenedAsync(connection, channel, session, cancellation).ConfigureAwait(false);
    }

    private void Watch(IConnection connection, IChannel channel)
    {
        channel.ChannelShutdownAsync += (_, shutdown) =>
        {
            // The client itself gives up a connection on which it cannot read what it is delivered.
            _isUnreadable = shutdown.Initiator == ShutdownInitiator.Library && shutdown.ReplyCode is >= Constants.FrameError and <= Constants.UnexpectedFrame;
            Lose(channel, $"{shutdown.ReplyCode} {shutdown.ReplyText}");
            return Task.CompletedTask;
        };
        connection.ConnectionBlockedAsync += (_, blocked) =>
        {
            TellOf(channel, LinkEventKind.Blocked, blocked.Reason);
            return Task.CompletedTask;
        };
        connection.ConnectionUnblockedAsync += (_, _) =>
        {
            TellOf(channel, LinkEventKind.Unblocked, "");
            return Task.CompletedTask;
        };
    }

    // A connection that has been given up may go on for a while: what its broker takes no longer matters.
    private void TellOf(IChannel channel, LinkEventKind kind, string detail)
    {
        lock (Gate)
        {
            if (Channel != channel) return;
            // The time first: a reader that sees the end also sees when it was.
            if (kind == LinkEventKind.Unblocked) Volatile.Write(ref _unblockedAt, Stopwatch.GetTimestamp());
            Volatile.Write(ref _isBlocked, kind == LinkEventKind.Blocked);
            _events.Add(kind, detail);
        }

        _events.Tell();
    }

    /// <summary>Tells the listener.</summary>
    protected void Tell(LinkEventKind kind, string detail)
    {
        _events.Add(kind, detail);
        _events.Tell();
    }

    private delegate Task<(IConnection Connection, IChannel Channel)> Opening(
        RabbitMqOptions options,
        CreateChannelOptions? channelOptions,
        Func<IConnection, IChannel, CancellationToken, Task> prepare,
        CancellationToken cancellation);

    private async Task CloseAsync(bool polite)
    {
        IConnection? connection = _connection;
        _connection = null;
        if (connection is null) return;
        // The client asks a broker that does not answer for more than a minute: another connection does not wait for that.
        TimeSpan longest = polite ? s_longestGoodbye : s_longestPause;
        await RabbitMqNodes.EndAsync(connection, polite).WaitAsync(longest).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
