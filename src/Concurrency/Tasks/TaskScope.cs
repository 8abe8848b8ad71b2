namespace Raceway.Concurrency;

/// <summary>A structured scope of concurrent work: fork children, join them all; nothing outlives it.</summary>
/// <remarks>
/// <para>
/// <b>Failure</b>: the first child that throws cancels <see cref="Token"/> for the rest; what has been spawned and not begun
/// is left out; when all have ended, <see cref="JoinAsync"/> throws that failure as it is, and what others threw is kept with
/// it (<see cref="SuppressedFailures"/>). A spawned child's failure is noticed at once. Tasks that were added are watched from
/// the join on, which costs a good deal less; <see cref="RentFailFast"/> watches each from the moment it is added.
/// <b>Cancellation</b> by the caller does the same and throws <see cref="OperationCanceledException"/>, unless all children
/// had succeeded by then.
/// </para>
/// <para>
/// <b>Leaving without a join</b> (by an exception, say) cancels the children and waits for them; their failures are dropped,
/// as what made the body leave is on its way already. So no child runs on when the scope has been disposed of.
/// </para>
/// <para>
/// <b>Nesting</b>: <c>TaskScope.Rent(outer.Token)</c> in a child; what cancels the outer scope cancels the inner one.
/// </para>
/// <para>
/// <b>Threads</b>: forking and joining is the body's business, one call at a time; a child that wants children opens a scope
/// of its own. <see cref="Token"/> may be read by all. After the join the body goes on where the last child ended.
/// <b>Cost</b>: the scope and what it keeps for each child are pooled: nothing is allocated for a child, and nothing for the
/// scope, but one cancellation source where its token is asked for or work is spawned. Its context is the caller's
/// (<see cref="ExecutionContext"/>).
/// </para>
/// <para>
/// The value is a handle; a copy means the same scope. Once disposed of, every member throws
/// <see cref="ObjectDisposedException"/>: another caller may have the scope by then.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// await using var scope = TaskScope.Rent(cancellation);
/// ScopeResult&lt;Order> order = scope.Add(LoadOrderAsync(1, scope.Token));
/// ScopeResult&lt;decimal> discount = scope.Spawn(customer, static (customer, token) => Discount(customer, token));
/// await scope.JoinAsync();
/// Console.WriteLine(order.Value.Price - discount.Value);
/// </code>
/// </example>
public readonly struct TaskScope : IAsyncDisposable, IEquatable<TaskScope>
{
    private readonly ScopeCore? _core;
    private readonly long _version;

    private TaskScope(ScopeCore core)
    {
        _core = core;
        _version = core.Version;
    }

    /// <summary>Opens a scope; dispose of it with <c>await using</c>.</summary>
    /// <param name="cancellation">Cancels all children.</param>
    public static TaskScope Rent(CancellationToken cancellation = default) => new(ScopeCore.Rent(false, cancellation));

    /// <summary>Opens a scope that watches tasks from the moment they are added, not from the join on.</summary>
    /// <param name="cancellation">Cancels all children.</param>
    public static TaskScope RentFailFast(CancellationToken cancellation = default) => new(ScopeCore.Rent(true, cancellation));

    /// <summary>Cancelled by the first failure, by the caller, or by leaving without a join.</summary>
    public CancellationToken Token => Core.Token;

    /// <summary>Makes a task that runs already a child.</summary>
    public void Add(Task child)
    {
        ArgumentNullException.ThrowIfNull(child);
        Core.Add(new ValueTask(child));
    }

    /// <summary>Makes a task that runs already a child.</summary>
    /// <returns>Where the result is found after the join, until the scope is disposed of.</returns>
    public ScopeResult<TResult> Add<TResult>(Task<TResult> child)
    {
        ArgumentNullException.ThrowIfNull(child);
        ScopeCore core = Core;
        core.Add(new ValueTask(child));
        return new ScopeResult<TResult>(core, child);
    }

    /// <summary>Makes what runs already a child; it must not be awaited elsewhere.</summary>
    public void Add(ValueTask child) => Core.Add(child);

    /// <summary>Makes what runs already a child; it must not be awaited elsewhere.</summary>
    /// <returns>Where the result is found after the join, until the scope is disposed of.</returns>
    public ScopeResult<TResult> Add<TResult>(ValueTask<TResult> child) => Add(child.AsTask());

    /// <summary>Runs work on the thread pool as a child; the work item is pooled.</summary>
    /// <param name="state">Given to the work, so that it needs no closure.</param>
    /// <param name="work">Best a static method or lambda.</param>
    public void Spawn<TState>(TState state, Action<TState, CancellationToken> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        ScopeCore core = Core;
        ScopeAction<TState> child = core.Take<ScopeAction<TState>>();
        child.Set(state, work);
        core.Start(child);
    }

    /// <summary>Runs work with a result on the thread pool as a child; the work item is pooled.</summary>
    /// <param name="state">Given to the work, so that it needs no closure.</param>
    /// <param name="work">Best a static method or lambda.</param>
    /// <returns>Where the result is found after the join, until the scope is disposed of.</returns>
    public ScopeResult<TResult> Spawn<TState, TResult>(TState state, Func<TState, CancellationToken, TResult> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        ScopeCore core = Core;
        ScopeFunction<TState, TResult> child = core.Take<ScopeFunction<TState, TResult>>();
        child.Set(state, work);
        core.Start(child);
        return new ScopeResult<TResult>(core, child);
    }

    /// <summary>Runs asynchronous work as a child, its first part on the thread pool; the work item is pooled.</summary>
    /// <param name="state">Given to the work, so that it needs no closure.</param>
    /// <param name="work">Best a static method or lambda.</param>
    public void SpawnAsync<TState>(TState state, Func<TState, CancellationToken, ValueTask> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        ScopeCore core = Core;
        ScopeAsyncAction<TState> child = core.Take<ScopeAsyncAction<TState>>();
        child.Set(state, work);
        core.Start(child);
    }

    /// <summary>Runs asynchronous work with a result as a child, its first part on the thread pool.</summary>
    /// <param name="state">Given to the work, so that it needs no closure.</param>
    /// <param name="work">Best a static method or lambda.</param>
    /// <returns>Where the result is found after the join, until the scope is disposed of.</returns>
    public ScopeResult<TResult> SpawnAsync<TState, TResult>(
        TState state, Func<TState, CancellationToken, ValueTask<TResult>> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        ScopeCore core = Core;
        ScopeAsyncFunction<TState, TResult> child = core.Take<ScopeAsyncFunction<TState, TResult>>();
        child.Set(state, work);
        core.Start(child);
        return new ScopeResult<TResult>(core, child);
    }

    /// <summary>Completes when all children have ended, and throws the first failure. Once for each scope.</summary>
    public ValueTask JoinAsync() => Core.JoinAsync();

    /// <summary>
    /// Gives the scope back. Where it has not been joined, cancels the children and waits for them. A second call does nothing.
    /// </summary>
    public ValueTask DisposeAsync() => _core?.LeaveAsync(_version) ?? default;

    private ScopeCore Core =>
        _core is { } core && core.Version == _version ? core : throw TaskMisuse.ScopeOver();

    /// <inheritdoc/>
    public bool Equals(TaskScope other) => ReferenceEquals(_core, other._core) && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is TaskScope other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_core, _version);

    /// <summary>Whether both are the same scope.</summary>
    public static bool operator ==(TaskScope left, TaskScope right) => left.Equals(right);

    /// <summary>Whether they are different scopes.</summary>
    public static bool operator !=(TaskScope left, TaskScope right) => !left.Equals(right);
}
