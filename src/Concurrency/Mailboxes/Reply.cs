namespace Raceway.Concurrency;

/// <summary>The place for the answer to one request: part of the message, filled by the handler.</summary>
/// <remarks>
/// <para>To be answered once, in the handler's call or later, by any thread; further answers, and those to a request that was
/// given up, are refused. Safe to keep: it never reaches another request.</para>
/// <para>A default one takes no answer: a message without a request may carry it.</para>
/// </remarks>
/// <typeparam name="TReply">The answer.</typeparam>
public readonly struct Reply<TReply>
{
    private readonly PendingReply<TReply>? _pending;

    internal Reply(PendingReply<TReply> pending, long ticket)
    {
        _pending = pending;
        Ticket = ticket;
    }

    internal long Ticket { get; }

    /// <summary>Whether the request still waits for an answer: a snapshot.</summary>
    public bool IsAwaited => _pending is { } pending && pending.IsPending(Ticket);

    /// <summary>Answers; false if the request does not wait any more.</summary>
    public bool TrySet(TReply answer) => _pending is { } pending && pending.TryAnswer(Ticket, answer);

    /// <summary>Answers by an exception, which the request throws; false if the request does not wait any more.</summary>
    public bool TryFail(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return _pending is { } pending && pending.End(Ticket, exception);
    }
}
