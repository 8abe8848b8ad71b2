using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>One for-each: its workers, what went wrong, and the completion that its caller awaits.</summary>
/// <remarks>
/// <para>
/// A worker has at most one body in flight, running or suspended, so the bound on bodies is the number of workers. They are
/// started one by another: each that finds an item starts the next, until the bound is reached or nothing is left; a short
/// for-each never starts most of them.
/// </para>
/// <para>
/// <see cref="_active"/> counts workers that have been started and have not ended. A worker is started by one that is active,
/// so the count reaches zero once, when all bodies have ended, and who brings it there completes the run.
/// </para>
/// </remarks>
internal abstract class ForEachRun : PooledCompletion<bool>
{
    // Above it workers are not kept for the next run.
    private const int MostKept = 64;
    private const int LeastWorkers = 4;

    public static readonly int Cores = Environment.ProcessorCount;

    private readonly Failures _failures = new();
    private ForEachWorker?[] _workers = [];
    private CancellationTokenSource _stop = new();
    private CancellationToken _caller;
    private int _bound;
    private int _started;
    private int _active;
    private bool _cutShort;

    /// <summary>The context of the caller; none where its flow is suppressed.</summary>
    public ExecutionContext? Context { get; private set; }

    /// <summary>What the bodies are given: cancelled by the caller, or by the first failure.</summary>
    public CancellationToken Token { get; private set; }

    /// <summary>No further body may begin.</summary>
    public bool IsStopped => _stop.IsCancellationRequested;

    protected int Bound => _bound;

    /// <summary>The workers that there are, for who takes over what they have not begun. One that has not been started has
    /// nothing to take.</summary>
    protected ReadOnlySpan<ForEachWorker?> Workers => Volatile.Read(ref _workers);

    protected abstract ForEachWorker CreateWorker();

    /// <summary>Starts the first worker.</summary>
    /// <param name="bound">The most workers; no more than there are items.</param>
    /// <param name="cancellation">The caller's.</param>
    protected ValueTask Start(int bound, CancellationToken cancellation)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        _caller = cancellation;
        Token = _stop.Token;
        Context = ExecutionContext.Capture();
        _bound = bound;
        _active = 1;
        ValueTask task = TaskWithoutResult;
        StartNext();
        return task;
    }

    /// <summary>Starts one more worker where the bound allows it.</summary>
    /// <param name="onlyWhile">No more than so many of them.</param>
    public void StartAnother(int onlyWhile = int.MaxValue)
    {
        if (Volatile.Read(ref _started) >= Math.Min(onlyWhile, _bound)) return;
        Interlocked.Increment(ref _active);
        if (!StartNext()) Interlocked.Decrement(ref _active);
    }

    private bool StartNext()
    {
        ForEachWorker worker;
        lock (_failures)
        {
            if (_started == _bound) return false;
            if (_started == _workers.Length)
            {
                // Who looks through the old array sees fewer workers.
                ForEachWorker?[] more = new ForEachWorker?[Math.Min(_bound, Math.Max(LeastWorkers, 2 * _started))];
                _workers.CopyTo(more);
                // ORDER: release; pairs with Workers: the array's elements before the array.
                Volatile.Write(ref _workers, more);
            }

            worker = _workers[_started++] ??= CreateWorker();
        }

        worker.Start();
        return true;
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

    /// <summary>Notes that items are left which nobody will begin.</summary>
    public void CutShort() => Volatile.Write(ref _cutShort, true);

    /// <summary>A worker has nothing more to do; the last one completes the run.</summary>
    public void WorkerEnded()
    {
        if (Interlocked.Decrement(ref _active) != 0) return;
        EndSource();
    }

    /// <summary>Gives the source back, and then calls <see cref="Complete"/>.</summary>
    protected virtual void EndSource() => Complete();

    /// <summary>Completes the run; the last that anybody does with it.</summary>
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
        _started = 0;
        _cutShort = false;
        if (_workers.Length > MostKept) _workers = [];
    }
}
