using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>The one producer of a single-producer ring, or of a lane of a sharded one. No atomic operation, and no fence, a
/// message.</summary>
/// <remarks>
/// <para>In a sharded ring each producer has a lane of its own: slots that nobody else writes, and sequences of its own
/// (<see cref="Claim{T}.Sequence"/> is one of them). Stages see the lanes merged into one order, which keeps each
/// producer's and promises nothing between producers.</para>
/// <para>One open claim at a time, so that giving one up is a rewind. A rewound claim leaves its sequence to the next one, so
/// claims are told apart by a number.</para>
/// <para>A claim: 1. announce it (store to a cell of the producer's own). 2. look whether the ring is closed, and whether
/// the limit allows it. 3. write the slot. 4. advance the cursor. Whoever closes the ring stores that, issues a process-wide
/// barrier and then reads the announcement: so either the claim is seen and waited for, or the producer sees the ring
/// closed.</para>
/// <para>Publish of an item leaves the announcement out (stores are what bounds a publishing loop), as its claim lasts for
/// a few instructions. Before a ring ends it is sealed behind another such barrier: a publish that is later than that finds
/// the cursor released when it looks for waiters, no stage looks at its item, and its caller is told
/// (<see cref="RingBuffer{T}.EndLate"/>).</para>
/// <para>Everything unusual (an open claim, payloads, thread checks, an async call) keeps the limit at −1, so that the fast
/// path has nothing else to test.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public sealed unsafe partial class SingleProducer<T> : Producer<T>
{
    private readonly long* _cursor;
    private readonly long* _waiters;
    private readonly long* _claimed;
    private readonly long* _control;
    private readonly Lane _lane;
    private readonly Availability? _stamps;
    private long _number; // of the last claim, or of its end: odd while it is open
    private ProducerState _state;

    internal SingleProducer(RingBuffer<T> ring, Lane lane, Slots<T> slots)
        : base(ring, slots, slots.Capacity)
    {
        Sequencer sequencer = ring.Sequencer;
        _lane = lane;
        _cursor = lane.Published;
        _stamps = sequencer.Availability;
        _waiters = _stamps is null ? sequencer.Cursor.NearestCell : sequencer.AttentionCell;
        _claimed = lane.Claimed;
        _control = sequencer.Control.Cell;
        _state.Next = lane.ClaimedThrough + 1;
        _state.FastLimit = -1;
        _state.Limit = -1;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Publish(in T item)
    {
        long next = _state.Next;
        if (next > _state.FastLimit)
        {
            PublishSlow(item);
            return;
        }

        if ((Volatile.Read(ref *_control) & Control.Closed) != 0) throw Ring.Refusal();
        PublishAt(next, item);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override ClaimStatus TryPublish(in T item)
    {
        long next = _state.Next;
        if (next > _state.FastLimit) return base.TryPublish(item);
        if ((Volatile.Read(ref *_control) & Control.Closed) != 0) return ClaimStatus.Stopped;
        PublishAt(next, item);
        return ClaimStatus.Done;
    }

    /// <summary>Keeps the producer's state in registers for a loop of single claims: the fastest way to publish.</summary>
    /// <remarks>The handle's own calls are excluded until it is disposed. Hold it for a loop, not for a lifetime.</remarks>
    /// <exception cref="InvalidOperationException">A claim is open.</exception>
    public OpenProducer<T> Open()
    {
        Enter(suspended: false);
        try
        {
            long number = NextNumber();
            _state.Next = Volatile.Read(ref *_cursor) + 1;
            _state.FastLimit = -1;
            Volatile.Write(ref _number, number);
            return new OpenProducer<T>(this, number, _state.Next, OpenLimit, _cursor, _waiters, _claimed, _control);
        }
        finally
        {
            Leave();
        }
    }

    // With payloads every claim is unusual: its slot is lent a buffer.
    private long OpenLimit => Ring.Payloads is null ? _state.Limit : -1;

    /// <summary>Room for <paramref name="count"/> from <paramref name="next"/>, waiting; returns the new limit.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal long MakeRoom(long number, long next, int count)
    {
        CheckOpen(number, next);
        _state.Next = next;
        // What waits is no claim: a drain must not wait for it.
        Volatile.Write(ref *_claimed, next - 1);
        CheckCount(count);
        if (WaitForRoom(count, Timeout.InfiniteTimeSpan, CancellationToken.None) != ClaimStatus.Done)
        {
            GiveUp(next, count);
            throw Ring.Refusal();
        }

        if (!Announce(next, next + count - 1)) throw Ring.Refusal();
        Ring.Payloads?.Lend(next, count);
        return OpenLimit;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Signal(long first, long last)
    {
        int count = (int)(last - first + 1);
        if (!TrySignal(first, last)) Ring.EndLate(_lane, first, count, count);
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

        return Volatile.Read(ref *Ring.Sequencer.Cursor.NearestCell) == 0 || Ring.Sequencer.Signal(_lane);
    }

    private protected override bool HasOpenClaim => (Volatile.Read(ref _number) & 1) != 0;

    private protected override void ClosePlain()
    {
        base.ClosePlain();
        _state.FastLimit = -1;
    }

    // The next producer begins where this one ends, so not before its open claim has.
    private protected override void Retire()
    {
        if (!HasOpenClaim) Ring.Forget(this);
    }

    private protected override ClaimStatus Acquire(
        int count, TimeSpan timeout, CancellationToken cancellation, out long first, out long number)
    {
        number = NextNumber();
        // Not what this handle remembers: an OpenProducer that was given back by a copy of it may have gone on.
        _state.Next = first = Volatile.Read(ref *_cursor) + 1;
        long last = first + count - 1;
        if (last > _state.Limit)
        {
            ClaimStatus status = WaitForRoom(count, timeout, cancellation);
            if (status != ClaimStatus.Done) return status;
        }

        if (!Announce(first, last)) return ClaimStatus.Stopped;
        _state.FastLimit = -1;
        Volatile.Write(ref _number, number);
        return ClaimStatus.Done;
    }

    /// <inheritdoc/>
    public override int Remaining =>
        (int)Math.Clamp(Ring.Sequencer.Limit(_lane) - _lane.ClaimedThrough, 0, Slots.Capacity);

    internal Lane Lane => _lane;

    internal Slots<T> LaneSlots => Slots;

    private protected override (Progress Cell, long Awaited) RoomTarget(long last) =>
        Ring.Sequencer.RoomTarget(_lane, last);

    private protected override bool Reserve(int count, out long last)
    {
        last = _state.Next + count - 1;
        Found = 0;
        if (last <= _state.Limit) return true;
        if (last > long.MaxValue - 2L * Ring.Capacity) throw ProducerErrors.Exhausted();
        _state.Limit = Ring.Sequencer.Limit(_lane);
        Found = _state.Limit - last + 1;
        return last <= _state.Limit;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void PublishAt(long next, in T item)
    {
        Slots.Own(next) = item;
        _state.Next = next + 1;
        // ORDER: release; pairs with ReadAcquire by the stages: the slot is visible to who sees the cursor.
        Volatile.Write(ref *_cursor, next);
        // ORDER: a load after a store; pairs with the barrier in Progress.Arm.
        if (Volatile.Read(ref *_waiters) != 0) Signal(next, next);
    }

    // By value: a reference would keep the caller's own variable in memory, on the fast path too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishSlow(T item)
    {
        CheckCopies();
        using Claim<T> claim = Claim();
        claim.Slot = item;
        // The lent payload, if any, stays the slot's own: the item's copy is no lease.
        claim.Commit();
    }

    // False, and taken back, where the ring is closed.
    private bool Announce(long first, long last)
    {
        // ORDER: announce, then look; pairs with the process-wide barrier of Ring.Complete.
        Volatile.Write(ref *_claimed, last);
        if ((Volatile.Read(ref *_control) & Control.Closed) == 0) return true;
        // As a claim given up: the end of the ring may have taken it for one that is open.
        GiveUp(first, (int)(last - first + 1));
        return false;
    }

    private long NextNumber()
    {
        long number = _number + 1;
        return (number & 1) != 0 ? number : throw ProducerErrors.ClaimOpen();
    }
}
