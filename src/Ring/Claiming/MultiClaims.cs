using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Several producers that claim from one counter: one fetch-add per claim.</summary>
/// <remarks>
/// <para><b>Room</b> is taken as credits, some at a time, by compare-and-swap on a count of what has been granted. A claim is
/// then a bare fetch-add that always has room. A wait for credits owns no sequence, so it can be cancelled.</para>
/// <para><b>Safe</b>, because claimed + all unspent credits = granted ≤ released + capacity at every moment. A grant raises
/// granted after it has seen the room. A claim moves units from credits to claimed. A disposed handle takes its unspent credits
/// off granted. (Mixing a fetch-add after a stale look at the room with compare-and-swap up to the limit is not safe.)</para>
/// <para><b>Price.</b> An idle producer holds up to one batch of credits − 1 slots. That is at most half the ring in all.</para>
/// <para><b>Turns.</b> Producers that wait for room take turns (<see cref="Rings.Turns"/>). While another one has the turn, half
/// the ring is kept for it, and Try calls answer Full for that half.</para>
/// <para><b>Claim.</b> 1. Credits. 2. Fetch-add (a full fence). 3. Look whether the ring is closed; if so bury the sequences
/// and refuse. 4. Write the slots. 5. Stamp them. The thread that closes the ring stores that with a full fence and then reads
/// the counter. So a claim is counted by the drain, or it sees the ring closed.</para>
/// <para><b>Settle.</b> A stamp per slot says what is published; a claim that is given up leaves tombstones, which stages pass
/// over. So claims end in any order, and stages read up to the first one that is open. A sequence is claimed once, so the first
/// one tells a claim from all others. The handle knows whether its last claim is open; of an earlier one the stamp says so.</para>
/// <para><b>End of life.</b> A claim of several is stamped as a whole before the seal, or not at all
/// (<see cref="Claimer.StampTogether"/>). What was published behind a claim that is open at the seal is in time, too: stages
/// never reach it, and the ring counts it (<see cref="PublishedBehindHoles"/>).</para>
/// </remarks>
internal sealed unsafe class MultiClaims : Claims
{
    private const int MostCredits = 64;

    public MultiClaims(IClaimOwner owner, Sequencer sequencer, RingOptions options)
        : base(owner, sequencer, options, options.MaxProducers)
    {
        Claimed = sequencer.Memory.Cell(sequencer.Start);
        Granted = sequencer.Memory.Cell(sequencer.Start);
        Turns = new Turns(Granted, sequencer.Capacity, sequencer.Memory);
        CreditBatch = Math.Clamp(sequencer.Capacity / (2 * options.MaxProducers), 1, MostCredits);
    }

    /// <summary>How much room a producer takes at a time.</summary>
    public int CreditBatch { get; }

    /// <summary>The most slots of one claim: the others may hold credits.</summary>
    public int MaxClaim => Sequencer.Capacity - (Options.MaxProducers - 1) * (CreditBatch - 1);

    /// <summary>The next sequence to claim.</summary>
    public long* Claimed { get; }

    /// <summary>One past the highest sequence that room has been taken for.</summary>
    public long* Granted { get; }

    /// <summary>Which producer takes room next, if they wait for long.</summary>
    public Turns Turns { get; }

    public override bool HasHoles => true;

    public override long ClaimedThrough => Volatile.Read(ref *Claimed) - 1;

    public static void CheckCredits(int capacity, RingOptions options)
    {
        if (options.MaxProducers > capacity) throw OptionErrors.TooManyForCapacity(options.MaxProducers, capacity);
    }

    public override long[] PublishedBehindHoles(long published)
    {
        Availability stamps = Sequencer.Availability!;
        List<long> found = [];
        for (long sequence = published + 1; sequence <= ClaimedThrough; sequence++)
            if (stamps.IsPublished(sequence) && !stamps.IsTombstone(sequence)) found.Add(sequence);
        return [.. found];
    }

    private protected override Claimer Create(bool copies, List<Claimer> others) => new MultiClaimer(this, copies);
}

/// <inheritdoc cref="MultiClaims"/>
internal sealed unsafe class MultiClaimer : Claimer
{
    private readonly MultiClaims _claims;
    private readonly Availability _stamps;
    private readonly Progress _cursor;
    private readonly long* _claimed;
    private readonly long* _granted;
    private readonly long* _waiters;
    private readonly long* _control;
    private int _retired;
    private ClaimState _state;

    public MultiClaimer(MultiClaims claims, bool copies)
        : base(claims, claims.MaxClaim, copies)
    {
        _claims = claims;
        _stamps = Sequencer.Availability!;
        _cursor = Sequencer.Cursor;
        _claimed = claims.Claimed;
        _granted = claims.Granted;
        _waiters = _cursor.NearestCell;
        _control = Sequencer.Control.Cell;
        TakePlace(claims.Turns);
        _state.Limit = -1;
        _state.Open = -1;
    }

    /// <summary>How much room is taken at a time.</summary>
    public int CreditBatch => _claims.CreditBatch;

    public override int Remaining =>
        (int)Math.Clamp(Sequencer.Capacity - (_claims.ClaimedThrough - Sequencer.ReleasedThrough()), 0, Sequencer.Capacity);

