using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Raceway.Pipelines;

/// <summary>
/// The end of one operation, to be awaited once as <see cref="ValueTask{TResult}"/> or <see cref="ValueTask"/>; then it
/// serves the next operation. What a thing needs beside it (a state, a count, children) it adds by deriving.
/// </summary>
/// <remarks>
/// <para>
/// <b>Life</b>: rented (<see cref="Pool{T}.Rent"/>) by who starts the operation, completed once by who ends it
/// (<see cref="SetResult"/>, <see cref="SetException"/>), and given back in <c>GetResult</c>, on the caller's side, when
/// nobody needs it any more: the result is with the caller, and who completed it does not touch it afterwards. There the
/// version goes up, so that a second or late await is told instead of seeing somebody else's result. (The version has 16
/// bits: one that comes exactly 65,536 operations late is not noticed; nor are two threads that await one value task at
/// the same moment. Both are forbidden by <see cref="ValueTask"/>'s own rules.)
/// </para>
/// <para>
/// <b>One that is never awaited</b> is not given back: the garbage collector has it. Nothing leaks, the pool makes another.
/// </para>
/// <para><b>Threads</b>: one completes, one awaits; they need not be ordered.</para>
/// <para><b>Context</b>: as any value task's: the awaiter says whether to go on in its synchronization context.</para>
/// </remarks>
/// <typeparam name="TResult">What the operation results in.</typeparam>
internal abstract class PooledCompletion<TResult> : Pooled, IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core; // mutable struct: never readonly
    private bool _awaited;

    /// <summary>What the caller awaits, once.</summary>
    protected internal ValueTask<TResult> Task => new(this, _core.Version);

    /// <summary>The same, where there is no result to speak of.</summary>
    protected internal ValueTask TaskWithoutResult => new(this, _core.Version);

    /// <summary>
    /// True where the caller goes on by a work item of the thread pool, false where it goes on inside of
    /// <see cref="SetResult"/>. Chosen for each use, before it is completed. Default false.
    /// </summary>
    protected internal bool RunContinuationsAsynchronously
    {
        get => _core.RunContinuationsAsynchronously;
        set => _core.RunContinuationsAsynchronously = value;
    }

    /// <summary>Ends the operation. From here on it belongs to the caller: who completed it must not touch it again.</summary>
    protected internal void SetResult(TResult result) => _core.SetResult(result);

    /// <summary>Ends the operation with what the caller is to be thrown.</summary>
    protected internal void SetException(Exception exception) => _core.SetException(exception);

    /// <summary>
    /// Clears what has been added and gives it back to its pool; called once an operation, by who got the result.
    /// </summary>
    protected abstract void Release();

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token)
    {
        Check(token);
        return _core.GetStatus(token);
    }

    /// <inheritdoc/>
    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        Check(token);
        if (_awaited) CompletionMisuse.ThrowAwaitedTwice();
        _awaited = true;
        _core.OnCompleted(continuation, state, token, flags);
    }

    /// <inheritdoc/>
    public TResult GetResult(short token)
    {
        Check(token);
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending) CompletionMisuse.ThrowNotCompleted();
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            // Before it is given back: the next one must find it fresh.
            _awaited = false;
            _core.Reset();
            Release();
        }
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Check(short token)
    {
        if (token != _core.Version) CompletionMisuse.ThrowAwaitedTwice();
    }
}
