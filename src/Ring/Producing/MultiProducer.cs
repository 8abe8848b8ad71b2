using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>One of several producers of a multi-producer ring, for one thread.</summary>
/// <remarks>
/// <para>Room is taken as credits, some at a time, by compare-and-swap on a count of what has been granted; a claim is then
/// a bare fetch-add that always has room. A wait for credits owns no sequence, so it can be cancelled.</para>
/// <para>Safe because claimed + all unspent credits = granted ≤ released + capacity at every moment: a grant raises granted
/// after it has seen the room, a claim moves one unit from credits to claimed, a disposed handle takes its unspent credits
/// off granted. (Mixing a fetch-add after a stale look at the room with compare-and-swap up to the limit is not safe.)</para>
/// <para>Price: idle producers hold up to <see cref="CreditBatch"/> − 1 slots each; that is at most half the ring.</para>
/// <para>Producers that wait for room take turns (<see cref="Turns"/>): while another one has the turn, half the ring is kept
/// for it, and Try calls answer Full for that half.</para>
/// <para>A claim: 1. credits. 2. fetch-add (a full fence). 3. look whether the ring is closed; if so bury the sequence and
/// refuse. 4. write the slot. 5. stamp it. Whoever closes the ring stores that with a full fence and then reads the claim
/// counter: so a claim is either counted by the drain or sees the ring closed.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public sealed unsafe class MultiProducer<T> : Producer<T>
{
    private const int MostCredits = 64;

    private readonly Availability _availability;
    private readonly Progress _cursor;
    private readonly long* _claim;
    private readonly long* _granted;
    private readonly long* _waiters;
    private readonly long* _control;
    private readonly Turns _turns;
    private int _retired;
    private ProducerState _state;

    internal MultiProducer(RingBuffer<T> ring)
        : base(ring, ring.Slots, ring.Capacity - (ring.Options.MaxProducers - 1) * (CreditsFor(ring) - 1))
    {
        Sequencer sequencer = ring.Sequencer;
        _availability = sequencer.Availability!;
        _cursor = sequencer.Cursor;
        _claim = sequencer.ClaimedCell;
        _granted = sequencer.GrantedCell;
        _waiters = sequencer.Cursor.NearestCell;
        _control = sequencer.Control.Cell;
        _turns = sequencer.Turns!;
        CreditBatch = CreditsFor(ring);
        _state.Limit = -1;
        _state.Open = -1;
    }

    /// <summary>How much room is taken at a time.</summary>
    public int CreditBatch { get; }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Publish(in T item)
    {
        if (!Copies || _state.Credits <= 0)
        {
            PublishSlow(item);
            return;
        }

        _state.Credits--;
        long sequence = Interlocked.Increment(ref *_claim) - 1;
        if ((Volatile.Read(ref *_control) & Control.Closed) != 0) Refuse(sequence, 1);
        Slots.Own(sequence) = item;
        _availability.Publish(sequence);
        // ORDER: a load after a store; pairs with the barrier in Progress.Arm.
        if (Volatile.Read(ref *_waiters) != 0) Signal(sequence);
    }

    /// <remarks>
    /// A sequence is claimed once, so the first one tells the claim from all others. The handle knows whether its last claim
    /// is open; of an earlier one the stamp says so, which still has the lap before.
    /// </remarks>
    internal override bool TryEnd(long number, long first, int count, int published)
    {
        if (_state.Open == first) _state.Open = -1;
        else if (!_availability.IsOpen(first)) return false;
        EndNow(first, count, published);
        return true;
    }

    internal override void Settle(long first, int count, int published) => EndNow(first, count, published);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void EndNow(long first, int count, int published)
    {
        bool stamped = true;
        if (count > 1) stamped = StampTogether(_availability, first, count, published);
        else if (published == 1) _availability.Publish(first);
        else _availability.Bury(first, first);
        if (stamped && (Volatile.Read(ref *_waiters) == 0 || _cursor.Signal(first, first + count - 1))) return;
        EndLate(stamped, first, count, published);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EndLate(bool stamped, long first, int count, int published)
    {
        if (!stamped)
        {
            // Too late as a whole. Once the seal has decided that, the stamps say that the claim has ended; no stage looks there.
            Ring.Seal();
            _availability.Bury(first, first + count - 1);
        }

        Ring.EndLate(Ring.Sequencer.OnlyLane, first, count, published);
    }

    private protected override void Retire()
    {
        // By Dispose, or by the call that was under way: one of them.
        if (Interlocked.Exchange(ref _retired, 1) != 0) return;
        Place!.Retire();
        long credits = _state.Credits;
        _state.Credits = 0;
        Interlocked.Add(ref *_granted, -credits);
        Ring.Forget(this);
        // Others may have been waiting for exactly this room.
        if (credits != 0) Ring.Nudge();
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

        // Looked at before as well: a refused claim after the fetch-add leaves a tombstone, which costs every stage.
        if ((Volatile.Read(ref *_control) & Control.Closed) != 0) return ClaimStatus.Stopped;
        _state.Credits -= count;
        first = number = Interlocked.Add(ref *_claim, count) - count;
        if ((Volatile.Read(ref *_control) & Control.Closed) == 0)
        {
            _state.Open = first;
            return ClaimStatus.Done;
        }

        Settle(first, count, 0);
        return ClaimStatus.Stopped;
    }

    /// <inheritdoc/>
    public override int Remaining =>
        (int)Math.Clamp(Ring.Capacity - (Ring.Sequencer.ClaimedThrough - Ring.Sequencer.ReleasedThrough()), 0, Ring.Capacity);

    private protected override (Progress Cell, long Awaited) RoomTarget(long last) => Ring.Sequencer.RoomTarget(last);

    private protected override bool Reserve(int count, out long last)
    {
        Found = 0;
        long kept = _turns.KeptFrom(Place!);
        while (true)
        {
            long missing = count - _state.Credits;
            long granted = Volatile.Read(ref *_granted);
            last = granted + missing - 1;
            if (missing <= 0) return true;
            if (last > long.MaxValue - 2L * Ring.Capacity) throw ProducerErrors.Exhausted();
            long wished = Math.Max(missing, CreditBatch);
            if (granted + wished + kept - 1 > _state.Limit)
            {
                _state.Limit = Ring.Sequencer.Limit();
                Found = _state.Limit - last + 1;
            }

            long free = _state.Limit - granted + 1;
            if (missing + kept > free)
            {
                if (kept != 0) _turns.Refused(free);
                last += kept;
                return false;
            }

            long taken = Math.Min(wished, free - kept);
            if (Interlocked.CompareExchange(ref *_granted, granted + taken, granted) == granted) _state.Credits += taken;
        }
    }

    private static int CreditsFor(RingBuffer<T> ring) =>
        Math.Clamp(ring.Capacity / (2 * ring.Options.MaxProducers), 1, MostCredits);

    // By value: a reference would keep the caller's own variable in memory, on the fast path too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishSlow(T item)
    {
        CheckCopies();
        using Claim<T> claim = Claim();
        claim.Slot = item;
        claim.Commit();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Refuse(long first, int count)
    {
        Settle(first, count, 0);
        throw Ring.Refusal();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Signal(long sequence)
    {
        if (!_cursor.Signal(sequence, sequence)) Ring.EndLate(Ring.Sequencer.OnlyLane, sequence, 1, 1);
    }
}
