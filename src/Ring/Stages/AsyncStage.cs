namespace Raceway.Rings;

/// <summary>Calls an async handler; while its task runs the stage is pending, and no thread is held.</summary>
/// <remarks>
/// Completion is one more <see cref="Progress"/>: the task's continuation advances it, which wakes whoever drives the stage
/// as a publish would. The continuation does nothing else, so user code never runs on a foreign thread.
/// </remarks>
internal sealed class AsyncStage<T> : ColumnStage<T>
{
    private readonly AsyncCall<T> _handler;
    private readonly Progress _completions;
    private readonly Action _onCompleted;
    private long _lease;
    private long _lent;
    private long _first;
    private int _count;
    private long _deadline;
    private bool _timedOut;
    private bool _abandoned;
    private CancellationTokenSource? _timeout;
    private Reentrancy.Call? _call;

    public AsyncStage(Ring ring, Slots<T> column, AsyncCall<T> call, StageOptions options, string name)
        : base(ring, column, options, name, oneCallAStep: true)
    {
        _handler = call;
        _completions = ring.Sequencer.NewProgress(0);
        _onCompleted = () =>
        {
            // Before the advance: the next call may begin right behind it.
            _call?.End();
            _completions.Advance(_lease);
        };
    }

    private protected override object Handler
    {
        get => IWrapper.Unwrap(_handler.Handler);
        set { }
    }

    private protected override (Progress Cell, long Awaited, long Deadline) Completion =>
        (_completions, _lease, _deadline);

    /// <summary>Whether the batch handed out under <paramref name="lease"/> is still the handler's.</summary>
    public bool IsLent(long lease) => Math.Abs(Volatile.Read(ref _lent)) == lease;

    /// <summary>Holds the end of the lease back, for a mark; false where it is over, or another thread is marking.</summary>
    // ORDER: full; pairs with EndLease.
    public bool TryHold(long lease) => Interlocked.CompareExchange(ref _lent, -lease, lease) == lease;

    /// <summary>Lets the lease end. The thread that holds it.</summary>
    public void LetGo(long lease) => Volatile.Write(ref _lent, lease);

    /// <summary>Whether another thread holds it.</summary>
    public bool IsHeld(long lease) => Volatile.Read(ref _lent) == -lease;

    internal override bool MarksContext => true;

    internal override bool IsAbandoned => Volatile.Read(ref _abandoned);

    // What a call awaits does not grow with its items: no driver cuts what the dispatch allows.
    internal override int LeastStep => Dispatch.MaxIn(Owner.Capacity);

    internal override void WakeWaiters()
    {
        base.WakeWaiters();
        _completions.WakeAll();
    }

    private protected override bool Invoke(long first, int count, Dispatch dispatch)
    {
        FaultIsExact = count == 1;
        CallEnd = first + count;
        _first = first;
        _count = count;
        Volatile.Write(ref _lent, ++_lease);
        bool completed;
        // A caller's own context is not ours to mark.
        _call = Options.Drive == Drive.Caller ? null : Reentrancy.Begin(Owner.Family);
        try
        {
            completed = _handler.Start(new AsyncBatch<T>(this, _lease, first, count), Token());
        }
        catch
        {
            _call?.EndAtOnce();
            EndLease();
            throw;
        }

        if (completed)
        {
            _call?.EndAtOnce();
            return Collect();
        }

        _deadline = Clock.In(Options.HandlerTimeout);
        _handler.OnCompleted(_onCompleted);
        return false;
    }

    private protected override bool TryFinish()
    {
        if (!_completions.IsReached(_lease))
        {
            if (Clock.Now >= _deadline) OnTimeout();
            return false;
        }

        Collect();
        return true;
    }

    private bool Collect()
    {
        EndLease();
        bool done = Take(_handler.GetOutcome(), _first, _count);
        if (done) Done.Advance(Reached - 1);
        return done;
    }

    // ORDER: full; pairs with TryHold: a mark comes before the end of the lease, or finds it over.
    private void EndLease()
    {
        while (Interlocked.CompareExchange(ref _lent, 0, _lease) != _lease) Thread.Yield();
    }

    private CancellationToken Token()
    {
        _timedOut = false;
        if (Options.HandlerTimeout == Timeout.InfiniteTimeSpan) return Owner.HaltToken;
        if (_timeout is null || !_timeout.TryReset())
        {
            _timeout?.Dispose();
            _timeout = CancellationTokenSource.CreateLinkedTokenSource(Owner.HaltToken);
        }

        return _timeout.Token;
    }

    // First the token; after the same time again the ring is faulted. The slots stay the task's: nothing reuses them.
    private void OnTimeout()
    {
        if (_timedOut)
        {
            _deadline = Clock.Never;
            _abandoned = true;
            _call?.End();
            Owner.Fail(Throw.HandlerTimedOut(Name, Options.HandlerTimeout), this);
            return;
        }

        _timedOut = true;
        _deadline = Clock.In(Options.HandlerTimeout);
        try
        {
            _timeout!.Cancel();
        }
        catch (AggregateException)
        {
            // User callbacks on the token are no concern of the handler's task.
        }
    }
}
