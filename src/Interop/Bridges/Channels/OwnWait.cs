using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Raceway.Interop;

/// <summary>A wait made of others, of one side of a bridge: one at a time, and the same object every time.</summary>
/// <remarks>
/// By hand: a pooled async method leaves its state on the thread that ends it. A task that waits for items and for room in turns
/// finds neither where it goes on, and so would allocate both again and again.
/// </remarks>
internal abstract class OwnWait : IValueTaskSource<bool>, IValueTaskSource
{
    private readonly Action _onCompleted;
    private ManualResetValueTaskSourceCore<bool> _core;
    private ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _awaited;
    private int _waits;

    protected OwnWait() => _onCompleted = OnCompleted;

    bool IValueTaskSource<bool>.GetResult(short token) => _core.GetResult(token);

    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    /// <summary>Begins with <paramref name="first"/>; the token of the task.</summary>
    /// <exception cref="InvalidOperationException">It waits already, for another user.</exception>
    protected short Begin(ValueTask first)
    {
        if (Interlocked.Exchange(ref _waits, 1) != 0) throw BridgeErrors.SecondUser();
        _core.Reset();
        Await(first);
        return _core.Version;
    }

    /// <summary>After what has been awaited: whether that was all.</summary>
    /// <param name="result">Where it was, what the task gives.</param>
    /// <param name="next">Where not, what to await next.</param>
    protected abstract bool IsOver(out bool result, out ValueTask next);

    /// <summary>What the task throws where one of those awaited has thrown.</summary>
    protected virtual Exception ErrorOf(Exception error) => error;

    private void OnCompleted()
    {
        if (GoesOn(out ValueTask next)) Await(next);
    }

    private void Await(ValueTask next)
    {
        do
        {
            _awaited = next.ConfigureAwait(false).GetAwaiter();
            if (!_awaited.IsCompleted)
            {
                // Nothing is touched after this: the thread that ends the wait may be at the next one by now.
                _awaited.UnsafeOnCompleted(_onCompleted);
                return;
            }
        }
        while (GoesOn(out next));
    }

    private bool GoesOn(out ValueTask next)
    {
        bool result;
        try
        {
            _awaited.GetResult();
            if (!IsOver(out result, out next)) return true;
        }
        catch (Exception error)
        {
            next = default;
            Volatile.Write(ref _waits, 0);
            _core.SetException(ErrorOf(error));
            return false;
        }

        Volatile.Write(ref _waits, 0);
        _core.SetResult(result);
        return false;
    }
}
