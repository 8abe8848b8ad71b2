namespace Raceway.Rings;

/// <content>
/// A stage without a driver of its own: stepped by its user (a poller with a thread of its own choice, or a deterministic
/// test), or together with others.
/// </content>
public abstract partial class Stage
{
    private readonly TaskCompletionSource _leftGroup = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _callerDriven;
    private int _stepping;

    /// <summary>True while the caller is inside a step: the ring must not take slots back meanwhile.</summary>
    internal bool IsBeingStepped => Volatile.Read(ref _stepping) != 0;

    internal void DriveByCaller() => _callerDriven = true;

    /// <summary>Completes, for a stage of a group, when it has left it.</summary>
    internal Task LeftGroup => _leftGroup.Task;

    /// <summary>The group it is driven with will not step it again.</summary>
    internal void EndInGroup()
    {
        try
        {
            End();
        }
        finally
        {
            _leftGroup.TrySetResult();
        }
    }

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
        catch (Exception fault) when (!_began)
        {
            _ring.Fail(fault, this);
            return StepResult.Stopped;
        }
        finally
        {
            Volatile.Write(ref _stepping, 0);
        }
    }
}
