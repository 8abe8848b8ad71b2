namespace Raceway.Concurrency;

/// <summary>One for-each: its workers, what went wrong, and the completion that its caller awaits.</summary>
/// <remarks>
/// <para>
/// A worker has at most one body in flight, running or suspended, so the bound on bodies is a bound on active workers. They
/// are started one for each core at first, and then one by another, if its bodies suspend or take long; a short for-each never
/// starts most of them.
/// </para>
/// <para>
/// A worker is started by one that is active, so the number of active ones reaches zero once, when all bodies have ended, and
/// the last one completes the run.
/// </para>
/// </remarks>
internal abstract class ForEachRun : PooledCompletion<bool>
{
    // Above it workers are not kept for the next run.
    private const int MostKept = 64;
    private const int LeastWorkers = 4;

    // So many bodies that do not suspend can run at once.
    private static readonly int s_cores = Environment.ProcessorCount;

    private readonly Lock _gate = new();
    private readonly Failures _failures = new();
    private ForEachWorker?[] _workers = [];
    private ForEachWorker? _idle;
    private int _created;
    private int _active;
    private int _bound;
    private CancellationTokenSource _stop = new();
    private CancellationToken _caller;
    private bool _cutShort;

    /// <summary>The context of the caller; none where its flow is suppressed.</summary>
    public ExecutionContext? Context { get; private set; }

    /// <summary>What the bodies are given: cancelled by the caller, or by the first failure.</summary>
    public CancellationToken Token { get; private set; }

    /// <summary>No further body may begin.</summary>
    public bool IsStopped => _stop.IsCancellationRequested;

    protected int Bound => _bound;

    /// <summary>The workers that there are, for a worker that takes over what they have not begun. One that has not been started has
    /// nothing to take.</summary>
    protected ReadOnlySpan<ForEachWorker?> Workers => Volatile.Read(ref _workers);

    protected abstract ForEachWorker CreateWorker();

    /// <summary>Whether a worker has left items that another one may take over.</summary>
    protected virtual bool HasRest => false;

    /// <summary>Starts the first workers.</summary>
    /// <param name="bound">The most workers; no more than there are items.</param>
    /// <param name="cancellation">The caller's.</param>
    protected ValueTask Start(int bound, CancellationToken cancellation)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        _caller = cancellation;
        Token = _stop.Token;
        Context = ExecutionContext.Capture();
        _bound = bound;
        ValueTask task = TaskWithoutResult;
        StartFirst(Math.Min(s_cores, bound));
        return task;
    }

    // All of them count as active before one of them runs: none can be the last while others are still to be started.
    private void StartFirst(int count)
    {
        ForEachWorker? first = null;
        lock (_gate)
        {
            _active = count;
            for (int i = 0; i < count; i++)
            {
                ForEachWorker worker = TakeIdle();
                worker.NextIdle = first;
                first = worker;
            }
        }

        while (first is { } worker)
        {
            first = worker.NextIdle;
            worker.NextIdle = null;
            worker.Start();
        }
    }

    /// <summary>Starts one more worker where the bound allows it.</summary>
    public void StartAnother()
    {
        if (Volatile.Read(ref _active) >= _bound) return;
        ForEachWorker worker;
        lock (_gate)
        {
            if (_active >= _bound) return;
            _active++;
            worker = TakeIdle();
        }

        worker.Start();
    }

    private ForEachWorker TakeIdle()
    {
        if (_idle is not { } worker) return Create();
        _idle = worker.NextIdle;
        worker.NextIdle = null;
        return worker;
    }

    private ForEachWorker Create()
    {
        if (_created == _workers.Length)
        {
            // A worker that looks through the old array sees fewer of them.
            ForEachWorker?[] more = new ForEachWorker?[Math.Max(LeastWorkers, 2 * _created)];
            _workers.CopyTo(more);
            // ORDER: release; pairs with Workers: what is in the array before the array.
            Volatile.Write(ref _workers, more);
        }

        return _workers[_created++] = CreateWorker();
    }

    /// <summary>Takes in that a body, or the source, has thrown.</summary>
    public void Fail(Exception failure)
    {
        if (failure is OperationCanceledException && IsStopped)
        {
            // It follows from the caller's cancellation, or from the first failure.
            Volatile.Write(ref _cutShort, true);
            return;
        }

        if (!_failures.Add(failure)) return;
        try
        {
            _stop.Cancel();
        }
        catch (AggregateException fromCallbacks)
        {
            // What bodies have registered with the token is theirs.
            foreach (Exception one in fromCallbacks.InnerExceptions) _failures.Add(one);
        }
    }

    /// <summary>Notes that items are left which no worker will begin.</summary>
    public void CutShort() => Volatile.Write(ref _cutShort, true);

    /// <summary>A worker has nothing more to do, and is not touched any more; the last one completes the run.</summary>
    public void WorkerEnded(ForEachWorker worker)
    {
        ForEachWorker? next = null;
        lock (_gate)
        {
            worker.NextIdle = _idle;
            _idle = worker;
            // ORDER: full; pairs with a worker that leaves a rest and then looks whether another may be started: it may have been refused
            // because this one was still active, behind this one's last look for a rest. One of the two sees the other.
            if (Interlocked.Decrement(ref _active) != 0)
            {
                if (IsStopped || !HasRest) return;
                _active++;
                next = TakeIdle();
            }
        }

        if (next is null) EndSource();
        else next.Start();
    }

    /// <summary>Gives the source back, and then calls <see cref="Complete"/>.</summary>
    protected virtual void EndSource() => Complete();

    /// <summary>Completes the run. Nothing touches it afterwards.</summary>
    protected void Complete()
    {
        Exception? failure = _failures.ToThrow();
        if (failure is null && _cutShort) failure = new OperationCanceledException(_caller);
        _stop.Dispose();
        if (failure is null) SetResult(true);
        else SetException(failure);
    }

    /// <summary>Forgets the call, for the next one.</summary>
    protected override void Release()
    {
        _failures.Clear();
        _caller = default;
        Token = default;
        Context = null;
        _cutShort = false;
        if (_created <= MostKept) return;
        _workers = [];
        _created = 0;
        _idle = null;
    }
}
