using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Steps a stage for its caller: a poller with a thread of its own choice, or a deterministic test.</summary>
/// <remarks>
/// One thread at a time: a word is odd while a step is under way, and so also counts the steps. The ring takes the end of the
/// stage into its own hands by the same word, when no caller is inside. The word lies in a cell: a caller that polls writes it all
/// the time, and what lay beside it would be slow for other threads to read.
/// </remarks>
internal sealed class CallerStepping(Stage stage, Ring ring)
{
    private const int OftenLooks = 200; // a millisecond apart

    // SAFETY: a cell of the ring's memory, which the ring keeps for as long as its stages.
    private readonly unsafe long* _steps = ring.Sequencer.Memory.Cell(0);

    /// <summary>Where the word lies.</summary>
    public unsafe long* Cell => _steps;

    /// <summary>Even between steps, odd within one; 0 if its caller has never stepped it.</summary>
    public unsafe long Steps => Volatile.Read(ref *_steps);

    /// <summary>One step; pending if another thread is inside.</summary>
    public StepResult Step(int max)
    {
        // ORDER: full, before the control word is read: the ring halts, then takes the stage's end into its own hands.
        if (!TryEnter()) return StepResult.Pending;
        try
        {
            if (!stage.HasBegun && !stage.IsLeaving && !ring.Control.IsHalted) stage.Begin();
            StepResult result = stage.StepOnce(max);
            if (result.Kind == StepKind.Stopped) stage.End();
            return result;
        }
        catch (Exception fault)
        {
            // A start or stop hook: what a handler throws has met its policy.
            ring.Fail(fault, stage);
            return StepResult.Stopped;
        }
        finally
        {
            Exit();
        }
    }

    /// <summary>How long until time alone lets the stage go on: infinite if it does not, zero if another thread is inside.</summary>
    public TimeSpan UntilDue()
    {
        if (stage.Ended.IsCompleted) return Timeout.InfiniteTimeSpan;
        // What a step has left is read as by a step.
        if (!TryEnter()) return TimeSpan.Zero;
        try
        {
            return ring.Clock.Until(stage.NextTarget().Deadline);
        }
        finally
        {
            Exit();
        }
    }

    /// <summary>The same as <see cref="TryEnd"/>, and looks again until it has ended.</summary>
    /// <remarks>Its caller may be inside a step, or its handler's task may run, and may never end: nothing but time wakes it up.</remarks>
    public async Task EndAsync()
    {
        for (int looks = 0; !TryEnd(); looks++)
            await (looks < OftenLooks ? MachineClock.PauseAsync() : MachineClock.LongPauseAsync()).ConfigureAwait(false);
    }

    /// <summary>
    /// The ring, or the stage's time in it, has ended: takes a completed handler's result, and runs the stop hook if the
    /// caller has not met the end itself. False while a step or a handler's task is under way.
    /// </summary>
    public bool TryEnd()
    {
        if (!TryEnter()) return false;
        try
        {
            if (stage.GetHandler<object>() is IRevocable revocable) revocable.Revoke();
            if (stage.StepOnce(1).Kind != StepKind.Stopped) return false;
            stage.End();
        }
        catch (Exception fault)
        {
            ring.Fail(fault, stage);
        }
        finally
        {
            Exit();
        }

        return true;
    }

    private unsafe bool TryEnter()
    {
        long steps = Volatile.Read(ref *_steps);
        return (steps & 1) == 0 && Interlocked.CompareExchange(ref *_steps, steps + 1, steps) == steps;
    }

    private unsafe void Exit()
    {
        long steps = *_steps;
        Debug.Assert((steps & 1) != 0, "A step ends that has begun.");
        Volatile.Write(ref *_steps, steps + 1);
    }
}
