using System.Diagnostics;

namespace Raceway.Concurrency;

/// <summary>Runs calls at once, at most a given number of them at the same time, and gives each caller its result.</summary>
/// <remarks>
/// <para>
/// <b>Threads</b>: every member by any thread. While there is a free turn a handler runs at once, on the caller's thread until it
/// returns or suspends; otherwise the call waits, and runs on the thread pool. No thread is blocked.
/// </para>
/// <para><b>Order</b>: calls that wait begin in the order in which they came; a new call may take a turn that is free before
/// them only where none of them waits.</para>
/// <para>
/// <b>Cost</b>: 0 B a call in the steady state. A synchronous handler with a free turn: two atomic operations and no lock. A lock
/// is taken where a call has to wait.
/// </para>
/// <para>
/// <b>Context</b>: a handler that runs at once has its caller's <see cref="ExecutionContext"/>, as any call; one that waited has
/// the thread pool's: the caller's does not flow. So what it needs is its state.
/// </para>
/// <para><b>Errors</b>: what a handler throws is thrown to its caller alone.</para>
/// <para>
/// <b>From within a handler</b>: calling the same executor is fine. Awaiting that call keeps a turn while waiting for another:
/// where all turns do so, none of them ends. Keep the number of turns above the depth of such calls, or await elsewhere.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// await using var executor = new ParallelExecutor(maxConcurrency: 8);
/// Page page = await executor.ExecuteAsync(url, static (url, cancellation) => Download(url, cancellation), cancellation);
/// </code>
/// </example>
[DebuggerDisplay("{ToString(),nq}")]
public sealed class ParallelExecutor : IAsyncDisposable
{
    // Turns that are free, less calls that wait; and this much less from the completion on. Calls that wait cannot be as many.
    private const int Closed = 1 << 30;
    private const int MostTurns = 1 << 20;

    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _turns;
    private int _free;

    // Under the gate: calls that wait, the oldest first, and turns given to calls that are about to wait.
    private Pooled? _oldest;
    private Pooled? _newest;
    private int _given;

    /// <summary>Creates an executor; it needs no start.</summary>
    /// <param name="maxConcurrency">Handlers that may be running or suspended at the same time: 1 to 1,048,576.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public ParallelExecutor(int maxConcurrency)
    {
        if (maxConcurrency is < 1 or > MostTurns)
        {
            throw new ArgumentOutOfRangeException(
                nameof(maxConcurrency), maxConcurrency,
                $"The number of handlers at the same time must be between 1 and {MostTurns}: maxConcurrency={maxConcurrency}. "
                + "Use the number of cores for computing, more for handlers that wait.");
        }

        _turns = _free = maxConcurrency;
    }

    /// <summary>Handlers that may be running or suspended at the same time.</summary>
    public int MaxConcurrency => _turns;

    /// <summary>Completes when <see cref="Complete"/> was called and every handler has ended.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Runs <paramref name="handler"/> with <paramref name="state"/> as soon as there is a turn.</summary>
    /// <param name="state">What the handler is given; pass what it needs here, and keep the lambda static.</param>
    /// <param name="handler">Synchronous work.</param>
    /// <param name="cancellation">Ends the call at once while it waits; once it has begun, it is ignored.</param>
    /// <returns>
    /// The handler's result, or what it threw; <see cref="OperationCanceledException"/> where it was cancelled before it began,
    /// <see cref="ExecutorStoppedException"/> after <see cref="Complete"/>. Await it once.
    /// </returns>
    /// <exception cref="ArgumentException">The result's type is a task: use the overload for async handlers.</exception>
    public ValueTask<TResult> ExecuteAsync<TState, TResult>(
        TState state, Func<TState, TResult> handler, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return Start<TState, TResult, ByValue<TState, TResult>>(in state, new(handler), cancellation);
    }

    /// <inheritdoc cref="ExecuteAsync{TState, TResult}(TState, Func{TState, TResult}, CancellationToken)"/>
    /// <remarks>The state is not copied unless the call has to wait.</remarks>
    public ValueTask<TResult> ExecuteAsync<TState, TResult>(
        in TState state, InFunc<TState, TResult> handler, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return Start<TState, TResult, ByReference<TState, TResult>>(in state, new(handler), cancellation);
    }

    /// <inheritdoc cref="ExecuteAsync{TState, TResult}(TState, Func{TState, TResult}, CancellationToken)"/>
    /// <param name="state">What the handler is given; pass what it needs here, and keep the lambda static.</param>
    /// <param name="handler">Work that may suspend; it is given <paramref name="cancellation"/>.</param>
    /// <param name="cancellation">Ends the call at once while it waits; once it has begun, the handler may look at it.</param>
    /// <remarks>While it is suspended it keeps its turn, and holds no thread.</remarks>
    public ValueTask<TResult> ExecuteAsync<TState, TResult>(
        TState state, Func<TState, CancellationToken, ValueTask<TResult>> handler, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return Start<TState, TResult, Suspending<TState, TResult>>(in state, new(handler), cancellation);
    }

