using System.Buffers;
using System.Runtime.CompilerServices;

namespace Raceway.Concurrency;

/// <summary>Calls of one handler with many states, one after another, and one completion for all.</summary>
internal sealed class ManyCall<TState, TResult, TInvoker> : Call<bool>, IWork
    where TInvoker : struct, IInvoker<TState, TResult>
{
    private TState[] _states = [];
    private int _count;
    private Memory<TResult> _results;
    private TInvoker _invoker;
    private ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter _running;
    private int _next;
    private bool _suspended;
    private bool _begun;

    /// <summary>Gives it what it is to do. The one copy of the states that an executor makes.</summary>
    public void Set(ReadOnlySpan<TState> states, Memory<TResult> results, TInvoker invoker)
    {
        _states = ArrayPool<TState>.Shared.Rent(states.Length);
        _count = states.Length;
        states.CopyTo(_states);
        _results = results;
        _invoker = invoker;
    }

    /// <inheritdoc/>
    public WorkStep Step(ref Slice slice, out Continuation caller)
    {
        caller = default;
        if (!_begun)
        {
            if (!TryBegin()) return WorkStep.Skipped;
            _begun = true;
        }

        WorkStep step;
        try
        {
            step = Go(ref slice);
        }
        catch (Exception fault)
        {
            caller = Publish(fault);
            return WorkStep.Done;
        }

        if (step == WorkStep.Done) caller = Publish(true);
        return step;
    }

    /// <inheritdoc/>
    public void WhenReady(Action resume) => Suspension.WhenReady(ref _running, resume);

    /// <inheritdoc/>
    protected override void Recycle()
    {
        ArrayPool<TState>.Shared.Return(_states, RuntimeHelpers.IsReferenceOrContainsReferences<TState>());
        _states = [];
        _results = default;
        _invoker = default;
        _running = default;
        _next = 0;
        _begun = false;
        _suspended = false;
        Pool<ManyCall<TState, TResult, TInvoker>>.Return(this);
    }

    private WorkStep Go(ref Slice slice)
    {
        ReadOnlySpan<TState> states = _states.AsSpan(0, _count);
        Span<TResult> results = _results.Span;
        int next = _next;
        if (_suspended)
        {
            _suspended = false;
            results[next++] = _running.GetResult();
        }

        TInvoker invoker = _invoker;
        CancellationToken cancellation = Cancellation;
        while (next < states.Length)
        {
            int run = slice.Take(states.Length - next);
            if (run == 0)
            {
                _next = next;
                return WorkStep.Unfinished;
            }

            for (int end = next + run; next < end; next++)
            {
                cancellation.ThrowIfCancellationRequested();
                ValueTask<TResult> task = invoker.Invoke(in states[next], cancellation);
                if (!task.IsCompletedSuccessfully)
                {
                    _next = next;
                    _running = task.ConfigureAwait(false).GetAwaiter();
                    _suspended = true;
                    return WorkStep.Suspended;
                }

                results[next] = task.Result;
            }
        }

        return WorkStep.Done;
    }
}
