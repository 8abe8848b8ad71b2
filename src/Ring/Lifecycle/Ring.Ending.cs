namespace Raceway.Rings;

/// <content>How a ring ends: halted, faulted or disposed, once.</content>
public abstract partial class Ring
{
    /// <summary>A stage failed for good (or the ring itself). Any thread, also a stage's own; never waits.</summary>
    internal void Fail(Exception cause, Stage? stage)
    {
        Gate.Enter(_gate);
        bool first = _state is not (RingState.Stopped or RingState.Faulted);
        if (first)
        {
            _fault = new RingFaultedException(stage?.Name, cause);
            _state = RingState.Faulted;
            Control.Change(Control.Closed | Control.Halted);
        }

        Gate.Exit(_gate);
        if (first) Finish();
    }

    /// <summary>Hands over what is left, and takes every slot back, after the last stage has ended.</summary>
    private protected abstract void SweepUp(long first, long last);

    private async Task DisposeCoreAsync()
    {
        await DrainAsync(_options.DrainTimeout).ConfigureAwait(false);
        Close(disposed: true);
        await Task.WhenAny(_completion.Task).ConfigureAwait(false);
    }

    private void Close(bool disposed)
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
        Driver[] drivers = [.. _drivers];
        Gate.Exit(_gate);
        WakeEverybody();
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

        Gate.Enter(_gate);
        Stage[] stages = [.. _stages, .. _leaving];
        Gate.Exit(_gate);
        foreach (Stage stage in stages) await EndAtCallerAsync(stage).ConfigureAwait(false);

        // A claim that is still open can be committed no more; what was committed before is counted below.
        Sequencer.Cursor.Release();
        // ORDER: pairs with the load of the waiters' cell after a commit's store: either it is counted, or it throws.
        Interlocked.MemoryBarrierProcessWide();
        SweepUpAll();
        Gate.Enter(_gate);
        if (_state != RingState.Faulted) _state = RingState.Stopped;
        RingFaultedException? fault = _fault;
        Gate.Exit(_gate);
        WakeEverybody();
        if (fault is null) _completion.TrySetResult();
        else _completion.TrySetException(fault);
        // A fault is also told by producers and by the state: nobody is obliged to look at the task.
        _ = _completion.Task.Exception;
    }

    private void SweepUpAll()
    {
        long released = Sequencer.ReleasedThrough();
        long published = Sequencer.PublishedThrough();
        for (long sequence = released + 1; sequence <= published; sequence++)
            if (!Sequencer.IsTombstone(sequence)) Unprocessed++;

        // A handler that never completed may still use its slots: then nothing is taken back, which leaks but corrupts not.
        if (Stages.Any(stage => stage.IsAbandoned)) return;
        try
        {
            SweepUp(released + 1, published);
        }
        catch (Exception fault)
        {
            Fail(fault, null);
        }
    }
}
