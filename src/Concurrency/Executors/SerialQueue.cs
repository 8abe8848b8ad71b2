using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Concurrency;

/// <summary>
/// The line of a serial executor and its activation on the thread pool: at most one at a time, none while there is nothing
/// to do.
/// </summary>
/// <remarks>
/// One word holds the newest item of a list and whether an activation works on it: <c>null</c> is idle, <see cref="s_busy"/> is an
/// empty list that an activation works on. So one compare-and-swap puts an item in and tells whether to queue an activation: no
/// wake-up can be lost between looking and resting, since resting is a compare-and-swap of that word too. The activation
/// takes the whole list at once and turns it round (R. K. Treiber's stack, 1986; taken whole, it has no ABA problem: an item
/// pushed on a head that was taken and came back is linked to just that head).
/// </remarks>
internal sealed class SerialQueue : IThreadPoolWorkItem
{
    private static readonly Pooled s_busy = new Mark();
    private static readonly Pooled s_closed = new Mark();

    [ThreadStatic]
    private static Slice t_own;

    private readonly Action _resume;
    private readonly Room? _room;
    private readonly bool _isInline;
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private Pooled? _head;
    private Pooled? _end;

    // The activation's own, handed from one to the next by the pool's queue or by a handler's completion.
    private Pooled? _taken;
    private IWork? _unfinished;
    private bool _closing;
    private int _stride = 1;

    public SerialQueue(Room? room, bool isInline)
    {
        _room = room;
        _isInline = isInline;
        _resume = Queue;
    }

    /// <summary>Completes when it was closed and everything in it has ended.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Whether <see cref="Close"/> was called.</summary>
    public bool IsClosing => Volatile.Read(ref _end) is not null;

    /// <summary>Whether nothing runs and nothing waits, a moment ago.</summary>
    public bool IsIdle => Volatile.Read(ref _head) is null;

    /// <summary>Puts an item in; false once it is closed and empty.</summary>
    public bool TryPost<TWork>(TWork work)
        where TWork : Pooled, IWork => TryPush(work);

    private bool TryPush(Pooled item)
    {
        Pooled? head = Volatile.Read(ref _head);
        while (true)
        {
            if (ReferenceEquals(head, s_closed)) return false;
            item.Next = head;
            // ORDER: full fence, pairs with the exchange in Take: the activation that takes the item sees what it is to do.
            Pooled? seen = Interlocked.CompareExchange(ref _head, item, head);
            if (ReferenceEquals(seen, head)) break;
            head = seen;
        }

        if (head is null) Queue();
        return true;
    }

    /// <summary>Becomes the activation, where there is none and nothing waits. <see cref="Leave"/> or <see cref="Suspend"/>
    /// ends that.</summary>
    public bool TryEnter() =>
        Volatile.Read(ref _head) is null && Interlocked.CompareExchange(ref _head, s_busy, null) is null;

    /// <summary>Ends what <see cref="TryEnter"/> began; what came meanwhile is done by the thread pool.</summary>
    public void Leave()
    {
        // ORDER: full fence, pairs with the exchange in Take: the next activation sees all that this one has done.
        if (!ReferenceEquals(Interlocked.CompareExchange(ref _head, null, s_busy), s_busy)) Queue();
    }

    /// <summary>The same where a handler is suspended: its work goes on when it has ended, before anything else.</summary>
    public void Suspend(IWork work)
    {
        // Before it is told to resume: from there on another thread may be here.
        _unfinished = work;
        work.WhenReady(_resume);
    }

    /// <summary>Takes nothing more that comes after this call; what is in goes on.</summary>
    public void Close()
    {
        var end = new Mark();
        if (Interlocked.CompareExchange(ref _end, end, null) is not null) return;
        bool isIn = TryPush(end);
        Debug.Assert(isIn, "A line is closed by its end only, and this is the only one.");
    }

    void IThreadPoolWorkItem.Execute()
    {
        var slice = new Slice(_stride);
        Continuation caller = default;
        ExecutionContext? context = ExecutionContext.Capture();
        while (Next(ref slice, ref caller) is { } work)
        {
            WorkStep step = work.Step(ref slice, out caller);
            if (_isInline && caller.IsSet)
            {
                caller.Run();
                caller = default;
            }

            // What has been changed in the context is not the next one's.
            if (context is not null) ExecutionContext.Restore(context);
            if (step is WorkStep.Done or WorkStep.Skipped) continue;
            if (step == WorkStep.Suspended)
            {
                Suspend(work);
            }
            else
            {
                _unfinished = work;
                _stride = slice.Stride;
                Requeue();
            }

            return;
        }

        // The last thing done. Another activation may have the executor already, so no call waits for this one.
        caller.Run();
    }

    /// <summary>What to do next; null where this activation is over, and the last caller is to go on.</summary>
    private IWork? Next(ref Slice slice, ref Continuation caller)
    {
        if (_unfinished is { } unfinished)
        {
            _unfinished = null;
            return unfinished;
        }

        while (true)
        {
            Pooled? next = _taken ?? Take();
            if (next is null)
            {
                _stride = slice.Stride;
                if (TryRest()) return null;
                continue;
            }

            if (slice.IsOver())
            {
                _taken = next;
                _stride = slice.Stride;
                Requeue();
                return null;
            }

            // Before it is done: then it may be in a pool, or in another line.
            _taken = next.Next;
            if (ReferenceEquals(next, _end))
            {
                _closing = true;
                continue;
            }

            caller.Queue();
            _room?.Free();
            // SAFETY: whatever else is posted is work, says TryPost.
            return Unsafe.As<IWork>(next);
        }
    }

    /// <summary>All that came since the last time, the oldest first.</summary>
    private Pooled? Take()
    {
        if (ReferenceEquals(Volatile.Read(ref _head), s_busy)) return null;
        Pooled? newest = Interlocked.Exchange(ref _head, s_busy);
        Pooled? first = null;
        while (newest is not null && !ReferenceEquals(newest, s_busy))
        {
            Pooled? older = newest.Next;
            newest.Next = first;
            first = newest;
            newest = older;
        }

        return first;
    }

    private bool TryRest()
    {
        bool closing = _closing;
        Pooled? rest = closing ? s_closed : null;
        // ORDER: full fence, pairs with TryPost: either the item is seen here, or its poster queues the next activation.
        if (!ReferenceEquals(Interlocked.CompareExchange(ref _head, rest, s_busy), s_busy)) return false;
        if (closing) _completion.TrySetResult();
        return true;
    }

    // After a whole slice: behind all that waits in the pool.
    private void Requeue() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

    // The thread's own queue costs half of the pool's, but is emptied before that, newest first. So a thread queues there for a
    // slice at most, as it works for a slice at most: then what waits in the pool gets its turn.
    private void Queue()
    {
        bool isOver = t_own.IsOver();
        if (isOver) t_own = new Slice(t_own.Stride);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: !isOver);
    }

    /// <summary>Not an item: a state of the line, or its end.</summary>
    private sealed class Mark : Pooled;
}
