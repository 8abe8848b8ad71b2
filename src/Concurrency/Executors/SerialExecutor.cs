using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Raceway.Concurrency;

/// <summary>Runs calls one at a time, in the order in which they came, and gives each caller its result.</summary>
/// <remarks>
/// <para>
/// One executor is one stream; many of them run in parallel on the thread pool. An idle one holds no thread, and takes about
/// 150 bytes: one for each account, aggregate or connection is meant.
/// </para>
/// <para>
/// <b>Threads</b>: every member by any thread. Handlers run on the thread pool, never two of one executor at once; what one has
/// written, the next one sees. After about 50 µs the executor gives its thread back and queues itself behind what waits there.
/// </para>
/// <para>
/// <b>Order</b>: that in which calls enter; the calls of one thread in the order it makes them. A handler begins after the one
/// before it has completed, however often that one suspended.
/// </para>
/// <para><b>Cost</b>: 0 B a call in the steady state, with results taken; the nodes of calls are pooled, and come back when the
/// result is taken. A value task must be awaited once; a second await throws <see cref="InvalidOperationException"/>.</para>
/// <para>
/// <b>Context</b>: the caller's <see cref="ExecutionContext"/> does not flow to the handler (no async locals, no activity):
/// what it needs is its state. Callers go on in their own context, as with any await.
/// </para>
/// <para>
/// <b>Errors</b>: what a handler throws is thrown to its caller alone; the executor goes on with the next call.
/// </para>
/// <para>
/// <b>From within a handler</b>: calling the same executor is fine, awaiting that call within the handler is not: it
/// waits for its own end, and so does everything behind it. Await it elsewhere, or give the call a token that ends it. A handler
/// that never returns has the same effect: calls behind it wait until their tokens are signalled.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// await using var account = new SerialExecutor();
/// decimal balance = await account.ExecuteAsync((ledger, amount), static state => state.ledger.Add(state.amount));
/// </code>
/// </example>
[DebuggerDisplay("{ToString(),nq}")]
public sealed class SerialExecutor : IAsyncDisposable
{
    private readonly SerialExecutorOptions _options;
    private readonly SerialQueue _queue;
    private readonly Room? _room;
    private readonly bool _isDirect;

