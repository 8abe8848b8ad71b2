using System.Runtime.CompilerServices;

namespace Raceway.Concurrency;

/// <summary>One call of a handler with one state.</summary>
internal class SingleCall<TState, TResult, TInvoker> : Call<TResult>, IWork
    where TInvoker : struct, IInvoker<TState, TResult>
{
    private TState _state = default!;
    private TInvoker _invoker;
    private ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter _running;
    private bool _suspended;

    /// <summary>Gives it what it is to do. The one copy of the state that an executor makes.</summary>
    public void Set(in TState state, TInvoker invoker)
    {
        _state = state;
        _invoker = invoker;
    }

    /// <summary>Takes over a handler that was called already and is suspended.</summary>
    public void Adopt(ValueTask<TResult> running)
    {
        _running = running.ConfigureAwait(false).GetAwaiter();
        _suspended = true;
    }

    /// <inheritdoc/>
    public WorkStep Step(ref Slice slice, out Continuation caller)
    {
        caller = default;
        if (_suspended)
        {
            _suspended = false;
            return Finish(out caller);
        }

        if (!TryBegin()) return WorkStep.Skipped;
        TResult result;
        try
        {
            ValueTask<TResult> task = _invoker.Invoke(in _state, Cancellation);
            // Within the try: a task that was awaited before may throw at each look.
            if (!task.IsCompletedSuccessfully)
            {
                Adopt(task);
                return WorkStep.Suspended;
            }

            result = task.Result;
        }
        catch (Exception fault)
        {
            caller = End(fault);
            return WorkStep.Done;
        }

        caller = End(result);
        return WorkStep.Done;
    }

    /// <summary>Whether the suspended handler has ended.</summary>
    protected bool IsReady => Suspension.IsReady(in _running);

    /// <inheritdoc/>
    public void WhenReady(Action resume) => Suspension.WhenReady(ref _running, resume);

    /// <summary>The handler has returned: the caller is told.</summary>
    protected virtual Continuation End(TResult result) => Publish(result);

    /// <summary>The handler has thrown: the caller is thrown it.</summary>
    protected virtual Continuation End(Exception fault) => Publish(fault);

    /// <inheritdoc/>
    protected override void Recycle()
    {
        Clear();
        Pool<SingleCall<TState, TResult, TInvoker>>.Return(this);
    }

    /// <summary>Keeps nothing of the caller's alive.</summary>
    protected void Clear()
    {
        if (RuntimeHelpers.IsReferenceOrContainsReferences<TState>()) _state = default!;
        _invoker = default;
        _running = default;
    }

    private WorkStep Finish(out Continuation caller)
    {
        TResult result;
        try
        {
            result = _running.GetResult();
        }
        catch (Exception fault)
        {
            caller = End(fault);
            return WorkStep.Done;
        }

        caller = End(result);
        return WorkStep.Done;
    }
}
