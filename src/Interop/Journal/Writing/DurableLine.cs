namespace Raceway.Interop.Journal.Writing;

/// <summary>A position that only rises, and the callers that wait for it to reach theirs.</summary>
/// <remarks>
/// Waiters stand in the order of what they wait for; one that waits for more than all others, the usual case, is added at the
/// end without a search. Awaiters go on by the thread pool, never on the thread that moves the position.
/// <para><b>Threads</b>: any. <b>Cost</b>: waiters are pooled.</para>
/// </remarks>
internal sealed class DurableLine(long position) : IWaiters
{
    private readonly object _gate = new();
    private long _position = position;
    private Exception? _fault;
    private DurableWaiter? _first;
    private DurableWaiter? _last;

    /// <summary>Moves the position, if it rises, and completes those that waited for it.</summary>
    public void Advance(long to)
    {
        DurableWaiter? ready;
        lock (_gate)
        {
            if (to <= _position) return;
            _position = to;
            ready = _first;
            DurableWaiter? end = ready;
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
        DurableWaiter? waiter;
        lock (_gate)
        {
            if (_fault is not null) return;
            _fault = fault;
            waiter = _first;
            for (DurableWaiter? one = waiter; one is not null; one = one.After) one.Waits = false;
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
        lock (_gate)
        {
            if (target <= _position) return ValueTask.CompletedTask;
            if (_fault is { } fault) return ValueTask.FromException(fault);
            if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled(cancellation);
            Waiter waiter = Pool<Waiter>.Rent();
            waiter.RunContinuationsAsynchronously = true;
            waiter.Token = cancellation;
            ValueTask task = waiter.TaskWithoutResult;
            Insert(waiter, target);
            return task;
        }
    }

    /// <summary>Completes a call when the position is at <paramref name="target"/> or beyond. Its caller awaits it already.</summary>
    public void Complete(DurableWaiter waiter, long target)
    {
        Exception? fault = null;
        lock (_gate)
        {
            if (target > _position)
            {
                fault = _fault;
                if (fault is null)
                {
                    Insert(waiter, target);
                    return;
                }
            }
        }

        if (fault is null) waiter.SetResult(true);
        else waiter.SetException(fault);
    }

    /// <inheritdoc/>
    public bool TryLeave(DurableWaiter waiter)
    {
        lock (_gate)
        {
            if (!waiter.Waits) return false;
            waiter.Waits = false;
            if (waiter.Before is { } before) before.After = waiter.After;
            else _first = waiter.After;
            if (waiter.After is { } after) after.Before = waiter.Before;
            else _last = waiter.Before;
            return true;
        }
    }

    private void Insert(DurableWaiter waiter, long target)
    {
        DurableWaiter? before = _last;
        while (before is not null && before.Target > target) before = before.Before;
        waiter.Target = target;
        waiter.Waits = true;
        waiter.Before = before;
        waiter.After = before is null ? _first : before.After;
        if (waiter.After is { } after) after.Before = waiter;
        else _last = waiter;
        if (before is null) _first = waiter;
        else before.After = waiter;
        waiter.Register(this);
    }

    private sealed class Waiter : DurableWaiter
    {
        protected override void Return() => Pool<Waiter>.Return(this);
    }
}
