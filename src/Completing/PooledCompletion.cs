using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks.Sources;

namespace Raceway.Completing;

/// <summary>
/// The end of one operation, to be awaited once as <see cref="ValueTask{TResult}"/> or <see cref="ValueTask"/>; then it
/// serves the next operation. What a thing needs beside it (a state, a count, children) it adds by deriving.
/// </summary>
/// <remarks>
/// <para>
/// <b>Life</b>: rented (<see cref="Pool{T}.Rent"/>) by the code that starts the operation, completed once by the code that ends it
/// (<see cref="SetResult"/>, <see cref="SetException"/>), and given back in <c>GetResult</c>, on the caller's side, when
/// it is not needed any more: the result is with the caller, and the code that completed it does not touch it afterwards. There the
/// version goes up, so that a second or late await is told instead of seeing the result of another operation. (The version has 16
/// bits: one that comes exactly 65,536 operations late is not noticed; nor are two threads that await one value task at
/// the same moment. Both are forbidden by <see cref="ValueTask"/>'s own rules.)
/// </para>
/// <para>
/// <b>One that is never awaited</b> is not given back: the garbage collector has it. Nothing leaks, the pool makes another.
/// </para>
/// <para>
/// Not the runtime's <see cref="ManualResetValueTaskSourceCore{TResult}"/>, which runs or queues the awaiter in the moment it
/// completes. Here the code that completes may take the awaiter (<see cref="Publish(TResult)"/>), let go of what it holds, and then run it as
/// the last thing it does. That saves a hop, and no thread waits for the awaiter.
/// </para>
/// <para><b>Threads</b>: one completes, one awaits; they need not be ordered.</para>
/// <para><b>Context</b>: as any value task's: the awaiter says whether to go on in its synchronization context.</para>
/// </remarks>
/// <typeparam name="TResult">What the operation results in.</typeparam>
internal abstract class PooledCompletion<TResult> : Pooled, IValueTaskSource<TResult>, IValueTaskSource
{
    private const int Pending = 0;
    private const int Awaited = 1;
    private const int Ended = 2;

    private TResult _result = default!;
    private ExceptionDispatchInfo? _fault;
    private Action<object?>? _continuation;
    private object? _state;
    private int _stage;
    private short _version;

    /// <summary>What the caller awaits, once.</summary>
    protected internal ValueTask<TResult> Task => new(this, _version);

    /// <summary>The same, where there is no result to speak of.</summary>
    protected internal ValueTask TaskWithoutResult => new(this, _version);

    /// <summary>
    /// True where the caller goes on by a work item of the thread pool, false where it goes on inside of
    /// <see cref="SetResult"/>. Chosen before it is completed; the next use has what this one chose. Default false.
    /// </summary>
    protected internal bool RunContinuationsAsynchronously { get; set; }

    /// <summary>Ends the operation. From here on it belongs to the caller: the code that completed it must not touch it again.</summary>
    protected internal void SetResult(TResult result)
    {
        bool hops = RunContinuationsAsynchronously;
        GoOn(Publish(result), hops);
    }

    /// <summary>Ends the operation with what the caller is to be thrown.</summary>
    protected internal void SetException(Exception exception)
    {
        bool hops = RunContinuationsAsynchronously;
        GoOn(Publish(exception), hops);
    }

    /// <summary>Ends the operation, and leaves it to the caller of this method to let the awaiter go on.</summary>
    protected internal Continuation Publish(TResult result)
    {
        _result = result;
        return End();
    }

    /// <inheritdoc cref="Publish(TResult)"/>
    protected internal Continuation Publish(Exception exception)
    {
        _fault = ExceptionDispatchInfo.Capture(exception);
        return End();
    }

    /// <summary>
    /// Clears what has been added and gives it back to its pool; called once per operation, by the code that got the result.
    /// </summary>
    protected abstract void Release();

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token)
    {
        // Over, and not well: the result throws. An exception from here would end the process as well, as AsTask looks at the
        // status on a thread of the pool, before it has a task to put one into.
        if (token != _version) return ValueTaskSourceStatus.Faulted;
        if (!HasEnded) return ValueTaskSourceStatus.Pending;
        // Read once: a thread that awaits the same value task takes it away meanwhile.
        ExceptionDispatchInfo? fault = Volatile.Read(ref _fault);
        return fault is null ? ValueTaskSourceStatus.Succeeded
            : fault.SourceException is OperationCanceledException ? ValueTaskSourceStatus.Canceled
            : ValueTaskSourceStatus.Faulted;
    }

    /// <inheritdoc/>
    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        if (flags != ValueTaskSourceOnCompletedFlags.None) (continuation, state) = Placed(continuation, state, flags);
        int seen = Volatile.Read(ref _stage);
        if (seen == Pending && token == _version)
        {
            _continuation = continuation;
            _state = state;
            // ORDER: full fence, pairs with the one in End: it finds the awaiter, or the end is seen here.
            seen = Interlocked.CompareExchange(ref _stage, Awaited, Pending);
            if (seen == Pending) return;
        }

        // A second awaiter goes on as well, and its GetResult throws. An exception from here would end the process: an async
        // method that awaits hands it to no task. Queued, as an awaiter must not run before its registration returns.
        new Continuation(continuation, state).Queue();
    }

    /// <inheritdoc/>
    public TResult GetResult(short token)
    {
        Check(token);
        if (!HasEnded) CompletionMisuse.ThrowNotCompleted(isAwaited: Volatile.Read(ref _stage) == Awaited);
        TResult result = _result;
        ExceptionDispatchInfo? fault = _fault;
        // Before it is given back: the next one must find it fresh.
        _version++;
        _stage = Pending;
        _continuation = null;
        _state = null;
        _fault = null;
        if (RuntimeHelpers.IsReferenceOrContainsReferences<TResult>()) _result = default!;
        Release();
        fault?.Throw();
        return result;
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    // ORDER: acquire, pairs with the release in End: a thread that sees the end sees the result.
    private bool HasEnded => Volatile.Read(ref _stage) == Ended;

    private Continuation End()
    {
        // ORDER: acquire or full fence, pairs with OnCompleted: the awaiter was written before the stage. And release, pairs with
        // HasEnded: the result is there before the end.
        if (Volatile.Read(ref _stage) == Pending && Interlocked.CompareExchange(ref _stage, Ended, Pending) == Pending) return default;
        var awaiter = new Continuation(_continuation, _state);
        // ORDER: release, as above. No other thread writes it any more: there is one awaiter.
        Volatile.Write(ref _stage, Ended);
        return awaiter;
    }

    private static void GoOn(Continuation awaiter, bool hops)
    {
        if (hops) awaiter.Queue();
        else awaiter.Run();
    }

    private static (Action<object?> Continuation, object? State) Placed(
        Action<object?> continuation, object? state, ValueTaskSourceOnCompletedFlags flags)
    {
        // Not HasFlag: until it is compiled for good it allocates.
        object? place = (flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) != 0 ? Elsewhere.Place() : null;
        ExecutionContext? context =
            (flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0 ? ExecutionContext.Capture() : null;
        return place is null && context is null
            ? (continuation, state)
            : (Elsewhere.Go, new Elsewhere(continuation, state, place, context));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Check(short token)
    {
        if (token != _version) CompletionMisuse.ThrowAwaitedTwice();
    }
}
