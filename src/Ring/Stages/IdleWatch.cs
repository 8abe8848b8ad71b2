namespace Raceway.Rings;

/// <summary>What a stage looks after while nothing comes: its idle hook, and claims that are never published.</summary>
/// <param name="ring">The stage's ring.</param>
/// <param name="idleTimeout">After how long without an item the idle hook is called.</param>
/// <param name="leadsChain">Whether the stage reads what producers publish.</param>
internal sealed class IdleWatch(Ring ring, TimeSpan idleTimeout, bool leadsChain)
{
    private long _idleSince;
    private long _gapSince;
    private long _gapAt;

    /// <summary>An item was handled.</summary>
    public void EndIdle() => _idleSince = 0;

    /// <summary>Looks after both.</summary>
    /// <param name="next">The item that the stage waits for.</param>
    /// <param name="isIdle">Whether the idle hook is due.</param>
    /// <returns>When to look again at the latest.</returns>
    /// <exception cref="TimeoutException">A claimed sequence was not published in time.</exception>
    public long Look(long next, out bool isIdle)
    {
        isIdle = false;
        long deadline = Clock.Never;
        if (idleTimeout != Timeout.InfiniteTimeSpan) deadline = LookIdle(out isIdle);
        bool watchesClaims = leadsChain && ring.ClaimTimeout != Timeout.InfiniteTimeSpan && ring.Sequencer.IsMultiProducer;
        return watchesClaims ? Math.Min(deadline, LookForGap(next)) : deadline;
    }

    private long LookIdle(out bool isIdle)
    {
        long now = Clock.Now;
        if (_idleSince == 0) _idleSince = now;
        long due = Clock.After(_idleSince, idleTimeout);
        isIdle = now >= due;
        if (!isIdle) return due;
        _idleSince = now;
        return Clock.After(now, idleTimeout);
    }

    // A claimed sequence that is never published stops every stage behind it: after the limit that is a fault with a name.
    private long LookForGap(long next)
    {
        long now = Clock.Now;
        // A claim wakes no stage, so a sleeper looks now and then whether one has been made.
        if (ring.Sequencer.ClaimedThrough < next) return Clock.After(now, ring.ClaimTimeout);
        if (_gapSince == 0 || _gapAt != next)
        {
            _gapAt = next;
            _gapSince = now;
        }

        long due = Clock.After(_gapSince, ring.ClaimTimeout);
        return now < due ? due : throw Throw.ClaimLost(next, ring.ClaimTimeout);
    }
}
