namespace Raceway.Concurrency;

/// <summary>What a <see cref="TaskScope"/> is a handle of: its children, their countdown, and the join's completion.</summary>
/// <remarks>
/// <para>
/// <b>Countdown</b>: every child that ends takes one off <see cref="_left"/>, and the join adds the number of children. So
/// forking costs no atomic operation, the word is below zero until the join, and zero is reached once: by the join where all
/// had ended, otherwise by the last child, which completes it.
/// </para>
/// <para>
/// <b>Tasks</b> that are added lie in an array until the join. To watch a task costs a continuation, with an atomic
/// operation on the task's line, while another core may be completing it; at the join many have ended, and those are only
/// looked at. What is watched has a watcher of its own, as it must be known at once which one has failed.
/// </para>
/// <para>
/// <b>Spawned</b> children are the pool's work items themselves. They are kept by their number, not in a pool of a type: the
/// n-th child of the next scope is mostly of the same type, and is used again where it is.
/// </para>
/// </remarks>
internal sealed class ScopeCore : PooledCompletion<bool>
{
    // What a scope with more children has needed is left to the collector.
    private const int MostKept = 16_384;
    private const int LeastKept = 16;

    private readonly Lock _gate = new();
    private readonly Failures _failures = new();
    private ValueTask[] _running = [];
    private ScopeWatcher?[] _watchers = [];
    private ScopeWork?[] _works = [];
    private CancellationTokenSource? _stop;
    private CancellationToken _caller;
    private State _state;
    private bool _failFast;
    private bool _cutShort;
    private bool _isForking;
    private long _word; // twice the version, and one more while it is left: one word, so that only one call leaves a scope
    private ValueTask _joined;
    private int _runningCount;
    private int _watched;
    private int _spawned;
    private PaddedLong _left;

    private enum State
    {
        Open,
        Joining,
        Joined,
    }

    /// <summary>Goes up when the scope is given back: handles of another version are over.</summary>
    public long Version => Volatile.Read(ref _word) >> 1;

    private bool IsLeaving => (Volatile.Read(ref _word) & 1) != 0;

    /// <summary>Whether all children have ended and the body knows it.</summary>
    public bool IsJoined => _state == State.Joined;

    public static ScopeCore Rent(bool failFast, CancellationToken cancellation)
    {
        ScopeCore core = Pool<ScopeCore>.Rent();
        core._caller = cancellation;
        core._failFast = failFast;
        core._state = State.Open;
        if (cancellation.CanBeCanceled) core._stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        return core;
    }

    public CancellationToken Token => (_stop ?? CreateStop()).Token;

    /// <summary>No further child may begin.</summary>
    public bool IsStopped => _stop is { IsCancellationRequested: true };

    public void Add(ValueTask child)
    {
        BeginFork();
        try
        {
            Keep(child);
        }
        finally
        {
            // Also where the child is a value task that was awaited before: that throws, and is no child.
            _isForking = false;
        }
    }

    private void Keep(ValueTask child)
    {
        // It has completed, and has no source that waits for its result.
        if (child == default) return;
        if (child.IsCompletedSuccessfully)
        {
            child.GetAwaiter().GetResult();
        }
        else if (_failFast)
        {
            Watch(child);
        }
        else
        {
            if (_runningCount == _running.Length) Array.Resize(ref _running, Math.Max(LeastKept, 2 * _runningCount));
            _running[_runningCount++] = child;
        }
    }

    /// <summary>A work item for the next child.</summary>
    public TWork Take<TWork>()
        where TWork : ScopeWork, new()
    {
        BeginFork();
        if (_spawned == _works.Length) Array.Resize(ref _works, Math.Max(LeastKept, 2 * _spawned));
        if (_works[_spawned] is TWork work) return work;
        work = new TWork();
        work.Belong(this);
        _works[_spawned] = work;
        return work;
    }

    /// <summary>Starts what <see cref="Take"/> gave.</summary>
    public void Start(ScopeWork work)
    {
        _spawned++;
        work.Queue(Token);
        _isForking = false;
    }

    public ValueTask JoinAsync()
    {
        BeginFork();
        ValueTask joined = TaskWithoutResult;
        Join();
        return joined;
    }

    /// <summary>Ends the scope of a version, with a join or without, and gives it back.</summary>
    public ValueTask LeaveAsync(long version)
    {
        // A second call does nothing, also at the same time: a core that is given back twice would serve two scopes.
        long word = version << 1;
        if (Interlocked.CompareExchange(ref _word, word + 1, word) != word) return default;
        if (_state != State.Joined) return LeaveUnjoinedAsync();
        Return();
        return default;
    }

