using System.Diagnostics;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.RabbitMq;

/// <summary>One side of a link: a connection and a channel, made again when they are lost.</summary>
/// <remarks>
/// The client's own recovery is off: it does not send again what was not confirmed, and hides what the link has to know, that a
/// session has ended.
/// </remarks>
internal abstract class RabbitMqPort : IAsyncDisposable
{
    private const int NotFound = 404;
    private const int PreconditionFailed = 406;

    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_longestGoodbye = TimeSpan.FromSeconds(10);

    private readonly RabbitMqOptions _options;
    private readonly CancellationTokenSource _ended = new();
    private readonly LinkEventLine _events;
    private IConnection? _connection;
    private bool _isDeclared;
    private Task _reconnecting = Task.CompletedTask;
    private bool _isReconnecting;
    private bool _isBlocked;
    private long _unblockedAt;

    protected RabbitMqPort(RabbitMqOptions options, LinkAddress link)
    {
        _options = options;
        _events = new LinkEventLine(link.Name, options.OnEvent);
        Link = link;
        Queues = [.. Enumerable.Range(0, link.Partitions).Select(link.QueueOf)];
    }

    protected LinkAddress Link { get; }

    protected string[] Queues { get; }

    /// <summary>Counted up with each connection; only changed where the port is not open.</summary>
    protected long Session { get; private set; }

    protected object Gate { get; } = new();

    /// <summary>The open channel; null between connections.</summary>
    protected IChannel? Channel { get; private set; }

    protected CancellationToken Ended => _ended.Token;

    protected TimeSpan ConfirmTimeout => _options.ConfirmTimeout;

    protected TimeSpan Heartbeat => _options.Heartbeat;

    protected int Replicas => _options.Replicas;

    /// <summary>The side has ended for good: no connection is made again.</summary>
    protected virtual bool IsOver => false;

    protected abstract CreateChannelOptions ChannelOptions { get; }

    public async ValueTask OpenAsync(CancellationToken cancellation)
    {
        try
        {
            await ConnectAsync(cancellation).ConfigureAwait(false);
        }
        catch (Exception fault) when (fault is not LinkTransportException && !cancellation.IsCancellationRequested)
        {
            // The client's own time limits are cancellations too.
            throw RabbitMqErrors.Unreachable(_options, fault);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_ended.IsCancellationRequested) return;
        await _ended.CancelAsync().ConfigureAwait(false);
        Task reconnecting;
        lock (Gate) reconnecting = _reconnecting;
        await reconnecting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await CloseAsync(polite: true).ConfigureAwait(false);
        OnLost();
    }

