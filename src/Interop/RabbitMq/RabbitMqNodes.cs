using System.Text;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Raceway.Interop.RabbitMq;

/// <summary>Tries the nodes one after the other, each with a limit in all of its parts: one that hangs holds nothing up.</summary>
internal static class RabbitMqNodes
{
    private static readonly TimeSpan s_longestGoodbye = TimeSpan.FromSeconds(2);

    /// <summary>The first node that connects, opens a channel, and is prepared.</summary>
    /// <param name="options">Which nodes.</param>
    /// <param name="channelOptions">Of the channel.</param>
    /// <param name="prepare">What the node must do before it is used, within <see cref="RabbitMqOptions.OpenTimeout"/>.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="LinkTransportException">None of them, or one refuses what it is asked for.</exception>
    public static async Task<(IConnection Connection, IChannel Channel)> FirstAsync(
        RabbitMqOptions options,
        CreateChannelOptions? channelOptions,
        Func<IConnection, IChannel, CancellationToken, Task> prepare,
        CancellationToken cancellation)
    {
        (var opened, LinkTransportException? none) =
            await RoundAsync(options, channelOptions, prepare, cancellation).ConfigureAwait(false);
        return opened ?? throw none!;
    }

    /// <summary>As <see cref="FirstAsync"/>, and tries nodes that were late again, for as long as that may take.</summary>
    /// <remarks>A node may be slow once. One that refuses, or is not there, will be so a moment later.</remarks>
    /// <param name="options">Which nodes.</param>
    /// <param name="channelOptions">Of the channel.</param>
    /// <param name="prepare">What the node must do before it is used.</param>
    /// <param name="limit">The end of <see cref="RabbitMqOptions.OpenTimeout"/>, or of the caller's patience.</param>
    /// <exception cref="LinkTransportException">None of them, or one refuses what it is asked for.</exception>
    /// <exception cref="OperationCanceledException">The limit; within it, what the last round has found.</exception>
    public static async Task<(IConnection Connection, IChannel Channel)> OpenAsync(
        RabbitMqOptions options,
        CreateChannelOptions? channelOptions,
        Func<IConnection, IChannel, CancellationToken, Task> prepare,
        CancellationToken limit)
    {
        LinkTransportException? late = null;
        while (true)
        {
            try
            {
                (var opened, LinkTransportException? none) =
                    await RoundAsync(options, channelOptions, prepare, limit).ConfigureAwait(false);
                if (opened is { } open) return open;
                if (!IsLate(none!.InnerException)) throw none;
                late = none;
            }
            catch (Exception fault) when (fault is not LinkTransportException && limit.IsCancellationRequested)
            {
                // At the limit a node's own time may be up as well: then its word comes in place of a cancellation.
                throw new OperationCanceledException((late ?? fault).Message, late ?? fault, limit);
            }
        }
    }

    // All nodes once: what has opened, or why none has.
    private static async Task<((IConnection Connection, IChannel Channel)? Opened, LinkTransportException? None)> RoundAsync(
        RabbitMqOptions options,
        CreateChannelOptions? channelOptions,
        Func<IConnection, IChannel, CancellationToken, Task> prepare,
        CancellationToken cancellation)
    {
        var reasons = new StringBuilder();
        Exception? last = null;
        foreach (string node in options.Shuffled())
        {
            IConnection? connection = null;
            try
            {
                connection = await options.ConnectAsync(node, cancellation).ConfigureAwait(false);
                IConnection made = connection;
                IChannel channel = await UntilAsync(
                    token => made.CreateChannelAsync(channelOptions, token), null, options.ConnectTimeout, cancellation)
                    .ConfigureAwait(false);
                await WhileOpenAsync(channel, token => prepare(made, channel, token), options.OpenTimeout, cancellation)
                    .ConfigureAwait(false);
                return ((made, channel), null);
            }
            catch (Exception fault)
            {
                if (connection is not null) _ = EndAsync(connection);
                if (fault is LinkTransportException || cancellation.IsCancellationRequested) throw;
                // One that was late may be well the next time.
                if (!IsLate(last)) last = fault;
                reasons.Append(reasons.Length == 0 ? "" : "; ").Append(node).Append(": ").Append(RabbitMqErrors.Reason(fault));
            }
        }

        return (null, RabbitMqErrors.NoneAnswers(options, reasons.ToString(), last));
    }

