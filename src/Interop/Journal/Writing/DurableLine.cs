namespace Raceway.Interop.Journal.Writing;

/// <summary>A position that only rises, and the callers that wait for it to reach theirs.</summary>
/// <remarks>
/// Waiters stand in the order of what they wait for; one that waits for more than all others, the usual case, is added at the
/// end without a search. Awaiters go on by the thread pool, never on the thread that moves the position.
/// <para><b>Threads</b>: any. <b>Cost</b>: waiters are pooled.</para>
/// </remarks>
internal sealed class DurableLine(long position)
{
    private readonly object _gate = new();
    private long _position = position;
    private Exception? _fault;
    private Waiter? _first;
    private Waiter? _last;

    /// <summary>Moves the position, if it rises, and completes those that waited for it.</summary>
    public void Advance(long to)
    {
        Waiter? ready;
        lock (_gate)
        {
            if (to <= _position) return;
            _position = to;
            ready = _first;
            Waiter? end = ready;
            while (end is not null && end.Target <= to)
            {
                end.Waits = false;
                end = end.After;
            }

            if (end == ready) return;
            _first = end;
            if (end is null)
            {
                _last = null;
            }
            else
            {
                end.Before!.After = null;
                end.Before = null;
            }
        }

        while (ready is { } one)
        {
            // Its next use may set the links again, so they are read first.
            ready = one.After;
            one.SetResult(true);
        }
    }

    /// <summary>Fails all waiters, and every later one that the position has not reached.</summary>
    public void Fail(Exception fault)
    {
        Waiter? waiter;
        lock (_gate)
        {
            if (_fault is not null) return;
            _fault = fault;
            waiter = _first;
            for (Waiter? one = waiter; one is not null; one = one.After) one.Waits = false;
            _first = _last = null;
        }

        while (waiter is { } one)
        {
            waiter = one.After;
            one.SetException(fault);
        }
    }

    /// <summary>Completes when the position is at <paramref name="target"/> or beyond. Await it once.</summary>
    public ValueTask WaitAsync(long target, CancellationToken cancellation)
    {
        Waiter waiter;
        ValueTask task;
        lock (_gate)
        {
            if (target <= _position) return ValueTask.CompletedTask;
            if (_fault is { } fault) return ValueTask.FromException(fault);
            if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled(cancellation);
            waiter = Pool<Waiter>.Rent();
            waiter.RunContinuationsAsynchronously = true;
            (waiter.Line, waiter.Target, waiter.Token) = (this, target, cancellation);
            waiter.Waits = true;
            Insert(waiter);
            task = waiter.TaskWithoutResult;
            // Under the gate: the waiter cannot be completed, and serve another call, before it has its registration.
            if (cancellation.CanBeCanceled) waiter.Register();
        }

        return task;
    }

    private void Insert(Waiter waiter)
    {
        Waiter? before = _last;
        while (before is not null && before.Target > waiter.Target) before = before.Before;
        waiter.Before = before;
        waiter.After = before is null ? _first : before.After;
        if (waiter.After is { } after) after.Before = waiter;
        else _last = waiter;
        if (before is null) _first = waiter;
        else before.After = waiter;
    }

    private void Cancel(Waiter waiter, long number)
    {
        lock (_gate)
        {
            // It may have been completed meanwhile, and serve another call.
            if (waiter.Number != number || !waiter.Waits) return;
            waiter.Waits = false;
            if (waiter.Before is { } before) before.After = waiter.After;
            else _first = waiter.After;
            if (waiter.After is { } after) after.Before = waiter.Before;
            else _last = waiter.Before;
        }

        waiter.SetException(new OperationCanceledException(waiter.Token));
    }

    private sealed class Waiter : PooledCompletion<bool>
    {
        private CancellationTokenRegistration _registration;

        public DurableLine? Line;
        public long Target;
        public long Number;
        public bool Waits;
        public CancellationToken Token;
        public Waiter? Before;
        public Waiter? After;

        public void Register()
        {
            long number = Number;
            _registration = Token.UnsafeRegister(
                static (state, _) =>
                {
                    var (waiter, number) = ((Waiter, long))state!;
                    waiter.Line?.Cancel(waiter, number);
                },
                (this, number));
        }

        protected override void Release()
        {
            _registration.Dispose();
            _registration = default;
            (Line, Before, After, Token) = (null, null, null, default);
            Number++;
            Pool<Waiter>.Return(this);
        }
    }
}
