namespace Raceway.Rings;

/// <summary>
/// Whether what is left in rings may still be handled: whether any stage that lags is driven, and has something to do that
/// does not wait for a stage that is not.
/// </summary>
/// <remarks>
/// A stage of its own thread, group or pool is driven once the ring has been started. A stage that its caller steps is
/// driven while a step or a polled batch is under way, and while no more than <see cref="s_patience"/> lies between steps, or
/// before the first one: its loop may have just been started. What is offered to a poll that does not come is not under way.
/// </remarks>
internal sealed class Outlook(IReadOnlyList<Ring> rings)
{
    private static readonly long s_patience = Clock.Ticks(TimeSpan.FromMilliseconds(100));
    private readonly Dictionary<Stage, (long Steps, long At)> _seen = [];

    public bool MayGetOn
    {
        get
        {
            long before = 0, after = 0;
            // Looked at twice: what a stage was seen to wait for may have come before the next stage was looked at.
            return MayAny(ref before) || MayAny(ref after) || before != after;
        }
    }

    private bool MayAny(ref long passed)
    {
        bool isLeft = false;
        foreach (Ring ring in rings)
        {
            long target = ring.Target;
            // Each behind its upstream: what those have passed by the time that it is looked at is what it has to do.
            foreach (Stage stage in ring.Stages)
            {
                passed += stage.Position;
                if (stage.Lags(target) && IsDriven(stage, ring) && !(rings.Count > 1 && stage.OpenCallFor == Stall.Blocked)) return true;
            }

            // Looked at after the stages, for the same target: a stage that lagged may have caught up before it was looked at.
            isLeft |= ring.Sequencer.ReleasedThrough() < target;
        }

        // Where nothing is left the drain ends by itself. An item that is being published is in time until it has sealed the ring.
        return !isLeft;
    }

    private bool IsDriven(Stage stage, Ring ring)
    {
        if (stage.Caller is not { } caller) return ring.IsStarted;
        long steps = caller.Steps;
        if ((steps & 1) != 0) return true;
        if (stage.OpenCallFor == Stall.Own && stage.GetHandler<object>() is not IRevocable { IsAwaitingUser: true }) return true;
        if (_seen.TryGetValue(stage, out (long Steps, long At) seen) && seen.Steps == steps) return MachineClock.Now - seen.At < s_patience;
        _seen[stage] = (steps, MachineClock.Now);
        return true;
    }
}
