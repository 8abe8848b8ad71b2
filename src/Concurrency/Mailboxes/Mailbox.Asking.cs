using Raceway.Rings;

namespace Raceway.Concurrency;

/// <content>Request and reply.</content>
public sealed partial class Mailbox<T>
{
    internal RequestBook Requests { get; } = new();

    /// <summary>Posts a message that carries the place for its answer, and waits for that.</summary>
    /// <param name="create">Makes the message; static, or it allocates.</param>
    /// <param name="cancellation">Ends the waiting. The message, once posted, is handled all the same.</param>
    /// <inheritdoc cref="AskAsync{TArgument, TReply}(TArgument, Func{TArgument, Reply{TReply}, T}, TimeSpan, CancellationToken)"/>
    public ValueTask<TReply> AskAsync<TReply>(Func<Reply<TReply>, T> create, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(create);
        return AskAsync<Func<Reply<TReply>, T>, TReply>(
            create, static (create, reply) => create(reply), Timeout.InfiniteTimeSpan, cancellation);
    }

    /// <summary>Posts a message made of <paramref name="argument"/> that carries the place for its answer, and waits for that.</summary>
    /// <remarks>
    /// <para>The answer is what the handler gives to the <see cref="Reply{TReply}"/>, in that call or later, on any thread;
    /// the first one counts. Without one the task fails: with the handler's exception where that message was passed over by
    /// policy, with <see cref="MailboxFaultedException"/> or <see cref="MailboxStoppedException"/> where the mailbox ends,
    /// with <see cref="TimeoutException"/> or <see cref="OperationCanceledException"/> where the time is up. A handler that
    /// never answers, in a mailbox that never ends, without a timeout: then it waits for ever.</para>
    /// <para><b>Cost</b>: nothing is allocated once warm, unless the mailbox is full. A pooled request that had a timeout keeps
    /// its timer. The caller goes on by the thread pool.</para>
    /// </remarks>
    /// <param name="argument">What the message is made of.</param>
    /// <param name="create">Makes the message; called once, on the calling thread.</param>
    /// <param name="timeout">For the whole call; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="cancellation">Ends the waiting. The message, once posted, is handled all the same.</param>
    /// <returns>A task to be awaited once.</returns>
    /// <exception cref="ReentrantMailboxException">This is its own handler.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is not above zero.</exception>
    public ValueTask<TReply> AskAsync<TArgument, TReply>(
        TArgument argument, Func<TArgument, Reply<TReply>, T> create, TimeSpan timeout, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(create);
        if (timeout <= TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan) throw MailboxErrors.Timeout(nameof(timeout), timeout);
        if (Reentrancy.IsHandlerOf(this)) throw MailboxErrors.OwnAnswer(Name);
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled<TReply>(cancellation);

        T message = default!;
        PendingReply<TReply> pending = PendingReply<TReply>.Begin(Requests, out Reply<TReply> reply);
        try
        {
            message = create(argument, reply);
        }
        catch
        {
            pending.Abandon();
            throw;
        }

        ValueTask<TReply> task = pending.Awaited;
        pending.Watch(reply.Ticket, Name, Clock, timeout, cancellation);
        switch (Requests.Post(pending, reply.Ticket, _queue, message, out long sequence))
        {
            case ClaimStatus.Stopped:
                pending.End(reply.Ticket, Refusal());
                break;
            case ClaimStatus.Full:
                _ = AskWhenRoomAsync(message, sequence, pending, reply.Ticket, cancellation);
                break;
        }

        return task;
    }

    private async Task AskWhenRoomAsync<TReply>(
        T message, long sequence, PendingReply<TReply> pending, long ticket, CancellationToken cancellation)
    {
        try
        {
            while (true)
            {
                long seen = _control.Word;
                ClaimStatus status = Requests.Post(pending, ticket, _queue, message, out long next);
                if (status == ClaimStatus.Done) return;
                if (status == ClaimStatus.Stopped) throw Refusal();
                sequence = Math.Max(sequence, next);
                await WaitForRoomAsync(sequence, seen, cancellation).ConfigureAwait(false);
            }
        }
        catch (Exception fault)
        {
            pending.End(ticket, fault);
        }
    }
}
