using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A stage without a handler: its user asks for items when it suits, on a thread of their own.</summary>
/// <remarks>
/// <para>It follows other stages and is followed by them like any stage. What is polled is released downstream, and to
/// producers, when the batch is disposed of.</para>
/// <para><b>Threads</b>: one at a time; it may be another one each time, also between poll and dispose. A call while another
/// thread is inside one is refused.</para>
/// <para><b>Blocking</b>: never. <see cref="WaitAsync"/> waits without a thread; to spin is the caller's business.</para>
/// <para><b>Cost</b>: two steps of a stage a batch, no allocation.</para>
/// <para><b>Errors</b>: a poll after the end says so and throws nothing. A batch that is not disposed of holds producers
/// back, and a halt waits for it; <see cref="StageOptions.HandlerTimeout"/> bounds that, as it does for async handlers. What
/// is offered to the next poll when the pipeline ends is taken back, and left unprocessed.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// Poller&lt;Order> poller = pipeline.AttachPoller();
/// while (true)
/// {
///     await poller.WaitAsync(cancellation);
///     using PolledBatch&lt;Order> batch = poller.Poll(max: 64);
///     if (batch.Status == PollStatus.Ended) break;
///     foreach (ref Order order in batch) accounts.Book(order);
/// }
/// await poller.Completion;  // throws if the pipeline has faulted
/// </code>
/// </example>
public sealed class Poller<T>
{
    private readonly AsyncWaiter _waiter = new();
    private readonly Lender _lender;
    private int _busy;
    private int _waits;
    private Task? _completion;

    internal Poller(StageInput input, Slots<T> slots, StageOptions options)
    {
        _lender = new Lender();
        Slots = slots;
        Stage = input.Attach(slots, _lender, options with { Drive = Drive.Caller });
    }

    /// <summary>The stage: its position, lag and statistics.</summary>
    public Stage Stage { get; }

    internal Slots<T> Slots { get; }

    /// <summary>
    /// Whether the next poll gives at once a further run of what the stage has taken: behind a filter or router its items come
    /// in runs, one a poll.
    /// </summary>
    public bool HasMore => _lender.HasOffer;

    /// <summary>The end behind <see cref="PollStatus.Ended"/>: completes when the whole pipeline has ended, or the poller was taken out of it.</summary>
    /// <remarks>
    /// Where everything has come through it succeeds. Else it faults, with <see cref="RingFaultedException"/> where a stage or
    /// the source has failed, with <see cref="RingStoppedException"/> where a halt has left items behind.
    /// </remarks>
    public Task Completion => Volatile.Read(ref _completion) ?? NewCompletion();

    /// <summary>Takes what is there.</summary>
    /// <param name="max">
    /// The most items to take, 1 or more; the stage's dispatch may say less. Where the poller is behind a filter or router,
    /// the runs of what was taken come one a poll.
    /// </param>
    /// <returns>The items, to be disposed of; or why there are none.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is below 1.</exception>
    /// <exception cref="InvalidOperationException">
    /// The batch polled before has not been disposed of, or another thread is inside a call.
    /// </exception>
    public PolledBatch<T> Poll(int max = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        Enter();
        try
        {
            StepKind kind = StepKind.Pending;
            if (!_lender.HasOffer) kind = Stage.Step(max).Kind;
            // A stage that passes over things, or has just finished a batch, says that it has done something: that is no item.
            while (!_lender.HasOffer && kind == StepKind.Progressed) kind = Stage.Step(max).Kind;
            // Taken back meanwhile, if the stage ends: a later poll says so.
            if (!_lender.TryOpen(out AsyncBatch<T> lent, out int loan))
                return new PolledBatch<T>(kind == StepKind.Stopped ? PollStatus.Ended : PollStatus.Idle);
            return new PolledBatch<T>(this, loan, Slots.View(lent.Sequence, lent.Count, Stage));
        }
        finally
        {
            Volatile.Write(ref _busy, 0);
        }
    }

    /// <summary>After a poll that found nothing: waits until the next may find something, or the end. It may be early.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: as a poll; the one that goes on is the pool's.</para>
    /// <para><b>Blocking</b>: never; no thread is held. <b>Cost</b>: a work item of the pool a wait, nothing allocated (a token
    /// that can be cancelled is registered).</para>
    /// <para><b>Errors</b>: a wait takes nothing, so cancelling it loses nothing. The task is pooled: await it once.</para>
    /// </remarks>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="InvalidOperationException">
    /// A batch is open, another wait has not ended, or another thread is inside a call.
    /// </exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask WaitAsync(CancellationToken cancellation = default)
    {
        Enter();
        try
        {
            if (HasMore) return ValueTask.CompletedTask;
            WaitTarget target = Stage.NextTarget();
            // ORDER: the target first; pairs with the offer, which a step makes before its call is open. The ring steps a stage
            // that it ends, and others may step this one: a target of theirs would wait for a batch that is offered here, or
            // for a change after the last one.
            Volatile.ReadBarrier();
            if (HasMore || Stage.Ring.Control.IsHalted || Stage.IsLeaving) return ValueTask.CompletedTask;
            if (Interlocked.CompareExchange(ref _waits, 1, 0) != 0) throw StillWaiting();
            return WaitForAsync(target, cancellation);
        }
        finally
        {
            Volatile.Write(ref _busy, 0);
        }
    }

