namespace Raceway.Concurrency;

/// <summary>A spawned child of a scope: the work item of the thread pool itself.</summary>
internal abstract class ScopeWork : IThreadPoolWorkItem
{
    private ExecutionContext? _context;
    private CancellationToken _token;

    /// <summary>The scope that it is a child of, for good.</summary>
    public ScopeCore Scope { get; private set; } = null!;

    public void Belong(ScopeCore scope) => Scope = scope;

    /// <summary>Gives it to the pool, with the caller's context.</summary>
    public void Queue(CancellationToken token)
    {
        _token = token;
        _context = ExecutionContext.Capture();
        // Local, as tasks are: what is forked last is in the cache.
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
    }

    void IThreadPoolWorkItem.Execute()
    {
        ExecutionContext? context = _context;
        // The pool gives every work item a fresh context and cleans up after it.
        if (context is null || ReferenceEquals(context, ExecutionContext.Capture())) Execute();
        else ExecutionContext.Run(context, static work => ((ScopeWork)work!).Execute(), this);
    }

    /// <summary>Drops what a child that is over still holds.</summary>
    public virtual void Forget()
    {
    }

    /// <summary>Does the work; true where it has ended, false where it calls <see cref="End"/> later.</summary>
    protected abstract bool Work(CancellationToken token);

    /// <summary>Drops the state.</summary>
    protected abstract void Clear();

    /// <summary>The child has ended: the last that is done with it.</summary>
    protected void End()
    {
        _context = null;
        Clear();
        Scope.ChildEnded();
    }

    private void Execute()
    {
        if (Scope.IsStopped)
        {
            Scope.CutShort();
        }
        else
        {
            try
            {
                if (!Work(_token)) return;
            }
            catch (Exception failure)
            {
                Scope.Fail(failure);
            }
        }

        End();
    }
}

/// <summary>One with a result.</summary>
internal abstract class ScopeValue<TResult> : ScopeWork
{
    private TResult? _result;
    private bool _hasResult;

    protected void SetResult(TResult result)
    {
        _result = result;
        _hasResult = true;
    }

    // The join makes what children have written visible: each has taken itself off the countdown afterwards.
    public TResult Read() => _hasResult ? _result! : throw TaskMisuse.NoResult();

    public override void Forget()
    {
        _result = default;
        _hasResult = false;
    }
}

/// <summary>Work without a result.</summary>
internal sealed class ScopeAction<TState> : ScopeWork
{
    private TState? _state;
    private Action<TState, CancellationToken>? _work;

    public void Set(TState state, Action<TState, CancellationToken> work) => (_state, _work) = (state, work);

    protected override bool Work(CancellationToken token)
    {
        _work!(_state!, token);
        return true;
    }

    protected override void Clear() => (_state, _work) = (default, null);
}

/// <summary>Work with a result.</summary>
internal sealed class ScopeFunction<TState, TResult> : ScopeValue<TResult>
{
    private TState? _state;
    private Func<TState, CancellationToken, TResult>? _work;

    public void Set(TState state, Func<TState, CancellationToken, TResult> work) => (_state, _work) = (state, work);

    protected override bool Work(CancellationToken token)
    {
        SetResult(_work!(_state!, token));
        return true;
    }

    protected override void Clear() => (_state, _work) = (default, null);
}
