using Raceway.Rings;

namespace Raceway.Concurrency;

/// <content>How a mailbox ends: drained, halted, faulted or disposed, once.</content>
public sealed partial class Mailbox<T>
{
    private readonly object _gate = new();
    private readonly CancellationTokenSource _halt = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private RingState _state = RingState.Running;
    private bool _closed;
    private bool _disposed;
    private Exception? _fault;
    private Task? _disposal;

    /// <summary>Where it is in its life: running, draining, stopped; or faulted.</summary>
    public RingState State
    {
        get
        {
            lock (_gate) return _state;
        }
    }

    /// <summary>Completes when the handler will not be called again; faults with <see cref="MailboxFaultedException"/> where it
    /// has failed for good.</summary>
    public Task Completion => _completion.Task;

    /// <summary>After a halt or fault: messages that were accepted and never handled.</summary>
    public long Unprocessed { get; private set; }

    /// <summary>Takes no more messages; those accepted are still handled. Waits for nothing. Idempotent.</summary>
    public void Complete() => Change(Control.Closed, RingState.Draining);

    /// <summary><see cref="Complete"/>, then waits until everything accepted has been handled and the mailbox has ended.</summary>
    /// <param name="timeout">For the whole call; <see cref="Timeout.InfiniteTimeSpan"/> for no limit. Then the handler goes on.</param>
    /// <param name="cancellation">Ends the waiting, not the drain.</param>
    /// <returns><see cref="DrainStatus.Drained"/>, or why not; never throws for time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public async Task<DrainStatus> DrainAsync(TimeSpan timeout, CancellationToken cancellation = default)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan) throw MailboxErrors.Timeout(nameof(timeout), timeout);
        long deadline = Clock.In(timeout);
        Complete();
        if (!await Clock.EndsBeforeAsync(_completion.Task, deadline, cancellation).ConfigureAwait(false)) return DrainStatus.TimedOut;
        return _fault is not null ? DrainStatus.Faulted : Unprocessed > 0 ? DrainStatus.Halted : DrainStatus.Drained;
    }

    /// <summary>
    /// Ends the mailbox after the current call of its handler (of an async one the token is signalled, and its task is waited
    /// for). What is left is counted, and offered to <see cref="MailboxOptions{T}.OnUnprocessed"/>. Idempotent.
    /// </summary>
    /// <remarks>From its own handler: do not wait for the task there, it completes after the handler has returned.</remarks>
    public async Task HaltAsync()
    {
        Halt();
        await Task.WhenAny(_completion.Task).ConfigureAwait(false);
    }

    /// <summary>
    /// <see cref="DrainAsync"/> for at most <see cref="MailboxOptions{T}.DrainTimeout"/>, then <see cref="HaltAsync"/>.
    /// Idempotent. From its own handler it begins, and returns.
    /// </summary>
    public ValueTask DisposeAsync()
    {
        Task disposal;
        lock (_gate)
        {
            _disposed = true;
            // On the pool: a handler that disposes must not run the drain itself.
            disposal = _disposal ??= Task.Run(DisposeCoreAsync);
        }

        return Reentrancy.IsHandlerOf(this) ? ValueTask.CompletedTask : new ValueTask(disposal);
    }

    void IUnitOwner.Fail(Exception fault) => Fail(fault);

    /// <summary>The handler failed for good. Any thread; never waits.</summary>
    internal void Fail(Exception fault)
    {
        lock (_gate)
        {
            if (_state is RingState.Stopped or RingState.Faulted) return;
            _fault = fault;
        }

        Change(Control.Closed | Control.Halted, RingState.Faulted);
    }

    internal void Halt() => Change(Control.Closed | Control.Halted, RingState.Draining);

    /// <summary>Why a message is refused.</summary>
    private Exception Refusal()
    {
        lock (_gate)
        {
            if (_fault is { } fault) return new MailboxFaultedException(Name, fault);
            if (_disposed) return new ObjectDisposedException(Name, "The mailbox has been disposed.");
            return new MailboxStoppedException(Name);
        }
    }

    private void Change(long flags, RingState state)
    {
        bool halts;
        lock (_gate)
        {
            if (_state is RingState.Stopped or RingState.Faulted) return;
            if (state == _state && (_control.Word & flags) == flags) return;
            _state = state;
            if (!_closed) _queue.Close();
            _closed = true;
            halts = (flags & Control.Halted) != 0 && !_control.IsHalted;
            _control.Change(flags);
        }

        _queue.Bell.WakeAll();
        _queue.Room.WakeAll();
        // User code hears of it by its token; never on the thread that halts.
        if (halts) _ = _halt.CancelAsync();
    }

    private async Task DisposeCoreAsync()
    {
        await DrainAsync(_options.DrainTimeout).ConfigureAwait(false);
        await HaltAsync().ConfigureAwait(false);
    }

    // The one task of a mailbox's life: ends it when its driver has ended.
    private async Task FollowAsync()
    {
        try
        {
            await _driver.Started.ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            Fail(fault);
        }

        await _driver.Ended.ConfigureAwait(false);
        await SweepUpAsync().ConfigureAwait(false);
        Exception? cause;
        lock (_gate)
        {
            if (_state != RingState.Faulted) _state = RingState.Stopped;
            cause = _fault;
        }

        Requests.Close(Refusal());
        if (cause is null) _completion.TrySetResult();
        else _completion.TrySetException(new MailboxFaultedException(Name, cause));
        // A fault is also told by the posts and by the state: a program need not look at the task.
        _ = _completion.Task.Exception;
    }

    private async Task SweepUpAsync()
    {
        while (_queue.Position < _queue.Posted)
        {
            if (TakeUnprocessed()) continue;
            // Accepted, and its poster has been held up before the message: it will come.
            await MachineClock.PauseAsync().ConfigureAwait(false);
        }

        _queue.Dispose();
    }

    private bool TakeUnprocessed()
    {
        Span<T> left = _queue.Peek(_options.MaxBatch, out _);
        if (left.IsEmpty) return false;
        Unprocessed += left.Length;
        object? outer = Reentrancy.Enter(this);
        try
        {
            if (_options.OnUnprocessed is { } offer)
                foreach (T message in left) Offer(offer, message);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        _queue.Release(left.Length);
        return true;
    }

    // One that is refused takes no other with it.
    private void Offer(Action<T> offer, T message)
    {
        try
        {
            offer(message);
        }
        catch (Exception fault)
        {
            lock (_gate)
            {
                _state = RingState.Faulted;
                _fault ??= fault;
            }
        }
    }
}