    // The client's own limits are cancellations.
    private static bool IsLate(Exception? fault) => fault?.GetBaseException() is TimeoutException or OperationCanceledException;

    /// <summary>As <see cref="FirstAsync"/>, and does something with it, all within <see cref="RabbitMqOptions.OpenTimeout"/>.</summary>
    public static async Task<TResult> WithAsync<TResult>(
        RabbitMqOptions options,
        CreateChannelOptions? channelOptions,
        Func<IConnection, IChannel, CancellationToken, Task<TResult>> use,
        CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(options.OpenTimeout);
        IConnection? connection = null;
        try
        {
            (connection, IChannel channel) = await OpenAsync(
                options, channelOptions, static (_, _, _) => Task.CompletedTask, limit.Token).ConfigureAwait(false);
            IConnection made = connection;
            // Its first channel: the client tells of its end.
            return await UntilAsync(token => use(made, channel, token), null, Timeout.InfiniteTimeSpan, limit.Token)
                .ConfigureAwait(false);
        }
        catch (OperationCanceledException late) when (!cancellation.IsCancellationRequested)
        {
            throw RabbitMqErrors.Late(options, late.InnerException);
        }
        catch (Exception fault) when (fault is not LinkTransportException && !cancellation.IsCancellationRequested)
        {
            throw RabbitMqErrors.Unreachable(options, fault);
        }
        finally
        {
            if (connection is not null) await LeaveAsync(connection).ConfigureAwait(false);
        }
    }

    /// <summary>Does something with a channel's connection, for as long as the channel is open.</summary>
    /// <remarks>
    /// The client leaves a call alone that begins on another channel of a connection as that is lost: nothing answers it before
    /// its limit, nor the goodbye to that channel. Of the connection's first channel the client always tells.
    /// </remarks>
    /// <param name="channel">The connection's first channel.</param>
    /// <param name="use">Does it. It is cancelled when the channel is lost, and its fault is not waited for.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="IOException">The channel is lost.</exception>
    public static Task WhileOpenAsync(IChannel channel, Func<CancellationToken, Task> use, CancellationToken cancellation) =>
        WhileOpenAsync(channel, use, Timeout.InfiniteTimeSpan, cancellation);

    private static async Task WhileOpenAsync(
        IChannel channel, Func<CancellationToken, Task> use, TimeSpan limit, CancellationToken cancellation)
    {
        var lost = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        channel.ChannelShutdownAsync += OnLostAsync;
        try
        {
            // Before there was a listener.
            if (channel.IsClosed) lost.TrySetResult();
            await UntilAsync(UseAsync, lost.Task, limit, cancellation).ConfigureAwait(false);
        }
        finally
        {
            channel.ChannelShutdownAsync -= OnLostAsync;
        }

        async Task<bool> UseAsync(CancellationToken token)
        {
            await use(token).ConfigureAwait(false);
            return true;
        }

        Task OnLostAsync(object sender, ShutdownEventArgs reason)
        {
            lost.TrySetResult();
            return Task.CompletedTask;
        }
    }

    // A caller that gives up leaves nothing behind: what it had begun is cancelled, and the fault of that is looked at.
    private static async Task<TResult> UntilAsync<TResult>(
        Func<CancellationToken, Task<TResult>> use, Task? lost, TimeSpan limit, CancellationToken cancellation)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        Task<TResult> work = use(over.Token);
        try
        {
            await Task.WhenAny(lost is null ? [work] : [work, lost]).WaitAsync(limit, cancellation).ConfigureAwait(false);
            if (!work.IsCompleted) throw new IOException("The connection was lost meanwhile.");
            return await work.ConfigureAwait(false);
        }
        finally
        {
            if (!work.IsCompleted) await over.CancelAsync().ConfigureAwait(false);
            _ = work.ContinueWith(
                static left => _ = left.Exception, CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }
    }

    /// <summary>Says goodbye to a node, which may not answer.</summary>
    public static async Task LeaveAsync(IConnection connection) =>
        await EndAsync(connection, polite: true).WaitAsync(s_longestGoodbye).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Ends a connection, which may be broken already.</summary>
    public static async Task EndAsync(IConnection connection, bool polite = false)
    {
        try
        {
            if (polite && connection.IsOpen)
                await connection.CloseAsync(Constants.ReplySuccess, "done", s_longestGoodbye, abort: true).ConfigureAwait(false);
            await connection.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // What is closed because it is broken may say so.
        }
    }
}
