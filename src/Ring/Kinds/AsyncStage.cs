namespace Raceway.Rings;

/// <summary>Calls an async handler; while its task runs the stage is pending, and no thread is held.</summary>
/// <remarks>
/// Completion is one more <see cref="Progress"/>: the task's continuation advances it, which wakes the driver of the stage
/// as a publish would. The continuation does nothing else, so user code never runs on a foreign thread.
/// </remarks>
internal sealed class AsyncStage<T> : ColumnStage<T>
{
    private readonly AsyncCall<T> _handler;
    private readonly Progress _completions;
    private readonly AsyncLease<T> _lease;
    private readonly Action _onCompleted;
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
        _lease = new AsyncLease<T>(this, column);
        _completions = ring.Sequencer.NewProgress(0);
        _onCompleted = () =>
        {
            // Before the advance: the next call may begin right behind it.
            _call?.End();
            _completions.Advance(_lease.Number);
        };
    }

    internal override object Handler
    {
        get => IWrapper.Unwrap(_handler.Handler);
        set { }
    }

    private protected override (Progress Cell, long Awaited, long Deadline) Completion =>
        (_completions, _lease.Number, _deadline);

    internal override bool MarksContext => true;

    internal override bool IsAbandoned => Volatile.Read(ref _abandoned);

    // What a call awaits does not grow with its items: no driver cuts what the dispatch allows.
    internal override int LeastStep => MostOf(Dispatch);

    internal override void WakeWaiters()
    {
        base.WakeWaiters();
        _completions.WakeAll();
    }

    internal override bool Invoke(long first, int count, Dispatch dispatch)
    {
        CallEnd = first + count;
        _first = first;
        _count = count;
        long lease = _lease.Begin();
        bool completed;
        // A caller's own context is not ours to mark.
        _call = Options.Drive == Drive.Caller ? null : Reentrancy.Begin(Owner.Family);
        try
        {
            completed = _handler.Start(new AsyncBatch<T>(_lease, lease, first, count), Token());
        }
        catch
        {
            _call?.EndAtOnce();
            _lease.End();
            throw;
        }

        if (completed)
        {
            _call?.EndAtOnce();
            return Collect();
        }

        _deadline = Owner.Clock.In(Options.HandlerTimeout);
        try
        {
            _handler.OnCompleted(_onCompleted);
        }
        catch
        {
            // The task takes no awaiter, as it was awaited before: the call has failed. What it has started may go on, as a caller like any other.
            _call?.End();
            _lease.End();
            throw;
        }

        return false;
    }

    private protected override bool TryFinish()
    {
        if (!_completions.IsReached(_lease.Number))
        {
            if (Owner.Clock.Now >= _deadline) OnTimeout();
            return false;
        }

        Collect();
        return true;
    }

    private bool Collect()
    {
        _lease.End();
        return Take(_handler.GetOutcome(), _first, _count);
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
            Owner.Fail(StageErrors.HandlerTimedOut(Name, Options.HandlerTimeout), this);
            return;
        }

        _timedOut = true;
        _deadline = Owner.Clock.In(Options.HandlerTimeout);
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
