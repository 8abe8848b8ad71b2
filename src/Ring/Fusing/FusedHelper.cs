namespace Raceway.Rings;

/// <summary>A further thread for a group of stages that are stepped together: asleep until the group is busy.</summary>
/// <param name="group">The group, whose own thread begins and ends the stages.</param>
internal sealed class FusedHelper(FusedStages group) : Steppable
{
    private long _seen;
    private long _controlSeen;

    internal override IUnitOwner Owner => group.Owner;

    internal override bool LeadsChain => false;

    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        _controlSeen = group.Owner.Control.Word;
        if ((_controlSeen & Control.Halted) != 0) return StepResult.Stopped;
        // Before the look: what the group asks for after it is not missed.
        _seen = group.Help.ReadAcquire();
        int handled = group.HelpOut();
        return handled > 0 ? new StepResult(StepKind.Progressed, handled) : StepResult.Idle;
    }

    internal override WaitTarget NextTarget() =>
        new(group.Help, _seen + 1, Clock.Never, group.Owner.Control, _controlSeen);
}
