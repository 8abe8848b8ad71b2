using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>
/// Runs bodies of a for-each one after another: on a thread of the pool while they run, on none while one is suspended.
/// </summary>
/// <remarks>
/// It gives its thread back after a bounded <em>time</em> of bodies that do not suspend where other work waits, so that this
/// waits no longer than that, and one body. A body that suspends costs no allocation here: the continuation is one delegate
/// for the life of the worker.
/// </remarks>
internal abstract class ForEachWorker : IThreadPoolWorkItem
{
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    private readonly ForEachRun _run;
    private ValueTask _suspended;
    private long _sliceEnd;
    private bool _isResumed;

    protected ForEachWorker(ForEachRun run)
    {
        _run = run;
        Continuation = Resume;
    }

    /// <summary>How a stretch of work has ended.</summary>
    protected enum Outcome
    {
        /// <summary>There is nothing more for this worker.</summary>
        Ended,

        /// <summary>It goes on in its continuation, perhaps already on another thread: touch nothing any more.</summary>
        Suspended,

        /// <summary>The slice is over, there is more to do.</summary>
        SliceOver,
    }

    /// <summary>What goes on with the work when that which it awaits has completed.</summary>
    protected Action Continuation { get; }

    /// <summary>The next of those that wait to be started; guarded by the run's gate.</summary>
    public ForEachWorker? NextIdle { get; set; }

    /// <summary>Queues it where it was idle.</summary>
    public void Start()
    {
        Reset();
        Queue();
    }

    void IThreadPoolWorkItem.Execute() => EnterContext();

    /// <summary>Forgets what it did before.</summary>
    protected abstract void Reset();

    /// <summary>Runs bodies until none is left, one suspends, or the slice is over.</summary>
    protected abstract Outcome Work();

    /// <summary>
    /// Whether the worker has had its thread for long enough, and other work waits for one. Asked only after bodies that did
    /// not suspend: the clock is not read where every body does.
    /// </summary>
    protected bool IsSliceOver(long now)
    {
        if (now < _sliceEnd) return false;
        bool isFirst = _sliceEnd == 0;
        _sliceEnd = now + s_slice;
        // If nothing waits for the thread, to queue itself would only wake a thread for nothing.
        return !isFirst && ThreadPool.PendingWorkItemCount > 0;
    }

    /// <summary>Takes the result of what was awaited, and throws its failure; called before the next <see cref="Work"/>.</summary>
    protected virtual void TakeResult()
    {
        ValueTask task = _suspended;
        _suspended = default;
        task.GetAwaiter().GetResult();
    }

    /// <summary>
    /// Goes on when <paramref name="task"/> has completed. The last call of a stretch: what is touched afterwards may be
    /// touched by the continuation as well.
    /// </summary>
    protected Outcome Suspend(ValueTask task)
    {
        _suspended = task;
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(Continuation);
        return Outcome.Suspended;
    }

    protected void Queue() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

    private void Resume()
    {
        _isResumed = true;
        EnterContext();
    }

    // The bodies see the caller's context; what one that is no async method makes of it stays in here.
    private void EnterContext()
    {
        ExecutionContext? context = _run.Context;
        if (context is null || ReferenceEquals(context, ExecutionContext.Capture()))
        {
            Drive();
            if (context is not null) ExecutionContext.Restore(context);
        }
        else
        {
            ExecutionContext.Run(context, static worker => ((ForEachWorker)worker!).Drive(), this);
        }
    }

    private void Drive()
    {
        if (_isResumed)
        {
            _isResumed = false;
            try
            {
                TakeResult();
            }
            catch (Exception failure)
            {
                _run.Fail(failure);
            }
        }

        _sliceEnd = 0;
        switch (Work())
        {
            case Outcome.SliceOver:
                Queue();
                break;
            case Outcome.Ended:
                _run.WorkerEnded(this);
                break;
        }
    }
}
