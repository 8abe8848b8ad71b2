namespace Raceway.Rings;

/// <summary>What somebody waits for: a cell to reach a sequence, a point in time, or any change of the ring's state.</summary>
/// <param name="Cell">The cell to arm on.</param>
/// <param name="Awaited">The sequence awaited there.</param>
/// <param name="Deadline">When to look again in any case, in <see cref="Clock"/> ticks.</param>
/// <param name="Control">The ring's control word.</param>
/// <param name="ControlSeen">The word when the waiter last looked at the ring's state.</param>
internal readonly record struct WaitTarget(
    Progress Cell, long Awaited, long Deadline, Control Control, long ControlSeen)
{
    /// <summary>What its time is counted as.</summary>
    public Stall Stall { get; init; }

    /// <summary>Not worth polling for: a wait that can sleep does so at once.</summary>
    public bool IsFar { get; init; }

    /// <summary>Whether it is there, or something changed. The armed cell is asked, never the whole stage: of a join's
    /// cells another may lag by now, and sleeping on this one would then be for ever.</summary>
    public bool IsOver => Cell.IsReached(Awaited) || Control.Word != ControlSeen;
}
