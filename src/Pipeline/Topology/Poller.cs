using System.Threading.Tasks.Sources;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A stage without a handler: its user asks for items when it suits, on a thread of their own.</summary>
/// <remarks>
/// <para>It follows other stages and is followed by them like any stage. What is polled is released downstream, and to
/// producers, when the batch is disposed of.</para>
/// <para><b>Threads</b>: one at a time; it may be another one each time, also between poll and dispose.</para>
/// <para><b>Blocking</b>: never. <see cref="WaitAsync"/> waits without a thread; to spin is the caller's business.</para>
/// <para><b>Cost</b>: two steps of a stage a batch, no allocation.</para>
/// <para><b>Errors</b>: a poll after the end says so and throws nothing. A batch that is not disposed of holds producers
/// back, and a halt waits for it; <see cref="StageOptions.HandlerTimeout"/> bounds that, as it does for async handlers.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public sealed class Poller<T>
{
    private readonly AsyncWaiter _waiter = new();
    private readonly Lender _lender;
    private int _loan;
    private int _stepping;

    internal Poller(Edge edge, Slots<T> slots, StageOptions options)
    {
        _lender = new Lender();
        Slots = slots;
        Stage = edge.Attach(slots, _lender, options with { Drive = Drive.Caller });
    }

    /// <summary>The stage: its position, lag and statistics.</summary>
    public Stage Stage { get; }

    internal Slots<T> Slots { get; }

    /// <summary>Whether the next poll gives a further run of what was taken before.</summary>
    internal bool HasOffer => _lender.HasOffer;

    /// <summary>Takes what is there.</summary>
    /// <param name="max">
    /// The most items to take, 1 or more; the stage's dispatch may say less. Where the poller is on an edge that selects,
    /// the runs of what was taken come one a poll.
    /// </param>
    /// <returns>The items, to be disposed of; or why there are none.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is below 1.</exception>
    /// <exception cref="InvalidOperationException">The batch polled before has not been disposed of.</exception>
    public PolledBatch<T> Poll(int max = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        if (Interlocked.Exchange(ref _stepping, 1) != 0) throw PolledByTwo();
        try
        {
            return PollAlone(max);
        }
        finally
        {
            Volatile.Write(ref _stepping, 0);
        }
    }

    private PolledBatch<T> PollAlone(int max)
    {
        if (_lender.IsOpen) throw StillOpen();
        StepKind kind = StepKind.Pending;
        if (!_lender.HasOffer) kind = Stage.Step(max).Kind;
        // A stage that passes over things, or has just finished a batch, says that it has done something: that is no item.
        while (!_lender.HasOffer && kind == StepKind.Progressed) kind = Stage.Step(max).Kind;
        if (!_lender.HasOffer)
            return new PolledBatch<T>(kind == StepKind.Stopped ? PollStatus.Ended : PollStatus.Idle);
        AsyncBatch<T> lent = _lender.Open();
        return new PolledBatch<T>(this, ++_loan, Slots.View(lent.Sequence, lent.Count, Stage));
    }

    /// <summary>After a poll that found nothing: waits until the next may find something, or the end. It may be early.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: as a poll; the one that goes on is the pool's.</para>
    /// <para><b>Blocking</b>: never; no thread is held. <b>Cost</b>: a work item of the pool a wait, nothing allocated (a token
    /// that can be cancelled is registered).</para>
    /// <para><b>Errors</b>: a wait takes nothing, so cancelling it loses nothing. The task is pooled: await it once.</para>
    /// </remarks>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="InvalidOperationException">A batch is open.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask WaitAsync(CancellationToken cancellation = default)
    {
        if (_lender.IsOpen) throw StillOpen();
        return _lender.HasOffer ? ValueTask.CompletedTask : _waiter.WaitForAsync(Stage.NextTarget(), cancellation);
    }

    /// <summary>Ends a wait early.</summary>
    internal void Wake() => _waiter.Wake();

    internal void Close(int loan, Exception? fault)
    {
        // A poll by another at this moment is refused soon: the batch is open.
        while (Interlocked.Exchange(ref _stepping, 1) != 0) Thread.Yield();
        try
        {
            // Over already, and perhaps another one is open.
            if (loan != _loan || !_lender.IsOpen) return;
            _lender.Close(fault);
            // The stage takes the result, and reports progress, when it is stepped.
            if (!_lender.HasOffer) Stage.Step(1);
        }
        finally
        {
            Volatile.Write(ref _stepping, 0);
        }
    }

    private InvalidOperationException PolledByTwo() =>
        new($"A poller is polled by one at a time: stage='{Stage.Name}'. Give each a poller of its own, or use Share.");

    private InvalidOperationException StillOpen() =>
        new($"A poller has one batch at a time: stage='{Stage.Name}'. Dispose of the one polled before.");

    /// <summary>An async handler whose task is the time that a batch is lent.</summary>
    private sealed class Lender : IAsyncBatchHandler<T>, IValueTaskSource, IPolled
    {
        private ManualResetValueTaskSourceCore<bool> _lent;
        private AsyncBatch<T> _batch;

        public bool HasOffer { get; private set; }

        public bool IsOpen { get; private set; }

        public ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
        {
            _lent.Reset();
            _batch = batch;
            HasOffer = true;
            return new ValueTask(this, _lent.Version);
        }

        public AsyncBatch<T> Open()
        {
            HasOffer = false;
            IsOpen = true;
            return _batch;
        }

        public void Close(Exception? fault)
        {
            IsOpen = false;
            if (fault is null) _lent.SetResult(true);
            else _lent.SetException(fault);
        }

        public void GetResult(short token) => _lent.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _lent.GetStatus(token);

        public void OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _lent.OnCompleted(continuation, state, token, flags);
    }
}

/// <summary>What a stage has for a handler whose user asks for its items.</summary>
internal interface IPolled;
