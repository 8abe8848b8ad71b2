using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>What a side writes down at the broker, by a connection of its own, which is made when it is first needed.</summary>
/// <remarks>
/// A broker short of memory or disk reads nothing more of a connection that has published: no acknowledgement either. So a
/// receiver publishes nothing by the connection that it consumes by.
/// </remarks>
internal sealed class RabbitMqWriter(RabbitMqOptions options) : IAsyncDisposable
{
    private readonly SemaphoreSlim _opening = new(1, 1);
    private Opened? _opened;

    /// <summary>Writes a message, and waits until the broker has it, an alarm's end included.</summary>
    /// <param name="exchange">To which; "": to the queue named <paramref name="key"/>, which must be there.</param>
    /// <param name="key">Which queue, or queues.</param>
    /// <param name="body">What.</param>
    /// <param name="cancellation">Gives up. It may be written all the same, later.</param>
    public async Task WriteAsync(string exchange, string key, ReadOnlyMemory<byte> body, CancellationToken cancellation) =>
        await WriteAsync(await OpenAsync(cancellation).ConfigureAwait(false), exchange, key, body, cancellation).ConfigureAwait(false);

    /// <summary>The same, and gives up where the broker says that it takes nothing, or takes as long as a node may.</summary>
    /// <returns>Whether the broker has it.</returns>
    public async Task<bool> TryWriteAsync(string exchange, string key, ReadOnlyMemory<byte> body, CancellationToken cancellation)
    {
        Opened opened = await OpenAsync(cancellation).ConfigureAwait(false);
        Task blocked = opened.Blocked;
        if (blocked.IsCompleted) return false;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(options.ConnectTimeout);
        Task writing = WriteAsync(opened, exchange, key, body, limit.Token);
        await Task.WhenAny(writing, blocked).ConfigureAwait(false);
        if (!writing.IsCompleted) await limit.CancelAsync().ConfigureAwait(false);
        try
        {
            await writing.ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellation.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>Declares the exchange by which the sides of a link hear of each other.</summary>
    public async Task DeclareExchangeAsync(LinkAddress link, CancellationToken cancellation)
    {
        Opened opened = await OpenAsync(cancellation).ConfigureAwait(false);
        await RabbitMqNodes.WhileOpenAsync(
            opened.Channel, token => LinkQueues.DeclareExchangeAsync(opened.Channel, link, token), cancellation).ConfigureAwait(false);
    }

    /// <summary>Nothing is written any more.</summary>
    public async ValueTask DisposeAsync()
    {
        await _opening.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_opened is { } opened) await RabbitMqNodes.LeaveAsync(opened.Connection).ConfigureAwait(false);
            _opened = null;
        }
        finally
        {
            _opening.Release();
        }
    }

    private static Task WriteAsync(
        Opened opened, string exchange, string key, ReadOnlyMemory<byte> body, CancellationToken cancellation) =>
        RabbitMqNodes.WhileOpenAsync(
            opened.Channel,
            token => opened.Channel.BasicPublishAsync(
                exchange, key, mandatory: exchange.Length == 0,
                new BasicProperties { DeliveryMode = DeliveryModes.Persistent }, body, token).AsTask(),
            cancellation);

    private async Task<Opened> OpenAsync(CancellationToken cancellation)
    {
        await _opening.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            if (_opened is { Channel.IsOpen: true } open) return open;
            // Lost since: what was on its way has said so.
            if (_opened is { } lost) _ = RabbitMqNodes.EndAsync(lost.Connection);
            _opened = null;
            (IConnection connection, IChannel channel) = await RabbitMqNodes.FirstAsync(
                options, RabbitMqOptions.Confirmed, static (_, _, _) => Task.CompletedTask, cancellation).ConfigureAwait(false);
            return _opened = new Opened(connection, channel);
        }
        finally
        {
            _opening.Release();
        }
    }

    private sealed class Opened
    {
        private volatile TaskCompletionSource _blocked = NewSignal();

        public Opened(IConnection connection, IChannel channel)
        {
            (Connection, Channel) = (connection, channel);
            connection.ConnectionBlockedAsync += (_, _) =>
            {
                _blocked.TrySetResult();
                return Task.CompletedTask;
            };
            connection.ConnectionUnblockedAsync += (_, _) =>
            {
                _blocked = NewSignal();
                return Task.CompletedTask;
            };
        }

        public IConnection Connection { get; }

        public IChannel Channel { get; }

        /// <summary>Completes when the broker says that it takes nothing; another one when it does again.</summary>
        public Task Blocked => _blocked.Task;

        private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
