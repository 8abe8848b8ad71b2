namespace Raceway.Rings;

/// <content>Producers that wait for room, as stages with a minimum must know of them.</content>
public abstract partial class Ring
{
    private int _hasMinimum;
    private int _blocked;

    /// <summary>A snapshot of how full it is, and how its producers have waited.</summary>
    public RingStatistics GetStatistics()
    {
        RoomWaits sum = Claims.RoomWaits;
        return new RingStatistics
        {
            Capacity = Capacity,
            Backlog = Backlog,
            Waits = sum.Waits,
            Parks = sum.Parks,
            Blocked = Clock.Span(sum.Blocked),
            Waking = Clock.Span(sum.Waking),
        };
    }

    /// <summary>Whether a producer waits for room: then no stage holds items back for a minimum.</summary>
    internal bool HasBlockedProducers => Volatile.Read(ref _blocked) != 0;

    /// <summary>A stage is called as <paramref name="dispatch"/> says from now on.</summary>
    internal void Note(Dispatch dispatch)
    {
        if (dispatch.Min > 1) Volatile.Write(ref _hasMinimum, 1);
    }

    Clock IClaimOwner.Clock => Clock;

    bool IClaimOwner.IsHandling => Reentrancy.IsHandlerOf(Family);

    Exception IClaimOwner.Refusal() => Refusal();

    void IClaimOwner.Nudge() => Nudge();

    long IClaimOwner.Seal() => Seal();

    void IClaimOwner.EndLate(Claimer claimer, long first, int count, int published) => EndLate(claimer, first, count, published);

    long IClaimOwner.BeginBlocked() => BeginBlocked();

    void IClaimOwner.EndBlocked() => EndBlocked();

    /// <summary>A producer begins to wait; returns the control word to wait with.</summary>
    internal long BeginBlocked()
    {
        // ORDER: full; pairs with the nudge's change, after which every stage looks again.
        Interlocked.Increment(ref _blocked);
        if (Volatile.Read(ref _hasMinimum) != 0) Nudge();
        return Control.Word;
    }

    /// <summary>It has room, or has given up.</summary>
    internal void EndBlocked() => Interlocked.Decrement(ref _blocked);

    /// <inheritdoc cref="IClaimOwner.EndLate"/>
    internal abstract void EndLate(Claimer claimer, long first, int count, int published);
}