    /// <summary>Takes no further calls. Those that wait are run.</summary>
    public void Complete()
    {
        int free = Volatile.Read(ref _free);
        while (!IsClosed(free))
        {
            int seen = Interlocked.CompareExchange(ref _free, free - Closed, free);
            if (seen == free)
            {
                if (free == _turns) _completion.TrySetResult();
                return;
            }

            free = seen;
        }
    }

    /// <summary><see cref="Complete"/>, and wait until every handler has ended. Not to be awaited within a handler.</summary>
    public ValueTask DisposeAsync()
    {
        Complete();
        return new ValueTask(Completion);
    }

    /// <inheritdoc/>
    public override string ToString()
    {
        int free = Volatile.Read(ref _free);
        if (Completion.IsCompleted) return "ParallelExecutor: completed";
        string state = IsClosed(free) ? "completing, " : "";
        int open = IsClosed(free) ? free + Closed : free;
        return $"ParallelExecutor: {state}{_turns - Math.Max(open, 0)} of {_turns} running, {Math.Max(-open, 0)} waiting";
    }

    /// <summary>A handler has ended, or a call that waited was cancelled: its turn goes to the call that has waited longest.</summary>
    internal void Exit()
    {
        // ORDER: full fence, pairs with the one in TakeTurn: the next one sees what this handler has done.
        int free = Interlocked.Increment(ref _free);
        bool closed = IsClosed(free);
        if (closed) free += Closed;
        if (free <= 0) HandOver();
        else if (closed && free == _turns) _completion.TrySetResult();
    }

    private static bool IsClosed(int free) => free < -Closed / 2;

    private ValueTask<TResult> Start<TState, TResult, TInvoker>(
        in TState state, TInvoker invoker, CancellationToken cancellation)
        where TInvoker : struct, IInvoker<TState, TResult>
    {
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled<TResult>(cancellation);
        int free = TakeTurn();
        if (free <= 0) return Wait<TState, TResult, TInvoker>(free, in state, invoker, cancellation);
        ValueTask<TResult> task;
        bool isCompleted;
        try
        {
            task = invoker.Invoke(in state, cancellation);
            isCompleted = task.IsCompleted;
        }
        catch (Exception fault)
        {
            Exit();
            return Refusal.Of<TResult>(fault);
        }

        if (!isCompleted) return Relay<TState, TResult, TInvoker>(task);
        Exit();
        return task;
    }

    /// <summary>Takes one; returns what there was. Not above 0: a place in the line was taken; closed: nothing was.</summary>
    private int TakeTurn()
    {
        int free = Volatile.Read(ref _free);
        while (!IsClosed(free))
        {
            // A compare-and-swap, not a fetch-and-add: a call that comes too late must leave no trace.
            int seen = Interlocked.CompareExchange(ref _free, free - 1, free);
            if (seen == free) break;
            free = seen;
        }

        return free;
    }

    private ValueTask<TResult> Relay<TState, TResult, TInvoker>(ValueTask<TResult> running)
        where TInvoker : struct, IInvoker<TState, TResult>
    {
        ParallelCall<TState, TResult, TInvoker> call = NewCall<TState, TResult, TInvoker>();
        call.Adopt(running);
        ValueTask<TResult> result = call.Task;
        call.Suspend();
        return result;
    }

    private ValueTask<TResult> Wait<TState, TResult, TInvoker>(
        int free, in TState state, TInvoker invoker, CancellationToken cancellation)
        where TInvoker : struct, IInvoker<TState, TResult>
    {
        if (IsClosed(free)) return ValueTask.FromException<TResult>(new ExecutorStoppedException());
        ParallelCall<TState, TResult, TInvoker> call = NewCall<TState, TResult, TInvoker>();
        call.Set(in state, invoker);
        call.CancelBy(cancellation);
        ValueTask<TResult> result = call.Task;
        Join(call);
        return result;
    }

    private ParallelCall<TState, TResult, TInvoker> NewCall<TState, TResult, TInvoker>()
        where TInvoker : struct, IInvoker<TState, TResult>
    {
        var call = Pool<ParallelCall<TState, TResult, TInvoker>>.Rent();
        call.Belong(this);
        return call;
    }

    /// <summary>To the end of the line; or at once, where a turn was given before it got there.</summary>
    private void Join(Pooled call)
    {
        lock (_gate)
        {
            if (_given == 0)
            {
                call.Next = null;
                if (_newest is null) _oldest = call;
                else _newest.Next = call;
                _newest = call;
                return;
            }

            _given--;
        }

        Queue(call);
    }

    private void HandOver()
    {
        Pooled? call;
        lock (_gate)
        {
            call = _oldest;
            if (call is null)
            {
                // It has taken its place in the line, and is on its way there.
                _given++;
                return;
            }

            _oldest = call.Next;
            if (_oldest is null) _newest = null;
        }

        Queue(call);
    }

    private static void Queue(Pooled call) =>
        ThreadPool.UnsafeQueueUserWorkItem((IThreadPoolWorkItem)call, preferLocal: false);
}