    // One waiter, for one wait at a time.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WaitForAsync(WaitTarget target, CancellationToken cancellation)
    {
        try
        {
            await _waiter.WaitForAsync(target, cancellation).ConfigureAwait(false);
        }
        finally
        {
            Volatile.Write(ref _waits, 0);
        }
    }

    /// <summary>Ends a wait early: it completes, and the next poll may find nothing. Any thread.</summary>
    public void Wake() => _waiter.Wake();

    /// <summary>
    /// Faults the pipeline, as a handler does that fails for good: for what goes wrong behind a batch that was disposed of.
    /// The first fault counts. Any thread.
    /// </summary>
    /// <param name="cause">What has gone wrong; while a batch is held, <see cref="PolledBatch{T}.Fail"/> asks the stage's policy.</param>
    public void Fail(Exception cause)
    {
        ArgumentNullException.ThrowIfNull(cause);
        Stage.Ring.Fail(cause, Stage);
    }

    private Task NewCompletion()
    {
        Task made = new PipelineLife(Stage.Ring).EndOf(Stage);
        made = Interlocked.CompareExchange(ref _completion, made, null) ?? made;
        // A fault is also told by the pipeline: no caller has to look at the task.
        _ = made.ContinueWith(
            static ended => _ = ended.Exception, CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return made;
    }

    internal void Close(int loan, Exception? fault)
    {
        // Over already, and perhaps another one is open.
        if (!_lender.TryClose(loan, fault)) return;
        // The stage takes the result, and reports progress, when it is stepped.
        if (!_lender.HasOffer) Stage.Step(1);
    }

    private void Enter()
    {
        if (Interlocked.CompareExchange(ref _busy, 1, 0) != 0) throw InUse();
        if (!_lender.IsOpen) return;
        Volatile.Write(ref _busy, 0);
        throw StillOpen();
    }

    private InvalidOperationException InUse() =>
        new($"A poller is used by one thread at a time: stage='{Stage.Name}', another thread is inside a call. Give each a poller.");

    private InvalidOperationException StillWaiting() =>
        new($"A poller has one wait at a time: stage='{Stage.Name}'. Await or cancel the one before.");

    private InvalidOperationException StillOpen() =>
        new($"A poller has one batch at a time: stage='{Stage.Name}'. Dispose of the one polled before.");

    /// <summary>An async handler with a task that lasts as long as a batch is lent.</summary>
    private sealed class Lender : IAsyncBatchHandler<T>, IValueTaskSource, IPolled, IRevocable
    {
        private const int Nothing = 0;
        private const int Offered = -1;

        private ManualResetValueTaskSourceCore<bool> _lent;
        private AsyncBatch<T> _batch;
        private int _loans;
        private int _state; // nothing, offered, or the number of the loan that is open

        public bool HasOffer => Volatile.Read(ref _state) == Offered;

        public bool IsAwaitingUser => HasOffer;

        public bool IsOpen => Volatile.Read(ref _state) > Nothing;

        public ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
        {
            _lent.Reset();
            _batch = batch;
            // ORDER: release; pairs with HasOffer. The stage may be stepped by another thread than the one that polls.
            Volatile.Write(ref _state, Offered);
            return new ValueTask(this, _lent.Version);
        }

        /// <summary>Lends what is offered; false where there is no offer. The thread that is inside a call of the poller.</summary>
        public bool TryOpen(out AsyncBatch<T> batch, out int loan)
        {
            batch = default;
            loan = _loans;
            if (!HasOffer) return false;
            batch = _batch;
            loan = _loans = _loans == int.MaxValue ? 1 : _loans + 1;
            // ORDER: full; pairs with Revoke: one of the two has the offer.
            return Interlocked.CompareExchange(ref _state, loan, Offered) == Offered;
        }

        /// <summary>Gives back <paramref name="loan"/>, once; never another one.</summary>
        public bool TryClose(int loan, Exception? fault)
        {
            if (Interlocked.CompareExchange(ref _state, Nothing, loan) != loan) return false;
            if (fault is null) _lent.SetResult(true);
            else _lent.SetException(fault);
            return true;
        }

        // ORDER: full; pairs with TryOpen: a poll has the offer, or it is taken back.
        public void Revoke()
        {
            if (Interlocked.CompareExchange(ref _state, Nothing, Offered) == Offered) _lent.SetException(new RevokedException());
        }

        public void GetResult(short token) => _lent.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _lent.GetStatus(token);

        public void OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _lent.OnCompleted(continuation, state, token, flags);
    }
}

/// <summary>What a polled stage has for a handler: its user asks for the items.</summary>
internal interface IPolled;
