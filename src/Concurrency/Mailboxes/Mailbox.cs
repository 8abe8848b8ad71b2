using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>Where mailboxes begin: each call starts one.</summary>
/// <remarks>
/// A handler that implements <see cref="IStageLifetime"/> (or, of a delegate, the object that it is a method of) is told of
/// the start, before its first message, and of the end, after its last.
/// </remarks>
/// <example>
/// <code>
/// await using Mailbox&lt;Order> mailbox = Mailbox.Start&lt;Order>(order => accounts.Book(order));
/// mailbox.Post(order);
/// </code>
/// </example>
public static class Mailbox
{
    /// <summary>A mailbox with a handler that is called a message at a time.</summary>
    /// <param name="handler">What it does with a message.</param>
    /// <param name="options">Everything else.</param>
    /// <typeparam name="T">The message type.</typeparam>
    /// <exception cref="ArgumentException">The options do not fit together; the message says how.</exception>
    public static Mailbox<T> Start<T>(Action<T> handler, MailboxOptions<T>? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Start(new ActionReceiver<T>(handler), options);
    }

    /// <summary>A mailbox with a state that its handler alone sees.</summary>
    /// <param name="state">The state at the start.</param>
    /// <param name="handler">What it does with a message and the state; static, as it needs nothing else.</param>
    /// <param name="options">Everything else.</param>
    /// <typeparam name="TState">The state.</typeparam>
    /// <typeparam name="T">The message type.</typeparam>
    /// <exception cref="ArgumentException">The options do not fit together; the message says how.</exception>
    public static Mailbox<T> Start<TState, T>(TState state, StateAction<TState, T> handler, MailboxOptions<T>? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Start(new StateReceiver<TState, T>(state, handler), options);
    }

    /// <inheritdoc cref="Start{T}(Action{T}, MailboxOptions{T})"/>
    public static Mailbox<T> Start<T>(IEventHandler<T> handler, MailboxOptions<T>? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Start(new EventReceiver<T>(handler), options);
    }

    /// <summary>A mailbox with a handler that is called a batch at a time: all that is there, up to
    /// <see cref="MailboxOptions{T}.MaxBatch"/>.</summary>
    /// <remarks>If a batch fails and the policy is not to stop, halves of it are called until the message that fails is alone.
    /// Marks (<see cref="Batch{T}.Complete"/>) are not kept.</remarks>
    /// <inheritdoc cref="Start{T}(Action{T}, MailboxOptions{T})"/>
    public static Mailbox<T> Start<T>(IBatchHandler<T> handler, MailboxOptions<T>? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Start(new BatchReceiver<T>(handler), options);
    }

    /// <summary>A mailbox with a handler that awaits: the next message is handed over when its task has completed, and no thread is
    /// held until then.</summary>
    /// <param name="handler">What it does with a message. Its token is signalled on halt and fault, not on drain.</param>
    /// <param name="options">Everything else.</param>
    /// <inheritdoc cref="Start{T}(Action{T}, MailboxOptions{T})"/>
    public static Mailbox<T> Start<T>(Func<T, CancellationToken, ValueTask> handler, MailboxOptions<T>? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Start(new AsyncReceiver<T>(handler), options);
    }

    /// <summary>The same, a batch at a time.</summary>
    /// <param name="handler">What it does with the messages, which are its own until its task completes.</param>
    /// <param name="options">Everything else.</param>
    /// <inheritdoc cref="Start{T}(Action{T}, MailboxOptions{T})"/>
    public static Mailbox<T> StartBatches<T>(
        Func<ReadOnlyMemory<T>, CancellationToken, ValueTask> handler, MailboxOptions<T>? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Start(new AsyncBatchReceiver<T>(handler), options);
    }

    private static Mailbox<T> Start<T>(Receiver<T> receiver, MailboxOptions<T>? options)
    {
        options ??= new MailboxOptions<T>();
        options.Check();
        return new Mailbox<T>(receiver, options);
    }
}
