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

    internal void DriveByCaller()
    {
        _callerDriven = true;
        CannotPlace("its caller steps it, on a thread of the caller's");
    }

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

    /// <summary>
    /// The ring, or the stage's time in it, has ended: takes a completed handler's result, and runs the stop hook where the
    /// caller has not met the end itself. False while a step or a handler's task is under way.
    /// </summary>
    internal bool TryEndAtCaller()
    {
        if (!_callerDriven) return true;
        if (Interlocked.CompareExchange(ref _stepping, 1, 0) != 0) return false;
        try
        {
            if (StepOnce(1).Kind != StepKind.Stopped) return false;
            End();
        }
        catch (Exception fault)
        {
            _ring.Fail(fault, this);
        }
        finally
        {
            Volatile.Write(ref _stepping, 0);
        }

        return true;
    }

    private StepResult StepForCaller(int quantum)
    {
        // ORDER: full, before the control word is read: the ring halts, then takes the stage's end into its own hands.
        if (Interlocked.CompareExchange(ref _stepping, 1, 0) != 0) return StepResult.Stopped;
        try
        {
            if (!_began && !IsLeaving && !_ring.Control.IsHalted) Begin();
            StepResult result = StepOnce(quantum);
            if (result.Kind == StepKind.Stopped) End();
            return result;
        }
        catch (Exception fault)
        {
            // A start or stop hook: what a handler throws has met its policy.
            _ring.Fail(fault, this);
            return StepResult.Stopped;
        }
        finally
        {
            Volatile.Write(ref _stepping, 0);
        }
    }
}
