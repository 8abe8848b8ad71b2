using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>One producer, one cursor: no atomic operation, and no fence, per message.</summary>
/// <remarks>
/// <para><b>Claim.</b> 1. Announce it by a store to a cell of the producer's own. 2. Look whether the ring is closed, and
/// whether the limit allows it. 3. Write the slot. 4. Advance the cursor. The thread that closes the ring stores that, issues a
/// process-wide barrier and then reads the announcement. So the claim is seen and waited for, or the producer sees the ring
/// closed.</para>
/// <para><b>Publish without an announcement.</b> Stores are what bounds a publishing loop, and the claim of one item lasts for
/// a few instructions. So it is not announced. Before a ring ends it is sealed behind another such barrier. A publish that is
/// later than that finds the cursor released when it looks for waiters, and no stage looks at its item.</para>
/// <para><b>The fast way.</b> Everything unusual (an open claim, payloads, thread checks, an async call) keeps the fast limit
/// at −1, so that the fast way has nothing else to test.</para>
/// <para><b>One open claim.</b> So giving up is a rewind: the next claim begins where the cursor stands. It has the sequence
/// of the one given up, so claims are told apart by a number, which is odd while one is open.</para>
/// <para><b>Copies of an <see cref="OpenProducer{T}"/></b> may go on after another copy has given the handle back. So a claim
/// begins at the cursor; no handle remembers where it is. A claim that was published over ends without an item.</para>
/// <para><b>End of life.</b> The next producer begins where this one ends. So a handle leaves the ring once its open claim has
/// ended: by that claim, or by Dispose.</para>
/// </remarks>
internal sealed unsafe class SingleClaims : Claims
{
    private readonly Lane _lane;

    public SingleClaims(IClaimOwner owner, Sequencer sequencer, RingOptions options)
        : base(owner, sequencer, options, most: 1) =>
        _lane = new Lane(
            sequencer, 0, sequencer.Capacity, sequencer.Cursor.ValueCell, sequencer.Memory.Cell(sequencer.Start - 1));

    public override long ClaimedThrough => _lane.ClaimedThrough;

    private protected override Claimer Create(bool copies, List<Claimer> others) => new SingleClaimer(this, _lane, copies);

    private protected override Exception Full(int most, bool isLent) => OptionErrors.SecondSingleProducer(isLent);
}

/// <inheritdoc cref="SingleClaims"/>
internal sealed unsafe class SingleClaimer : Claimer
{
    private readonly Lane _lane;
    private readonly Availability? _stamps;
    private readonly long* _cursor;
    private readonly long* _waiters;
    private readonly long* _claimed;
    private readonly long* _control;
    private long _number; // of the last claim, or of its end: odd while it is open
    private ClaimState _state;

    public SingleClaimer(Claims claims, Lane lane, bool copies)
        : base(claims, lane.Capacity, copies)
    {
        _lane = lane;
        _stamps = Sequencer.Availability;
        _cursor = lane.Published;
        _waiters = lane.Waiters;
        _claimed = lane.Claimed;
        _control = Sequencer.Control.Cell;
        _state.FastLimit = -1;
        _state.Limit = -1;
    }

    public override int Remaining => (int)Math.Clamp(_lane.Limit() - _lane.ClaimedThrough, 0, _lane.Capacity);

    public Lane Lane => _lane;