    /// <summary>A channel is open, and not known yet to anybody else: the side's own preparations.</summary>
    protected abstract ValueTask OnOpenedAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation);

    /// <summary>The channel is in use from now on.</summary>
    protected abstract ValueTask OnReadyAsync(IChannel channel, long session);

    /// <summary>The channel is lost (with <see cref="Gate"/> held), or the port has ended.</summary>
    protected abstract void OnLost();

    /// <summary>The queues are to be declared again with the next connection: one is missing.</summary>
    protected void ForgetDeclared() => _isDeclared = false;

    /// <summary>Whether the broker has said that it takes nothing, now or at some time since <paramref name="from"/>.</summary>
    protected bool WasBlockedSince(long from) => Volatile.Read(ref _isBlocked) || Volatile.Read(ref _unblockedAt) >= from;

    /// <summary>Gives up a connection that does not do what it should.</summary>
    protected void Lose(IChannel channel, string reason)
    {
        lock (Gate)
        {
            if (Channel != channel) return;
            Channel = null;
            // Both before another connection can be ready.
            OnLost();
            _events.Add(LinkEventKind.Disconnected, reason);
            // One at a time: whoever is connecting sees that it is lost again.
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
        TimeSpan pause = TimeSpan.FromMilliseconds(20);
        string? told = null;
        while (!_ended.IsCancellationRequested)
        {
            try
            {
                await CloseAsync(polite: false).ConfigureAwait(false);
                if (IsOver) return;
                await ConnectAsync(_ended.Token).ConfigureAwait(false);
                lock (Gate)
                {
                    _isReconnecting = Channel is null;
                    if (!_isReconnecting) return;
                }
            }
            catch (Exception fault) when (!_ended.IsCancellationRequested)
            {
                string reason = RabbitMqErrors.Reason(fault);
                // Not at every try.
                if (reason != told) Tell(LinkEventKind.Unreachable, told = reason);
            }

            await Task.Delay(pause, _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            pause = pause * 2 < s_longestPause ? pause * 2 : s_longestPause;
        }
    }

    private async Task ConnectAsync(CancellationToken cancellation)
    {
        long session = Session + 1;
        IConnection connection = await _options.ConnectAsync(cancellation).ConfigureAwait(false);
        _connection = connection;
        IChannel channel = await connection.CreateChannelAsync(ChannelOptions, cancellation).ConfigureAwait(false);
        if (!_isDeclared) await DeclareAsync(connection, cancellation).ConfigureAwait(false);
        _isDeclared = true;
        // First: what still comes of the last session is not taken for this one's.
        lock (Gate) Session = session;
        await OnOpenedAsync(connection, channel, session, cancellation).ConfigureAwait(false);
        lock (Gate)
        {
            Channel = channel;
            Volatile.Write(ref _isBlocked, false);
            _events.Add(LinkEventKind.Connected, $"{connection.Endpoint.HostName}:{connection.Endpoint.Port}");
        }

        Watch(connection, channel);
        _events.Tell();
        await OnReadyAsync(channel, session).ConfigureAwait(false);
        // Lost before anybody was watching.
        if (channel.IsClosed) Lose(channel, "closed while opening");
    }

    private void Watch(IConnection connection, IChannel channel)
    {
        channel.ChannelShutdownAsync += (_, shutdown) =>
        {
            if (shutdown.ReplyCode == NotFound) ForgetDeclared();
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

    // A connection that has been given up may go on for a while: what its broker takes is nobody's concern any more.
    private void TellOf(IChannel channel, LinkEventKind kind, string detail)
    {
        lock (Gate)
        {
            if (Channel != channel) return;
            // The time first: who sees that it is over also sees when.
            if (kind == LinkEventKind.Unblocked) Volatile.Write(ref _unblockedAt, Stopwatch.GetTimestamp());
            Volatile.Write(ref _isBlocked, kind == LinkEventKind.Blocked);
            _events.Add(kind, detail);
        }

        _events.Tell();
    }

    private void Tell(LinkEventKind kind, string detail)
    {
        _events.Add(kind, detail);
        _events.Tell();
    }

    private async Task DeclareAsync(IConnection connection, CancellationToken cancellation)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await using (channel.ConfigureAwait(false))
        {
            try
            {
                await QueueAsync(channel, Link.ParkedQueue, Common(), cancellation).ConfigureAwait(false);
                foreach (string queue in Queues)
                    await QueueAsync(channel, queue, Partition(), cancellation).ConfigureAwait(false);
            }
            catch (OperationInterruptedException refused) when (refused.ShutdownReason?.ReplyCode == PreconditionFailed)
            {
                throw RabbitMqErrors.Refused(Link, refused.ShutdownReason.ReplyText);
            }
        }
    }

    private static Task<QueueDeclareOk> QueueAsync(
        IChannel channel, string queue, Dictionary<string, object?> arguments, CancellationToken cancellation) =>
        channel.QueueDeclareAsync(
            queue, durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: cancellation);

    private Dictionary<string, object?> Common() => new()
    {
        ["x-queue-type"] = "quorum",
        ["x-quorum-initial-group-size"] = _options.Replicas,
        ["x-queue-leader-locator"] = "balanced",
    };

    private Dictionary<string, object?> Partition()
    {
        Dictionary<string, object?> arguments = Common();
        arguments["x-single-active-consumer"] = true;
        arguments["x-max-length-bytes"] = _options.MaxQueueBytes;
        arguments["x-overflow"] = "reject-publish";
        arguments["x-delivery-limit"] = _options.DeliveryLimit;
        // Without these a frame over its limit is dropped; with at-most-once it may be, on its way.
        arguments["x-dead-letter-exchange"] = "";
        arguments["x-dead-letter-routing-key"] = Link.ParkedQueue;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        return arguments;
    }

    private async Task CloseAsync(bool polite)
    {
        IConnection? connection = _connection;
        _connection = null;
        if (connection is null) return;
        // The client asks a broker that does not answer for more than a minute: another connection does not wait for that.
        TimeSpan longest = polite ? s_longestGoodbye : s_longestPause;
        await EndAsync(connection, polite).WaitAsync(longest).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private static async Task EndAsync(IConnection connection, bool polite)
    {
        try
        {
            if (polite && connection.IsOpen)
                await connection.CloseAsync(200, "done", TimeSpan.FromSeconds(2), abort: true).ConfigureAwait(false);
            await connection.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // What is closed because it is broken may say so.
        }
    }
}