    /// <summary>A child has thrown.</summary>
    public void Fail(Exception failure)
    {
        if (failure is OperationCanceledException && IsStopped)
        {
            // It follows from the caller's cancellation, or from the first failure.
            CutShort();
            return;
        }

        if (_failures.Add(failure)) Cancel();
    }

    /// <summary>A child did not get to its end, as the scope is cancelled.</summary>
    public void CutShort() => Volatile.Write(ref _cutShort, true);

    /// <summary>A child has ended, and does not touch the scope any more; the last one completes the join.</summary>
    public void ChildEnded()
    {
        if (Interlocked.Decrement(ref _left.Value) == 0) Complete();
    }

    /// <summary>Forgets the join; the scope itself is given back when it is left.</summary>
    protected override void Release() => _state = State.Joined;

    private void Join()
    {
        _joined = TaskWithoutResult;
        _state = State.Joining;
        foreach (ref ValueTask child in _running.AsSpan(0, _runningCount))
        {
            try
            {
                if (!child.IsCompleted) Watch(child);
                else TakeResult(child);
            }
            catch (Exception misuse)
            {
                // Awaited elsewhere since it was added.
                Fail(misuse);
            }

            child = default;
        }

        _isForking = false;
        if (Interlocked.Add(ref _left.Value, _watched + _spawned) == 0) Complete();
    }

    private void Watch(ValueTask child)
    {
        if (_watched == _watchers.Length) Array.Resize(ref _watchers, Math.Max(LeastKept, 2 * _watched));
        ScopeWatcher watcher = _watchers[_watched] ??= new ScopeWatcher(this);
        watcher.Watch(child);
        // Only now: one that cannot be watched will never end.
        _watched++;
    }

    /// <summary>Takes the result of a child that has ended, and its failure where it has one.</summary>
    public void TakeResult(ValueTask ended)
    {
        try
        {
            ended.GetAwaiter().GetResult();
        }
        catch (Exception failure)
        {
            Fail(failure);
        }
    }

    private void Complete()
    {
        Exception? failure = _failures.ToThrow();
        if (failure is null && _cutShort) failure = new OperationCanceledException(_caller);
        if (failure is null) SetResult(true);
        else SetException(failure);
    }

    private async ValueTask LeaveUnjoinedAsync()
    {
        if (_state == State.Open)
        {
            // What they throw reaches no caller: the body has left without asking.
            Volatile.Write(ref _cutShort, true);
            Cancel();
            Join();
        }
        else
        {
            Cancel();
        }

        try
        {
            // As it was when the join began: one that another awaits may end just now, and what comes then is never completed.
            await _joined.ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Joined: a child's failure. Otherwise another caller awaits the join just now, and that is an error to report.
            if (_state != State.Joined)
            {
                Interlocked.Decrement(ref _word);
                throw;
            }
        }

        Return();
    }

    private void Return()
    {
        // The next version: handles of this one are over, and nothing leaves that one yet.
        Interlocked.Increment(ref _word);
        _joined = default;
        _stop?.Dispose();
        _stop = null;
        _caller = default;
        _failures.Clear();
        _cutShort = false;
        _left.Value = 0;
        for (int i = 0; i < _spawned; i++) _works[i]!.Forget();
        _runningCount = _watched = _spawned = 0;
        if (_running.Length > MostKept) _running = [];
        if (_watchers.Length > MostKept) _watchers = [];
        if (_works.Length > MostKept) _works = [];
        Pool<ScopeCore>.Return(this);
    }

    private CancellationTokenSource CreateStop()
    {
        lock (_gate)
        {
            if (_stop is { } there) return there;
            var stop = new CancellationTokenSource();
            // Pairs with Cancel, which notes the failure before it takes the gate: one of the two sees the other.
            // The same of a scope that is left without a join.
            if (_failures.Any || IsLeaving) stop.Cancel();
            Volatile.Write(ref _stop, stop);
            return stop;
        }
    }

    private void Cancel()
    {
        CancellationTokenSource? stop;
        lock (_gate)
        {
            stop = _stop;
        }

        try
        {
            stop?.Cancel();
        }
        catch (AggregateException fromCallbacks)
        {
            // What children have registered with the token is theirs.
            foreach (Exception one in fromCallbacks.InnerExceptions) _failures.Add(one);
        }
    }

    // As far as it shows: two that fork at the same moment may both get through.
    private void BeginFork()
    {
        if (_state != State.Open) throw TaskMisuse.ScopeJoined();
        if (_isForking) throw TaskMisuse.ScopeShared();
        _isForking = true;
    }
}
