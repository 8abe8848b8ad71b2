namespace Raceway.Rings;

/// <summary>What a thread or a unit waits for: a cell to reach a sequence, a point in time, or any change of the ring's state.</summary>
/// <param name="Cell">The cell to arm on.</param>
/// <param name="Awaited">The sequence awaited there.</param>
/// <param name="Deadline">When to look again in any case, by <see cref="Clock"/>.</param>
/// <param name="Control">The ring's control word.</param>
/// <param name="ControlSeen">The word when the waiter last looked at the ring's state.</param>
internal readonly record struct WaitTarget(
    Progress Cell, long Awaited, long Deadline, Control Control, long ControlSeen)
{
    /// <summary>The clock of <see cref="Deadline"/>.</summary>
    public Clock Clock { get; init; } = Clock.Machine;

    /// <summary>When to look again in any case, by the machine's clock: for a change that nothing signals.</summary>
    public long Recheck { get; init; } = Clock.Never;

    /// <summary>What its time is counted as.</summary>
    public Stall Stall { get; init; }

    /// <summary>How many more sequences a sleep may wait for, for a short time: a wake-up costs the thread that it comes from.</summary>
    public int Company { get; init; }

    /// <summary>Not worth polling for: a wait that can sleep does so at once.</summary>
    public bool IsFar { get; init; }

    /// <summary>The earliest point in time that ends the wait by the machine's clock.</summary>
    public long MachineDeadline => Clock.IsMachine ? Math.Min(Deadline, Recheck) : Recheck;

    /// <summary>Whether time ends the wait.</summary>
    public bool HasDeadline => Deadline != Clock.Never || Recheck != Clock.Never;

    /// <summary>Whether its time has come; of the machine's, whether it is nearer than a sleep can be short.</summary>
    public bool IsDue => MachineClock.MillisecondsUntil(MachineDeadline) == 0 || (!Clock.IsMachine && Clock.Now >= Deadline);

    /// <summary>Whether it is there, or something changed. The armed cell is asked, never the whole stage: of a join's
    /// cells another may lag by now, and sleeping on this one would then be for ever.</summary>
    public bool IsOver => Cell.IsReached(Awaited) || Control.Word != ControlSeen;
}
