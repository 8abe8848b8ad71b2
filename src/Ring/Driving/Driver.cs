namespace Raceway.Rings;

/// <summary>Steps something until it has stopped. One for each thread, or pool activation chain, of a ring.</summary>
internal abstract class Driver(Steppable unit)
{
    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _launched;

    public Steppable Unit { get; } = unit;

    /// <summary>The driver of a unit that waits so: a thread of its own, or the thread pool.</summary>
    public static Driver Of(Steppable unit, Wait wait, string name) =>
        wait.PoolSlice is { } slice ? new PoolDriver(unit, slice, wait.CutsBatches) : new ThreadDriver(unit, wait, name);

    /// <summary>Completes when the start hooks have returned; faults with what they threw.</summary>
    public Task Started => _started.Task;

    /// <summary>Completes when the unit will not be stepped again and its stop hooks have returned. Never faults.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Begins, once.</summary>
    public void Launch()
    {
        if (Interlocked.Exchange(ref _launched, 1) == 0) LaunchCore();
    }

    /// <summary>What was never launched has ended.</summary>
    public void EndIfNeverLaunched()
    {
        if (Interlocked.Exchange(ref _launched, 1) != 0) return;
        NeverLaunched();
        _started.TrySetCanceled();
        _ended.TrySetResult();
    }

    protected abstract void LaunchCore();

    /// <summary>It ends without having been launched.</summary>
    protected virtual void NeverLaunched()
    {
    }

    /// <summary>Runs the start hooks; false where they threw, and the driver has ended.</summary>
    protected bool Begin()
    {
        try
        {
            Unit.Begin();
            _started.TrySetResult();
            return true;
        }
        catch (Exception fault)
        {
            _started.TrySetException(fault);
            _ended.TrySetResult();
            return false;
        }
    }

    /// <summary>Runs the stop hooks; the driver has ended.</summary>
    protected void End()
    {
        try
        {
            Unit.End();
        }
        catch (Exception fault)
        {
            Unit.Owner.Fail(fault);
        }

        _ended.TrySetResult();
    }
}
