namespace Raceway.Concurrency;

/// <summary>Asynchronous work without a result.</summary>
internal sealed class ScopeAsyncAction<TState> : ScopeWork
{
    private TState? _state;
    private Func<TState, CancellationToken, ValueTask>? _work;
    private ValueTask _running;
    private Action? _resume;

    public void Set(TState state, Func<TState, CancellationToken, ValueTask> work) => (_state, _work) = (state, work);

    protected override bool Work(CancellationToken token)
    {
        ValueTask running = _work!(_state!, token);
        if (running.IsCompleted)
        {
            running.GetAwaiter().GetResult();
            return true;
        }

        _running = running;
        running.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_resume ??= Resume);
        return false;
    }

    protected override void Clear() => (_state, _work) = (default, null);

    private void Resume()
    {
        ValueTask running = _running;
        _running = default;
        try
        {
            running.GetAwaiter().GetResult();
        }
        catch (Exception failure)
        {
            Scope.Fail(failure);
        }

        End();
    }
}

/// <summary>Asynchronous work with a result.</summary>
internal sealed class ScopeAsyncFunction<TState, TResult> : ScopeValue<TResult>
{
    private TState? _state;
    private Func<TState, CancellationToken, ValueTask<TResult>>? _work;
    private ValueTask<TResult> _running;
    private Action? _resume;

    public void Set(TState state, Func<TState, CancellationToken, ValueTask<TResult>> work) => (_state, _work) = (state, work);

    protected override bool Work(CancellationToken token)
    {
        ValueTask<TResult> running = _work!(_state!, token);
        if (running.IsCompleted)
        {
            SetResult(running.GetAwaiter().GetResult());
            return true;
        }

        _running = running;
        running.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_resume ??= Resume);
        return false;
    }

    protected override void Clear() => (_state, _work) = (default, null);

    private void Resume()
    {
        ValueTask<TResult> running = _running;
        _running = default;
        try
        {
            SetResult(running.GetAwaiter().GetResult());
        }
        catch (Exception failure)
        {
            Scope.Fail(failure);
        }

        End();
    }
}