    /// <summary>Whether <see cref="ClaimFast"/> may be called: there is room, and nothing to look at but the ring.</summary>
    public bool IsFast
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Copies && _state.Credits > 0;
    }

    /// <summary>Claims the next sequence.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ClaimFast()
    {
        _state.Credits--;
        long sequence = Interlocked.Increment(ref *_claimed) - 1;
        Debug.Assert(sequence < Volatile.Read(ref *_granted), "Claimed + unspent credits = granted.");
        if ((Volatile.Read(ref *_control) & Control.Closed) != 0) Refuse(sequence);
        return sequence;
    }

    /// <summary>Publishes the sequence of <see cref="ClaimFast"/>, once its slot has been written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PublishFast(long sequence)
    {
        Debug.Assert(_stamps.IsOpen(sequence), "A claim ends once, and its slot is of the lap before.");
        _stamps.Publish(sequence);
        // ORDER: a load after a store; pairs with the barrier in Progress.Arm.
        if (Volatile.Read(ref *_waiters) != 0) Signal(sequence);
    }

    public override bool TryEnd(long number, long first, int count, int published)
    {
        if (_state.Open == first) _state.Open = -1;
        else if (!_stamps.IsOpen(first)) return false;
        Settle(first, count, published);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Settle(long first, int count, int published)
    {
        bool stamped = true;
        if (count > 1) stamped = StampTogether(_stamps, first, count, published);
        else if (published == 1) _stamps.Publish(first);
        else _stamps.Bury(first, first);
        if (stamped && (Volatile.Read(ref *_waiters) == 0 || _cursor.Signal(first, first + count - 1))) return;
        SettleLate(stamped, first, count, published);
    }

    private protected override ClaimStatus Acquire(
        int count, TimeSpan timeout, CancellationToken cancellation, out long first, out long number)
    {
        first = number = -1;
        if (_state.Credits < count)
        {
            ClaimStatus status = WaitForRoom(count, timeout, cancellation);
            if (status != ClaimStatus.Done) return status;
        }

        Debug.Assert(_state.Credits >= count, "A claim without room.");
        // Looked at before as well: a refused claim after the fetch-add leaves a tombstone, which costs every stage.
        if ((Volatile.Read(ref *_control) & Control.Closed) != 0) return ClaimStatus.Stopped;
        _state.Credits -= count;
        first = number = Interlocked.Add(ref *_claimed, count) - count;
        Debug.Assert(first + count <= Volatile.Read(ref *_granted), "Claimed + unspent credits = granted.");
        if ((Volatile.Read(ref *_control) & Control.Closed) == 0)
        {
            _state.Open = first;
            return ClaimStatus.Done;
        }

        Settle(first, count, 0);
        return ClaimStatus.Stopped;
    }

    private protected override bool Reserve(int count, out long last)
    {
        Found = 0;
        long kept = _claims.Turns.KeptFrom(Place!);
        while (true)
        {
            long missing = count - _state.Credits;
            long granted = Volatile.Read(ref *_granted);
            last = granted + missing - 1;
            if (missing <= 0) return true;
            if (last > long.MaxValue - 2L * Sequencer.Capacity) throw ClaimErrors.Exhausted();
            long wished = Math.Max(missing, CreditBatch);
            if (granted + wished + kept - 1 > _state.Limit)
            {
                _state.Limit = Sequencer.Limit();
                Found = _state.Limit - last + 1;
            }

            long free = _state.Limit - granted + 1;
            if (missing + kept > free)
            {
                if (kept != 0) _claims.Turns.Refused(free);
                last += kept;
                return false;
            }

            long taken = Math.Min(wished, free - kept);
            Debug.Assert(taken >= missing && granted + taken - 1 <= _state.Limit, "Granted ≤ released + capacity.");
            if (Interlocked.CompareExchange(ref *_granted, granted + taken, granted) == granted) _state.Credits += taken;
        }
    }

    private protected override (Progress Cell, long Awaited) RoomTarget(long last) => Sequencer.RoomTarget(last);

    private protected override void Retire()
    {
        // By Dispose, or by the call that was under way: one of them.
        if (Interlocked.Exchange(ref _retired, 1) != 0) return;
        Place!.Retire();
        long credits = _state.Credits;
        Debug.Assert(credits >= 0, "No claim spends more than was granted to it.");
        _state.Credits = 0;
        Interlocked.Add(ref *_granted, -credits);
        Forget();
        // Others may have been waiting for exactly this room.
        if (credits != 0) Owner.Nudge();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SettleLate(bool stamped, long first, int count, int published)
    {
        if (!stamped)
        {
            // Too late as a whole. Once the seal has decided that, the stamps say that the claim has ended; no stage looks there.
            Owner.Seal();
            _stamps.Bury(first, first + count - 1);
        }

        EndLate(first, count, published);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Refuse(long first)
    {
        Settle(first, 1, 0);
        throw Owner.Refusal();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Signal(long sequence)
    {
        if (!_cursor.Signal(sequence, sequence)) EndLate(sequence, 1, 1);
    }
}
