using System.Diagnostics;

namespace Raceway.Rings;

/// <content>How a ring ends: completed, halted, faulted or disposed, once.</content>
public abstract partial class Ring
{
    private bool _sealing; // under the gate: nothing that begins now is in time
    private bool _sealed;
    private long _inTime;
    private long[] _behindHoles = [];
    private Exception? _endsWith;

    /// <summary>
    /// Lets no new claim in; claims already open may finish. Blocked producers get <see cref="RingStoppedException"/>.
    /// Idempotent.
    /// </summary>
    public void Complete() => Complete(null);

    /// <summary>The same, and what a drain that has handled everything ends the ring with: together, as one may close it alone.</summary>
    /// <returns>False where it lets nothing in already: then <paramref name="cause"/> does not count.</returns>
    internal bool Complete(Exception? cause)
    {
        Gate.Enter(_gate);
        bool closes = _state is RingState.Created or RingState.Running;
        if (closes)
        {
            if (cause is not null) EndWith(cause);
            _state = RingState.Draining;
            Control.Change(Control.Closed);
            // ORDER: pairs with producers, which announce a claim and then look whether the ring is closed, by plain store
            // and load: after this either they see it closed, or we see their claim.
            Interlocked.MemoryBarrierProcessWide();
        }

        Gate.Exit(_gate);
        WakeAll();
        return closes;
    }

    /// <summary>
    /// Ends every stage after its current call (event handlers look every 64 items; a pending async handler has its token
    /// signalled, and is waited for). What was published and not handled is counted and offered to
    /// <see cref="RingOptions{T}.OnUnprocessed"/>. Completes when every stage has ended. Idempotent.
    /// </summary>
    /// <remarks>From a handler of this ring: do not wait for the task there, it completes after the handler returns.</remarks>
    public async Task HaltAsync()
    {
        Close(disposed: false);
        await Task.WhenAny(_completion.Task).ConfigureAwait(false);
    }

    /// <summary>
    /// <see cref="DrainAsync"/> for at most <see cref="RingOptions.DrainTimeout"/>, then <see cref="HaltAsync"/>. Blocked
    /// producers get <see cref="ObjectDisposedException"/>. Idempotent. From a handler of this ring it begins, and returns.
    /// </summary>
    public ValueTask DisposeAsync()
    {
        Gate.Enter(_gate);
        _disposed = true;
        // On the pool: a handler that disposes must not run the drain itself.
        Task disposal = _disposal ??= Task.Run(DisposeCoreAsync);
        Gate.Exit(_gate);
        GC.SuppressFinalize(this);
        return Reentrancy.IsHandlerOf(Family) ? ValueTask.CompletedTask : new ValueTask(disposal);
    }

    /// <summary>Lets no new claim in; blocked producers are told that it is disposed of.</summary>
    internal void CompleteToDispose()
    {
        Gate.Enter(_gate);
        Volatile.Write(ref _disposed, true);
        Gate.Exit(_gate);
        Complete();
    }

    /// <summary>A stage failed for good (or the ring itself). Any thread, also a stage's own; never waits.</summary>
    internal void Fail(Exception cause, Stage? stage) => Fail(new RingFaultedException(stage?.Name, cause));

    /// <summary>The same, for a fault of this ring or of one that it is linked with.</summary>
    internal void Fail(RingFaultedException fault)
    {
        Gate.Enter(_gate);
        bool first = _state is not (RingState.Stopped or RingState.Faulted);
        if (first)
        {
            _fault = fault;
            _state = RingState.Faulted;
            Control.Change(Control.Closed | Control.Halted);
        }

        Gate.Exit(_gate);
        if (first) Finish();
    }

    /// <summary>
    /// What its source has failed with: a drain that has handled everything ends the ring faulted with it, not stopped.
    /// The first counts. Before <see cref="Complete()"/>.
    /// </summary>
    internal void EndWith(Exception cause) => Interlocked.CompareExchange(ref _endsWith, cause, null);

    bool IClaimOwner.UnlessSealed(Action stamp)
    {
        Gate.Enter(_gate);
        bool open = !_sealing;
        if (open) stamp();
        Gate.Exit(_gate);
        return open;
    }

    /// <summary>Hands over what is left, and takes every slot back, after the last stage has ended.</summary>
    /// <param name="first">The first that not every stage has passed.</param>
    /// <param name="last">The last before which there is no hole.</param>
    /// <param name="behindHoles">What was published behind a claim that is still open.</param>
    private protected abstract void SweepUp(long first, long last, ReadOnlySpan<long> behindHoles);

    private async Task DisposeCoreAsync()
    {
        await RingDrain.WhileDrivenAsync(DrainAsync(_options.DrainTimeout), [this]).ConfigureAwait(false);
        Close(disposed: true);
        await Task.WhenAny(_completion.Task).ConfigureAwait(false);
    }

    internal void Close(bool disposed)
    {
        Gate.Enter(_gate);
        if (disposed) _disposed = true;
        if (_state is not (RingState.Stopped or RingState.Faulted))
        {
            _state = RingState.Draining;
            Control.Change(Control.Closed | Control.Halted);
        }

        Gate.Exit(_gate);
        Finish();
    }

