namespace Raceway.Concurrency;

/// <summary>How many calls wait in a bounded executor, and the callers that wait for that to become fewer.</summary>
internal sealed class Room(int capacity)
{
    private readonly Lock _gate = new();
    private readonly List<Waiter> _waiters = [];
    private int _used;
    private int _waiting;
    private bool _closed;

    /// <summary>Takes a place; false where there is none.</summary>
    public bool TryTake()
    {
        int used = Volatile.Read(ref _used);
        while (used < capacity)
        {
            int seen = Interlocked.CompareExchange(ref _used, used + 1, used);
            if (seen == used) return true;
            used = seen;
        }

        return false;
    }

    /// <summary>Gives a place back, and wakes the callers that wait for one.</summary>
    public void Free()
    {
        // ORDER: full fence, pairs with the one in Wait: either the waiter is seen here, or the place there.
        Interlocked.Decrement(ref _used);
        if (Volatile.Read(ref _waiting) != 0) Wake(true);
    }

    /// <summary>The executor is closed: no caller needs room any more.</summary>
    public void Close()
    {
        lock (_gate) _closed = true;
        Wake(false);
    }

    /// <summary>Completes with true when there is a place, which another caller may take first; with false once closed.</summary>
    public ValueTask<bool> Wait(CancellationToken cancellation)
    {
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellation);
        Waiter waiter;
        lock (_gate)
        {
            if (_closed) return new ValueTask<bool>(false);
            // ORDER: full fence, pairs with the one in Free.
            Interlocked.Increment(ref _waiting);
            if (Volatile.Read(ref _used) < capacity)
            {
                Interlocked.Decrement(ref _waiting);
                return new ValueTask<bool>(true);
            }

            waiter = Pool<Waiter>.Rent();
            // Inside, so that it is not woken, and given back, before its token is known.
            waiter.CancelBy(cancellation);
            _waiters.Add(waiter);
            return waiter.Task;
        }
    }

    // All: one that is woken may not want the place any more, and no other caller would be told of it.
    private void Wake(bool hasRoom)
    {
        lock (_gate)
        {
            foreach (Waiter waiter in _waiters) waiter.End(hasRoom);
            Interlocked.Add(ref _waiting, -_waiters.Count);
            _waiters.Clear();
        }
    }

    private sealed class Waiter : Call<bool>
    {
        public void End(bool hasRoom)
        {
            if (TryBegin()) Publish(hasRoom).Queue();
        }

        protected override void Recycle() => Pool<Waiter>.Return(this);
    }
}
