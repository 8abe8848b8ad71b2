namespace Raceway.Rings;

/// <content>A stage that its user steps: a poller with a thread of its own choice, or a deterministic test.</content>
public abstract partial class Stage
{
    private bool _callerDriven;
    private int _stepping;

    /// <summary>True while the caller is inside a step: the ring must not take slots back meanwhile.</summary>
    internal bool IsBeingStepped => Volatile.Read(ref _stepping) != 0;

    internal void DriveByCaller() => _callerDriven = true;

    /// <summary>Wakes everybody who waits for this stage.</summary>
    internal virtual void WakeWaiters() => Done.WakeAll();

    /// <summary>After the ring has ended: runs the stop hook, where the caller has not met the end itself.</summary>
    internal void EndAtCaller()
    {
        if (!_callerDriven) return;
        try
        {
            End();
        }
        catch (Exception fault)
        {
            _ring.Fail(fault, this);
        }
    }

    private StepResult StepForCaller(int quantum)
    {
        // ORDER: full, before the control word is read: the ring halts, then looks whether a step is under way.
        Interlocked.Exchange(ref _stepping, 1);
        try
        {
            if (!_began && !_ring.Control.IsHalted) Begin();
            return StepOnce(quantum);
        }
        finally
        {
            Volatile.Write(ref _stepping, 0);
        }
    }
}