    // Once: waits for every stage, counts what is left, and ends the ring.
    private void Finish()
    {
        Gate.Enter(_gate);
        bool first = !_finishing;
        _finishing = true;
        Gate.Exit(_gate);
        // No stage joins from here on, so no driver does.
        Driver[] drivers = _roster.Drivers;
        WakeAll();
        if (first) _ = Task.Run(() => FinishAsync(drivers));
    }

    private async Task FinishAsync(Driver[] drivers)
    {
        // User code hears of the halt through its token: its callbacks are no concern of ours.
        try
        {
            await _halt.CancelAsync().ConfigureAwait(false);
        }
        catch (AggregateException)
        {
        }

        foreach (Driver driver in drivers)
        {
            driver.EndIfNeverLaunched();
            await driver.Ended.ConfigureAwait(false);
        }

        foreach (Stage stage in _roster.All)
        {
            if (stage.Caller is { } caller) await caller.EndAsync().ConfigureAwait(false);
            stage.MarkEnded();
        }

        _roster.EndLeaves();
        long published = 0;
        while (!TrySeal(ref published)) await MachineClock.PauseAsync().ConfigureAwait(false);
        SweepUpAll(published);
        Gate.Enter(_gate);
        if (_state != RingState.Faulted) _state = RingState.Stopped;
        RingFaultedException? fault = _fault;
        Gate.Exit(_gate);
        WakeAll();
        if (fault is null) _completion.TrySetResult();
        else _completion.TrySetException(fault);
        // A fault is also told by producers and by the state: no caller has to look at the task.
        _ = _completion.Task.Exception;
    }

    long IClaimOwner.Seal() => Seal();

    /// <summary>
    /// From now on a commit is told that it is late, and stages do not look beyond what was in time. Returns the last sequence
    /// that was: up to there it is for the stages to handle, or for the ring to count.
    /// </summary>
    internal long Seal()
    {
        long published = 0;
        while (!TrySeal(ref published)) Thread.Yield();
        return published;
    }

    /// <summary>The same without waiting for a producer that is within a commit of several; false while one is.</summary>
    /// <param name="published">Becomes the last sequence that was in time.</param>
    internal bool TrySeal(ref long published)
    {
        Gate.Enter(_gate);
        if (!_sealing)
        {
            _sealing = true;
            Sequencer.Final = Sequencer.Start - 1;
            Sequencer.Cursor.Release();
            // ORDER: pairs with the load of the waiters' cell after a commit's store: either the item is seen below, or its
            // publisher sees the release, and a stage that sees the item sees the end.
            Interlocked.MemoryBarrierProcessWide();
        }

        // A commit of several that began before is in time as a whole; one that begins behind the barrier sees the release.
        bool first = !_sealed && !Claims.IsCommitting;
        if (first)
        {
            _sealed = true;
            _inTime = Sequencer.PublishedThrough();
            Debug.Assert(_inTime >= Sequencer.ReleasedThrough(), "No stage has passed what was not in time.");
            Debug.Assert(_inTime <= Claims.ClaimedThrough, "What is published was claimed.");
            Sequencer.Final = _inTime;
            _behindHoles = Claims.PublishedBehindHoles(_inTime);
            // ORDER: after the end; pairs with Stage.NextTarget: a stage that has seen another end looks again.
            Control.Change(0);
            Sequencer.Cursor.WakeAll();
        }

        bool done = _sealed;
        if (done) published = _inTime;
        Gate.Exit(_gate);
        if (first) Sequencer.Cursor.WakeAll();
        return done;
    }

    /// <summary>What a producer's call throws once the ring takes no more items: for sources that tell their own callers why.</summary>
    /// <returns>
    /// <see cref="RingFaultedException"/>, <see cref="ObjectDisposedException"/> or <see cref="RingStoppedException"/>, made
    /// anew. While the ring takes items it says nothing of use: see <see cref="IsClosed"/>.
    /// </returns>
    public Exception Refusal()
    {
        if (_fault is { } fault) return new RingFaultedException(fault.Stage, fault.InnerException!);
        if (Volatile.Read(ref _disposed)) return new ObjectDisposedException(GetType().Name, "The ring has been disposed.");
        return new RingStoppedException("The ring takes no more items: it is draining or has stopped.");
    }

    /// <summary>
    /// For a publisher that found the cursor released: whether its item came in time, for a stage to handle or the ring to
    /// count. Where not, no stage ever sees it.
    /// </summary>
    private protected bool IsInTime(Claimer claimer, long own)
    {
        // The seal under way decides, and nothing after it.
        long inTime = Seal();
        long sequence = claimer.SequenceOf(own);
        return sequence <= inTime || Array.BinarySearch(_behindHoles, sequence) >= 0;
    }

    private void SweepUpAll(long published)
    {
        long released = Sequencer.ReleasedThrough();
        for (long sequence = released + 1; sequence <= published; sequence++)
            if (!Sequencer.IsTombstone(sequence)) Unprocessed++;
        Unprocessed += _behindHoles.Length;

        // A handler that never completed may still use its slots: then nothing is taken back, which leaks but corrupts not.
        if (_roster.All.Any(stage => stage.IsAbandoned)) return;
        // Nor can the ring end before the callback that takes what is left over has returned.
        object? outer = Reentrancy.Enter(Family);
        try
        {
            SweepUp(released + 1, Math.Max(released, published), _behindHoles);
        }
        catch (Exception fault)
        {
            Fail(fault, null);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }
    }
}