    /// <summary>Creates an executor; it needs no start.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is below 1.</exception>
    public SerialExecutor(SerialExecutorOptions? options = null)
    {
        _options = options ?? new SerialExecutorOptions();
        if (_options.Capacity < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), _options.Capacity,
                $"An executor's capacity must be at least 1: capacity={_options.Capacity}. Leave it out for no bound.");
        }

        if (_options.Capacity != int.MaxValue) _room = new Room(_options.Capacity);
        _isDirect = _options.RunDirectlyWhenIdle;
        _queue = new SerialQueue(_room, _options.AllowSynchronousContinuations);
    }

    /// <summary>Completes when <see cref="Complete"/> was called and every handler has ended.</summary>
    public Task Completion => _queue.Completion;

    /// <summary>Runs <paramref name="handler"/> with <paramref name="state"/> when all calls before have ended.</summary>
    /// <param name="state">What the handler is given; pass what it needs here, and keep the lambda static.</param>
    /// <param name="handler">Synchronous work.</param>
    /// <param name="cancellation">Ends the call at once while it waits; once it has begun, it is ignored.</param>
    /// <returns>
    /// The handler's result, or what it threw; <see cref="OperationCanceledException"/> where it was cancelled before it began,
    /// <see cref="ExecutorStoppedException"/> after <see cref="Complete"/>, <see cref="ExecutorFullException"/> where a bounded
    /// executor is full. Await it once.
    /// </returns>
    /// <exception cref="ArgumentException">The result's type is a task: use the overload for async handlers.</exception>
    public ValueTask<TResult> ExecuteAsync<TState, TResult>(
        TState state, Func<TState, TResult> handler, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return Execute<TState, TResult, ByValue<TState, TResult>>(in state, new(handler), cancellation);
    }

    /// <inheritdoc cref="ExecuteAsync{TState, TResult}(TState, Func{TState, TResult}, CancellationToken)"/>
    /// <remarks>The state is copied once, into the executor; the handler is given a reference to that.</remarks>
    public ValueTask<TResult> ExecuteAsync<TState, TResult>(
        in TState state, InFunc<TState, TResult> handler, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return Execute<TState, TResult, ByReference<TState, TResult>>(in state, new(handler), cancellation);
    }

    /// <inheritdoc cref="ExecuteAsync{TState, TResult}(TState, Func{TState, TResult}, CancellationToken)"/>
    /// <param name="state">What the handler is given; pass what it needs here, and keep the lambda static.</param>
    /// <param name="handler">Work that may suspend; it is given <paramref name="cancellation"/>.</param>
    /// <param name="cancellation">Ends the call at once while it waits; once it has begun, the handler may look at it.</param>
    /// <remarks>While it is suspended, no thread is held, and no other handler of this executor runs.</remarks>
    public ValueTask<TResult> ExecuteAsync<TState, TResult>(
        TState state, Func<TState, CancellationToken, ValueTask<TResult>> handler, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return Execute<TState, TResult, Suspending<TState, TResult>>(in state, new(handler), cancellation);
    }

    /// <summary>Runs <paramref name="handler"/> with each of many states, one after another, as one call.</summary>
    /// <param name="states">One for each run; copied before this returns.</param>
    /// <param name="results">Where the results go, each at its state's index; not to be read until the call has ended.</param>
    /// <param name="handler">Synchronous work.</param>
    /// <param name="cancellation">Ends the call at once while it waits, and between two runs later.</param>
    /// <returns>
    /// Completes after the last run. What a run throws ends the call: the runs after it do not take place, the results before
    /// it stand. Otherwise as a single call; it counts as one against the capacity, and never runs directly.
    /// </returns>
    /// <exception cref="ArgumentException">There are fewer places for results than states.</exception>
    public ValueTask ExecuteManyAsync<TState, TResult>(
        ReadOnlySpan<TState> states, Memory<TResult> results, Func<TState, TResult> handler,
        CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return ExecuteMany<TState, TResult, ByValue<TState, TResult>>(states, results, new(handler), cancellation);
    }

    /// <inheritdoc
    /// cref="ExecuteManyAsync{TState, TResult}(ReadOnlySpan{TState}, Memory{TResult}, Func{TState, TResult}, CancellationToken)"/>
    /// <remarks>The states are copied once, into the executor; the handler is given references to those.</remarks>
    public ValueTask ExecuteManyAsync<TState, TResult>(
        ReadOnlySpan<TState> states, Memory<TResult> results, InFunc<TState, TResult> handler,
        CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return ExecuteMany<TState, TResult, ByReference<TState, TResult>>(states, results, new(handler), cancellation);
    }

    /// <inheritdoc
    /// cref="ExecuteManyAsync{TState, TResult}(ReadOnlySpan{TState}, Memory{TResult}, Func{TState, TResult}, CancellationToken)"/>
    public ValueTask ExecuteManyAsync<TState, TResult>(
        ReadOnlySpan<TState> states, Memory<TResult> results, Func<TState, CancellationToken, ValueTask<TResult>> handler,
        CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return ExecuteMany<TState, TResult, Suspending<TState, TResult>>(states, results, new(handler), cancellation);
    }

    /// <summary>Makes the call only where it is taken now.</summary>
    /// <param name="state">What the handler is given.</param>
    /// <param name="handler">Synchronous work.</param>
    /// <param name="result">What <c>ExecuteAsync</c> would have returned.</param>
    /// <param name="cancellation">Ends the call at once while it waits.</param>
    /// <returns>False where a bounded executor is full, or <see cref="Complete"/> was called.</returns>
    public bool TryExecute<TState, TResult>(
        TState state, Func<TState, TResult> handler, out ValueTask<TResult> result, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return TryStart<TState, TResult, ByValue<TState, TResult>>(in state, new(handler), cancellation, out result);
    }

    /// <inheritdoc cref="TryExecute{TState, TResult}(TState, Func{TState, TResult}, out ValueTask{TResult}, CancellationToken)"/>
    public bool TryExecute<TState, TResult>(
        in TState state, InFunc<TState, TResult> handler, out ValueTask<TResult> result, CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return TryStart<TState, TResult, ByReference<TState, TResult>>(in state, new(handler), cancellation, out result);
    }

    /// <inheritdoc cref="TryExecute{TState, TResult}(TState, Func{TState, TResult}, out ValueTask{TResult}, CancellationToken)"/>
    public bool TryExecute<TState, TResult>(
        TState state, Func<TState, CancellationToken, ValueTask<TResult>> handler, out ValueTask<TResult> result,
        CancellationToken cancellation = default)
    {
        Refusal.Check<TResult>(handler);
        return TryStart<TState, TResult, Suspending<TState, TResult>>(in state, new(handler), cancellation, out result);
    }

    /// <summary>Waits until a bounded executor has room: then <c>TryExecute</c> is worth another try.</summary>
    /// <returns>
    /// True when there is room, which another caller may take first; false when no call is taken any more. Always at once
    /// without a bound.
    /// </returns>
    public ValueTask<bool> WaitForRoomAsync(CancellationToken cancellation = default) =>
        _room?.Wait(cancellation) ?? new ValueTask<bool>(!_queue.IsClosing);

    /// <summary>Takes no further calls. Those that wait are run.</summary>
    public void Complete()
    {
        _queue.Close();
        _room?.Close();
    }

    /// <summary><see cref="Complete"/>, and wait until every handler has ended. Not to be awaited within a handler.</summary>
    public ValueTask DisposeAsync()
    {
        Complete();
        return new ValueTask(Completion);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        $"SerialExecutor: {(Completion.IsCompleted ? "completed" : _queue.IsClosing ? "completing" : _queue.IsIdle ? "idle" : "busy")}";

    private ValueTask<TResult> Execute<TState, TResult, TInvoker>(
        in TState state, TInvoker invoker, CancellationToken cancellation)
        where TInvoker : struct, IInvoker<TState, TResult> =>
        TryStart<TState, TResult, TInvoker>(in state, invoker, cancellation, out ValueTask<TResult> result)
            ? result
            : ValueTask.FromException<TResult>(WhyNot());

    private bool TryStart<TState, TResult, TInvoker>(
        in TState state, TInvoker invoker, CancellationToken cancellation, out ValueTask<TResult> result)
        where TInvoker : struct, IInvoker<TState, TResult>
    {
        result = default;
        if (_queue.IsClosing) return false;
        if (cancellation.IsCancellationRequested)
        {
            result = ValueTask.FromCanceled<TResult>(cancellation);
            return true;
        }

        if (_isDirect && _queue.TryEnter())
        {
            result = RunHere<TState, TResult, TInvoker>(in state, invoker, cancellation);
            return true;
        }

        if (_room is not null && !_room.TryTake()) return false;
        var call = Pool<SingleCall<TState, TResult, TInvoker>>.Rent();
        call.Set(in state, invoker);
        call.CancelBy(cancellation);
        // Before it is posted: it may have ended, and serve another call, when that returns.
        result = call.Task;
        if (_queue.TryPost(call)) return true;
        call.Withdraw();
        return false;
    }

    private ValueTask<TResult> RunHere<TState, TResult, TInvoker>(
        in TState state, TInvoker invoker, CancellationToken cancellation)
        where TInvoker : struct, IInvoker<TState, TResult>
    {
        ValueTask<TResult> task;
        bool isCompleted;
        try
        {
            task = invoker.Invoke(in state, cancellation);
            isCompleted = task.IsCompleted;
        }
        catch (Exception fault)
        {
            _queue.Leave();
            return Refusal.Of<TResult>(fault);
        }

        if (isCompleted)
        {
            _queue.Leave();
            return task;
        }

        var call = Pool<SingleCall<TState, TResult, TInvoker>>.Rent();
        call.Adopt(task);
        ValueTask<TResult> result = call.Task;
        _queue.Suspend(call);
        return result;
    }

    private ValueTask ExecuteMany<TState, TResult, TInvoker>(
        ReadOnlySpan<TState> states, Memory<TResult> results, TInvoker invoker, CancellationToken cancellation)
        where TInvoker : struct, IInvoker<TState, TResult>
    {
        Refusal.CheckResults(states.Length, results.Length);
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled(cancellation);
        if (_queue.IsClosing || (_room is not null && !_room.TryTake())) return ValueTask.FromException(WhyNot());
        var call = Pool<ManyCall<TState, TResult, TInvoker>>.Rent();
        call.Set(states, results, invoker);
        call.CancelBy(cancellation);
        ValueTask result = call.TaskWithoutResult;
        if (_queue.TryPost(call)) return result;
        call.Withdraw();
        return ValueTask.FromException(WhyNot());
    }

    private InvalidOperationException WhyNot() =>
        _queue.IsClosing ? new ExecutorStoppedException() : new ExecutorFullException(_options.Capacity);
}
