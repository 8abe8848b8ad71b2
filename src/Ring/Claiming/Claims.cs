using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>How the sequences of a ring are claimed, published and ended: one protocol for each kind of producers.</summary>
/// <remarks>
/// <para>The protocols are <see cref="SingleClaims"/>, <see cref="MultiClaims"/> and <see cref="ShardedClaims"/>. Each file
/// begins with its argument. None of them knows what a slot holds. A producer's side of a protocol is a
/// <see cref="Claimer"/>. They share four rules.</para>
/// <para><b>Room.</b> A sequence is claimed only after every gate has passed the sequence one capacity before it.</para>
/// <para><b>Closing.</b> A claim is visible before its producer looks whether the ring is closed. The thread that closes the
/// ring stores that, fences, and then reads <see cref="ClaimedThrough"/>. So a claim is counted, or it is refused.</para>
/// <para><b>Settling.</b> A claim ends once: its first items are published with release, the rest is given up.</para>
/// <para><b>End of life.</b> The ring is sealed before it ends. What was published before the seal is in time, and a stage or
/// the ring takes it. A claim that ends later finds the cursor released, and its producer is told
/// (<see cref="Claimer.EndLate"/>). A handle that is disposed gives back what it holds once no call of it is under way.</para>
/// </remarks>
internal abstract class Claims
{
    private readonly List<Claimer> _claimers = [];
    private readonly object _gate = new();
    private readonly int _most;
    private bool _lends;
    private RoomWaits _waitsOfOthers; // of producers disposed since

    private protected Claims(IClaimOwner owner, Sequencer sequencer, RingOptions options, int most) =>
        (Owner, Sequencer, Options, _most) = (owner, sequencer, options, most);

    /// <summary>The ring, as far as claims know it.</summary>
    public IClaimOwner Owner { get; }

    public Sequencer Sequencer { get; }

    public RingOptions Options { get; }

    /// <summary>Whether a claim can be published behind another one that is open.</summary>
    public virtual bool HasHoles => false;

    /// <summary>The highest sequence that a producer has claimed; over lanes, as a count.</summary>
    public abstract long ClaimedThrough { get; }

    /// <summary>Whether any producer is within a commit of several: a few stores.</summary>
    public bool IsCommitting
    {
        get
        {
            using Gate.Held held = Gate.Hold(_gate);
            return _claimers.Exists(static claimer => claimer.IsCommitting);
        }
    }

    /// <summary>How all producers there have been have waited for room.</summary>
    public RoomWaits RoomWaits
    {
        get
        {
            using Gate.Held held = Gate.Hold(_gate);
            RoomWaits sum = _waitsOfOthers;
            foreach (Claimer claimer in _claimers) sum += claimer.RoomWaits;
            return sum;
        }
    }

    /// <summary>The protocol that the options ask for.</summary>
    public static Claims Of(IClaimOwner owner, Sequencer sequencer, RingOptions options) => options.Producers switch
    {
        ProducerKind.Single => new SingleClaims(owner, sequencer, options),
        ProducerKind.Multi => new MultiClaims(owner, sequencer, options),
        _ => new ShardedClaims(owner, sequencer, options),
    };

    /// <summary>Checks what the protocol asks of the options, before anything is built.</summary>
    /// <exception cref="ArgumentException">It does not fit; the message has the rule and the remedy.</exception>
    public static void Check(int capacity, RingOptions options, bool hasPayloads)
    {
        if (options.Producers == ProducerKind.Multi) MultiClaims.CheckCredits(capacity, options);
        if (options.Producers == ProducerKind.Sharded) ShardedClaims.CheckLanes(capacity, options, hasPayloads);
    }

    /// <summary>How many slots each column of items has, and how many columns there are: one, or one for each lane.</summary>
    public static (int Columns, int Capacity) Shape(int capacity, RingOptions options) =>
        options.Producers == ProducerKind.Sharded
            ? (options.MaxProducers, ShardedClaims.LaneCapacity(capacity, options)) : (1, capacity);

    /// <summary>Of several producers, what is published behind <paramref name="published"/>, and so behind an open claim.</summary>
    public virtual long[] PublishedBehindHoles(long published) => [];

    /// <summary>A further producer.</summary>
    /// <param name="copies">A slot is filled by storing an item over it: nothing is lent, and no object is the slot's own.</param>
    /// <exception cref="InvalidOperationException">The ring has all its producers.</exception>
    public Claimer Add(bool copies)
    {
        using Gate.Held held = Gate.Hold(_gate);
        if (_claimers.Count >= _most) throw Full(_most, _lends);
        Claimer claimer = Create(copies, _claimers);
        _claimers.Add(claimer);
        return claimer;
    }

    /// <summary>One of the producers serves a publisher for good: an error for too many then says so.</summary>
    public void Lend() => _lends = true;

    /// <summary>A producer has given back all that it held.</summary>
    public void Forget(Claimer claimer)
    {
        using Gate.Held held = Gate.Hold(_gate);
        if (_claimers.Remove(claimer)) _waitsOfOthers += claimer.RoomWaits;
        Debug.Assert(_claimers.Count <= _most, "There are more producers than the ring was sized for.");
    }

    private protected abstract Claimer Create(bool copies, List<Claimer> others);

    private protected virtual Exception Full(int most, bool isLent) => OptionErrors.TooManyProducers(most, isLent);
}

/// <summary>What claims need of the life of their ring.</summary>
internal interface IClaimOwner
{
    /// <summary>The clock of time-outs.</summary>
    Clock Clock { get; }

    /// <summary>Whether the caller is a handler of the ring, which would wait for itself if it waited for room.</summary>
    bool IsHandling { get; }

    /// <summary>The calling thread blocks until there is room.</summary>
    void BlocksHere();

    /// <summary>A producer begins to wait for room; returns the control word to wait with.</summary>
    long BeginBlocked();

    /// <summary>It has room, or has given up.</summary>
    void EndBlocked();

    /// <summary>Wakes all that wait, to look again.</summary>
    void Nudge();

    /// <summary>Why a claim is refused.</summary>
    Exception Refusal();

    /// <summary>Runs <paramref name="stamp"/> unless the ring is sealed: for a producer that the ring no longer knows.</summary>
    bool UnlessSealed(Action stamp);

    /// <summary>Seals the ring; returns the last sequence that was in time.</summary>
    long Seal();

    /// <summary>
    /// A claim has ended after the ring was sealed. Returns where what it published came in time, to be handled or counted;
    /// throws where it did not.
    /// </summary>
    void EndLate(Claimer claimer, long first, int count, int published);
}

/// <summary>How producers have waited for room: how often, how often asleep, and for how long.</summary>
internal readonly record struct RoomWaits(long Waits, long Parks, long Blocked, long Waking)
{
    public static RoomWaits operator +(RoomWaits left, RoomWaits right) =>
        new(left.Waits + right.Waits, left.Parks + right.Parks, left.Blocked + right.Blocked, left.Waking + right.Waking);
}
