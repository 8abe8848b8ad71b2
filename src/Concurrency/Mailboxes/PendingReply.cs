using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>A request that waits for its answer, without the type of that.</summary>
/// <remarks>A ticket is of one use: an old one reaches nothing.</remarks>
internal interface IPendingReply
{
    /// <summary>Its neighbours in the book; under the book's lock.</summary>
    IPendingReply? Before { get; set; }

    /// <inheritdoc cref="Before"/>
    IPendingReply? After { get; set; }

    /// <summary>The sequence of its message; negative while that is not posted. Under the book's lock.</summary>
    long Sequence { get; set; }

    /// <summary>The ticket of its use now.</summary>
    long Ticket { get; }

    bool IsPending(long ticket);

    bool End(long ticket, Exception exception);
}

/// <summary>A request that waits for its answer.</summary>
/// <remarks>
/// One word says which use it is and whether that is over. The compare-and-swap that changes it from pending to over ends
/// the request: the handler's answer, the time, the token, or the end of the mailbox.
/// </remarks>
internal sealed class PendingReply<TReply> : PooledCompletion<TReply>, IPendingReply
{
    private const long Over = 1;
    private const long OneUse = 2;

    private long _word = Over;
    private RequestBook? _book;
    private string _mailbox = "";
    private TimeSpan _timeout;
    private long _deadline;
    private Alarm? _alarm;
    private CancellationToken _cancellation;
    private CancellationTokenRegistration _registration;

    public IPendingReply? Before { get; set; }

    public IPendingReply? After { get; set; }

    public long Sequence { get; set; }

    public long Ticket => Volatile.Read(ref _word) & ~Over;

    public ValueTask<TReply> Awaited => Task;

    public static PendingReply<TReply> Begin(RequestBook book, out Reply<TReply> reply)
    {
        PendingReply<TReply> pending = Pool<PendingReply<TReply>>.Rent();
        pending.RunContinuationsAsynchronously = true;
        pending._book = book;
        pending._deadline = Clock.Never;
        pending.Sequence = -1;
        long ticket = (pending._word & ~Over) + OneUse;
        Volatile.Write(ref pending._word, ticket);
        reply = new Reply<TReply>(pending, ticket);
        return pending;
    }

    /// <summary>Before it is posted: it will not be awaited.</summary>
    public void Abandon()
    {
        // An answer may have come from inside of what was to make the message: then this object is not given back.
        long ticket = Ticket;
        if (TryEnd(ticket)) Pool<PendingReply<TReply>>.Return(this);
    }

    /// <summary>Gives it up when the time is up, or by the token. Before it is posted.</summary>
    public void Watch(long ticket, string mailbox, Clock clock, TimeSpan timeout, CancellationToken cancellation)
    {
        if (timeout != System.Threading.Timeout.InfiniteTimeSpan)
        {
            _mailbox = mailbox;
            _timeout = timeout;
            long deadline = clock.In(timeout);
            if (_alarm?.Clock != clock)
            {
                // The pool is of all mailboxes, and their clocks may differ.
                _alarm?.Dispose();
                Volatile.Write(ref _alarm, new Alarm(clock, OnTime));
            }

            Volatile.Write(ref _deadline, deadline);
            if (!_alarm!.TrySet(deadline)) OnTime();
        }

        if (!cancellation.CanBeCanceled) return;
        _cancellation = cancellation;
        _registration = cancellation.UnsafeRegister(static one => ((PendingReply<TReply>)one!).OnCancel(), this);
    }

    public bool IsPending(long ticket) => Volatile.Read(ref _word) == ticket;

    public bool TryAnswer(long ticket, TReply answer)
    {
        if (!TryEnd(ticket)) return false;
        _book!.Remove(this);
        SetResult(answer);
        return true;
    }

    public bool End(long ticket, Exception exception)
    {
        if (!TryEnd(ticket)) return false;
        _book!.Remove(this);
        SetException(exception);
        return true;
    }

    protected override void Release()
    {
        // Waits for a callback of the token under way. A timer's callback may come late: it looks at ticket and deadline.
        _registration.Dispose();
        _registration = default;
        _cancellation = default;
        if (Volatile.Read(ref _deadline) != Clock.Never) _alarm!.Clear();
        Volatile.Write(ref _deadline, Clock.Never);
        _book = null;
        Pool<PendingReply<TReply>>.Return(this);
    }

    private bool TryEnd(long ticket) =>
        (ticket & Over) == 0 && Interlocked.CompareExchange(ref _word, ticket | Over, ticket) == ticket;

    private void OnCancel() => End(Ticket, new OperationCanceledException(_cancellation));

    private void OnTime()
    {
        while (true)
        {
            // ORDER: the ticket before the deadline before the alarm: each is then that use's, or of a later one. Its ticket
            // differs.
            long ticket = Ticket;
            long deadline = Volatile.Read(ref _deadline);
            Alarm alarm = Volatile.Read(ref _alarm)!;
            if (deadline == Clock.Never || !IsPending(ticket)) return;
            if (alarm.Clock.Now >= deadline)
            {
                End(ticket, MailboxErrors.NoAnswer(_mailbox, _timeout));
                return;
            }

            // It has rung early, or for a use before this one. A later use may have set it meanwhile: then again, for that.
            if (alarm.TrySet(deadline) && Ticket == ticket) return;
        }
    }
}
