namespace Raceway.Rings;

/// <content>
/// A stage without a driver of its own: stepped by its user (a poller with a thread of its own choice, or a deterministic
/// test), or together with others.
/// </content>
public abstract partial class Stage
{
    private readonly TaskCompletionSource _leftGroup = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _callerDriven;
    private long _steps;
    private bool _hasEnded;

    internal bool IsDrivenByCaller => _callerDriven;

    /// <summary>Even between steps, odd within one; 0 where its caller has never stepped it.</summary>
    internal long StepsByCaller => Volatile.Read(ref _steps);

    /// <summary>Whether it will not call its handler again, its stop hook included. Set when its ring ends.</summary>
    internal bool HasEnded
    {
        get => Volatile.Read(ref _hasEnded);
        set => Volatile.Write(ref _hasEnded, value);
    }

    /// <summary>A snapshot: whether a handler's task, or a polled batch, is under way.</summary>
    internal bool IsHandling => Volatile.Read(ref _at.Running) != 0 && PendingFor == Stall.Own && IsUnfinished;

    /// <summary>A snapshot: whether it waits for room in another ring.</summary>
    internal bool IsBlocked => Volatile.Read(ref _at.Running) != 0 && PendingFor == Stall.Blocked && IsUnfinished;

    /// <summary>Whether there is something that it has not passed and what it follows has; at its front, up to
    /// <paramref name="target"/>.</summary>
    internal bool Lags(long target) =>
        Position < (_upstream.Length == 0 ? target : _upstream.Min(static cell => cell.ReadAcquire()));

    private bool IsUnfinished => Completion is var (cell, awaited, _) && !cell.IsReached(awaited);

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
        if (!TryEnter()) return false;
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
            Exit();
        }

        return true;
    }

    private StepResult StepForCaller(int quantum)
    {
        // ORDER: full, before the control word is read: the ring halts, then takes the stage's end into its own hands.
        if (!TryEnter()) return StepResult.Pending;
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
            Exit();
        }
    }

    // Odd while a step is under way: so it says at the same time how often the caller has stepped.
    private bool TryEnter()
    {
        long steps = Volatile.Read(ref _steps);
        return (steps & 1) == 0 && Interlocked.CompareExchange(ref _steps, steps + 1, steps) == steps;
    }

    private void Exit() => Volatile.Write(ref _steps, _steps + 1);
}