    /// <summary>Whether the ring takes no more claims.</summary>
    public bool IsClosed
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (Volatile.Read(ref *_control) & Control.Closed) != 0;
    }

    /// <summary>The highest sequence known to have room.</summary>
    public long Limit => _state.Limit;

    private protected override bool HasOpenClaim => (Volatile.Read(ref _number) & 1) != 0;

    // By the cursor, also while a claim is open. To remember it as well would be a store more with each item, and the stores are what
    // bounds a publishing loop. Nor would it be right: an OpenProducer that was given back by a copy of it may have gone on.
    private long Next
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref *_cursor) + 1;
    }

    /// <summary>The next sequence, if it can be published the fast way: unannounced, with nothing to look at but the ring.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsFast(out long next)
    {
        next = Next;
        return next <= _state.FastLimit;
    }

    /// <summary>Publishes the sequence of <see cref="IsFast"/>, once its slot has been written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PublishFast(long next)
    {
        Debug.Assert(next <= _state.Limit, "A claim without room.");
        Debug.Assert(Volatile.Read(ref *_cursor) == next - 1, "The cursor moves by one item at a time, and never back.");
        // ORDER: release; pairs with ReadAcquire by the stages: the slot is visible to the stage that sees the cursor.
        Volatile.Write(ref *_cursor, next);
        // ORDER: a load after a store; pairs with the barrier in Progress.Arm.
        if (Volatile.Read(ref *_waiters) != 0) Signal(next, next);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Signal(long first, long last) => Tell(first, (int)(last - first + 1), (int)(last - first + 1));

    /// <summary>Begins an <see cref="OpenProducer{T}"/>; returns what tells it from all other claims.</summary>
    /// <exception cref="InvalidOperationException">A claim is open.</exception>
    public long Open(out long next)
    {
        Enter(suspended: false);
        try
        {
            long number = NextNumber();
            // Told from here: what another thread, which is misuse, stores behind it must not pass for this claim's.
            next = Next;
            _state.FastLimit = -1;
            Volatile.Write(ref _number, number);
            return number;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Waits until an <see cref="OpenProducer{T}"/> has room for <paramref name="count"/> from <paramref name="next"/>, and claims it.
    /// Where the ring takes no more, a claim of <paramref name="held"/> that was not committed ends too.</summary>
    public void MakeRoom(long number, long next, int count, int held)
    {
        CheckOpen(number, next);
        // What waits is no claim: a drain must not wait for it.
        Volatile.Write(ref *_claimed, next - 1);
        CheckCount(count);
        if (WaitForRoom(count, Timeout.InfiniteTimeSpan, CancellationToken.None) != ClaimStatus.Done)
        {
            End(next, Math.Max(count, held), 0);
            throw Owner.Refusal();
        }

        // Closed since: then the end of the ring finds the smaller announcement, and takes the rest of what was held itself.
        if (!Announce(next, next + count - 1)) throw Owner.Refusal();
    }

    /// <summary>Publishes the first <paramref name="published"/> of what is announced; the handle's claim, if any, goes on.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void End(long first, int count, int published)
    {
        Store(first, published);
        if (Volatile.Read(ref *_waiters) != 0) Tell(first, count, published);
    }

    /// <summary>Takes over from an <see cref="OpenProducer{T}"/>, unless a copy has ended it: behind what was published.</summary>
    public void Close(long number)
    {
        if (number != _number) return;
        long next = Next;
        Settle(next, (int)(_lane.ClaimedThrough + 1 - next), 0);
    }

    /// <summary>Throws if an <see cref="OpenProducer{T}"/> is a copy left behind: another one has published, or was given back.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void CheckOpen(long number, long next)
    {
        if (number != _number || next != Next) throw ClaimErrors.OpenCopied();
    }

    public override bool TryEnd(long number, long first, int count, int published)
    {
        if (number != _number) return false;
        if (first != Next) return IsPublishedOver();
        Settle(first, count, published);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Settle(long first, int count, int published)
    {
        Store(first, published);
        Free(moved: published != 0);
        if (Volatile.Read(ref *_waiters) != 0) Tell(first, count, published);
    }

    public override long SequenceOf(long own) => _lane.SequenceOf(own);

    private protected override ClaimStatus Acquire(
        int count, TimeSpan timeout, CancellationToken cancellation, out long first, out long number)
    {
        number = NextNumber();
        first = Next;
        long last = first + count - 1;
        if (last > _state.Limit)
        {
            ClaimStatus status = WaitForRoom(count, timeout, cancellation);
            if (status != ClaimStatus.Done) return status;
        }

        Debug.Assert(last <= _state.Limit, "A claim without room.");
        if (!Announce(first, last)) return ClaimStatus.Stopped;
        _state.FastLimit = -1;
        Volatile.Write(ref _number, number);
        return ClaimStatus.Done;
    }

    private protected override bool Reserve(int count, out long last)
    {
        last = Next + count - 1;
        Found = 0;
        if (last <= _state.Limit) return true;
        if (last > long.MaxValue - 2L * Sequencer.Capacity) throw ClaimErrors.Exhausted();
        _state.Limit = _lane.Limit();
        Found = _state.Limit - last + 1;
        return last <= _state.Limit;
    }

    private protected override (Progress Cell, long Awaited) RoomTarget(long last) => _lane.RoomTarget(last);

    private protected override void ClosePlain()
    {
        base.ClosePlain();
        _state.FastLimit = -1;
    }

    private protected override void Retire()
    {
        if (!HasOpenClaim) Forget();
    }

    // False, and taken back, where the ring is closed.
    private bool Announce(long first, long last)
    {
        // ORDER: announce, then look; pairs with the process-wide barrier of Ring.Complete.
        Volatile.Write(ref *_claimed, last);
        if ((Volatile.Read(ref *_control) & Control.Closed) == 0) return true;
        // As a claim given up: the end of the ring may have taken it for one that is open.
        End(first, (int)(last - first + 1), 0);
        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Store(long first, int published)
    {
        long last = first + published - 1;
        // ORDER: release; pairs with ReadAcquire by the stages. The announcement follows, so that a drain never sees less
        // claimed than published.
        if (published > 0) Volatile.Write(ref *_cursor, last);
        Volatile.Write(ref *_claimed, last);
    }

    // Only behind the two cells: the next producer begins at the cursor, and a drain waits for what is announced.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Free(bool moved)
    {
        // An OpenProducer that a copy has given back may publish here, until something was published: see Acquire.
        _state.FastLimit = moved && Copies ? _state.Limit : -1;
        // ORDER: stored, then looked; pairs with the process-wide barrier of Dispose: one of the two forgets the handle.
        Volatile.Write(ref _number, (_number | 1) + 1);
        if (IsDisposed) Retire();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Tell(long first, int count, int published)
    {
        if (!TrySignal(first, first + published - 1)) EndLate(first, count, published);
    }

    // With stamps in the slots they are what stages look at, the cursor is the producer's own, and every commit comes here.
    private bool TrySignal(long first, long last)
    {
        if (_stamps is not null)
        {
            int count = (int)(last - first + 1);
            if (count == 1) _stamps.Publish(first);
            else if (count > 1 && !StampTogether(_stamps, first, count, count)) return false;
        }

        return Volatile.Read(ref *Sequencer.Cursor.NearestCell) == 0 || _lane.Signal();
    }

    // A claim that an OpenProducer, given back by a copy of it, has gone on under: nothing of it is published.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsPublishedOver()
    {
        long published = Volatile.Read(ref *_cursor);
        Volatile.Write(ref *_claimed, published);
        Free(moved: false);
        return false;
    }

    private long NextNumber()
    {
        long number = _number + 1;
        return (number & 1) != 0 ? number : throw ClaimErrors.ClaimOpen();
    }
}
