using System.Diagnostics;
using System.Numerics;

namespace Raceway.Rings;

/// <summary>Several producers without an order between them: each has a lane, and readers merge the lanes to one order.</summary>
/// <remarks>
/// <para><b>Claim.</b> A producer claims and publishes in its lane as the only producer of a ring does
/// (<see cref="SingleClaims"/>), in sequences of the lane's own, and shares no line with the others.</para>
/// <para><b>Order.</b> A stage that has used up what it knows takes from each lane in turn what was published there, as a
/// run: so many sequences of the ring are these of that lane. All stages see that one order. It keeps each producer's, and
/// promises nothing between producers. The cursor's value is the last sequence merged.</para>
/// <para><b>Published</b> is counted over the lanes, so that a waiter arms on one cell, and no producer needs to know which
/// sequence its item gets. Two producers may together reach what is awaited: each fences before it counts.</para>
/// <para><b>Room</b> is handed back by walking the runs that every gate has passed.</para>
/// <para><b>End of life.</b> A producer that is disposed leaves its lane to the next one, which goes on behind it. A late item
/// has no place in the order; the sequence that it would get next is behind the seal.</para>
/// </remarks>
internal sealed class ShardedClaims : Claims
{
    public ShardedClaims(IClaimOwner owner, Sequencer sequencer, RingOptions options)
        : base(owner, sequencer, options, options.MaxProducers)
    {
        int capacity = LaneCapacity(sequencer.Capacity, options);
        Lanes = new Lanes(sequencer, options.MaxProducers, capacity);
        sequencer.Cursor.Ingress = Lanes;
    }

    /// <summary>The lanes, and the order that they are merged to.</summary>
    public Lanes Lanes { get; }

    public override long ClaimedThrough => Lanes.ClaimedThrough;

    /// <summary>Slots of each lane: the largest power of two that fits.</summary>
    public static int LaneCapacity(int capacity, RingOptions options) =>
        (int)(BitOperations.RoundUpToPowerOf2((uint)(capacity / options.MaxProducers) + 1) / 2);

    public static void CheckLanes(int capacity, RingOptions options, bool hasPayloads)
    {
        if (capacity > RingOptions.MaxShardedCapacity) throw OptionErrors.ShardedCapacity(capacity);
        if (options.InSlot) throw OptionErrors.StampsInLanes();
        if (LaneCapacity(capacity, options) < 2) throw OptionErrors.TooManyLanes(options.MaxProducers, capacity);
        if (hasPayloads) throw OptionErrors.PayloadsInLanes();
    }

    // A lane goes to the next producer where the one before has left it.
    private protected override Claimer Create(bool copies, List<Claimer> others) =>
        new SingleClaimer(this, Lanes.All.First(lane => !others.Exists(other => ((SingleClaimer)other).Lane == lane)), copies);
}

/// <summary>The lanes of a sharded ring, and the one order that their items are given: the stage that reads first merges.</summary>
/// <remarks>Everything but what is said otherwise is under one gate, taken once a look, not once an item.</remarks>
internal sealed unsafe class Lanes : Ingress
{
    // What a lane gives in its turn: the others' items must not wait behind all of a full lane.
    private const int MostInTurn = 1024;
    // What is merged at once, in several turns: less would look to the waiting rules as if not more had come.
    private const int MostAtOnce = 4096;

    private readonly Shard[] _lanes;
    private readonly LaneRun[] _runs;
    private readonly long _mask;
    private readonly object _gate = new();
    private readonly Sequencer _sequencer;
    private long _head;
    private long _tail;
    private int _turn;

    /// <param name="sequencer">The ring's; its cursor carries the merged order.</param>
    /// <param name="count">How many lanes, which hold no more than the capacity of the ring together.</param>
    /// <param name="capacity">Slots of each.</param>
    public Lanes(Sequencer sequencer, int count, int capacity)
    {
        _sequencer = sequencer;
        _lanes = [.. Enumerable.Range(0, count).Select(i => new Shard(this, i, capacity))];
        // Behind the oldest, each holds an item that no producer has been given room for again: so there are no more than
        // slots, and the oldest, and the one before, on which a stage may still stand. Twice the slots is a power of two.
        _runs = new LaneRun[2 * sequencer.Capacity];
        _mask = _runs.Length - 1;
    }

    /// <summary>The lanes.</summary>
    public IReadOnlyList<Lane> All => _lanes;

    /// <summary>Claims, counted over the lanes: the last sequence that they can be given.</summary>
    public long ClaimedThrough
    {
        get
        {
            long next = _sequencer.Start;
            foreach (Shard lane in _lanes) next += lane.ClaimedThrough + 1;
            return next - 1;
        }
    }

    /// <summary>Published items, counted over the lanes: the last sequence that can be given (acquire).</summary>
    public long Published
    {
        get
        {
            long next = _sequencer.Start;
            foreach (Shard lane in _lanes) next += Volatile.Read(ref *lane.Published) + 1;
            return next - 1;
        }
    }

    public override bool IsPublished(long sequence) => Published >= sequence;

    public override long ReadableEnd(long from)
    {
        long end = Cursor.ReadAcquire();
        return end >= from ? end : Merge();
    }

    /// <summary>Gives every item published by now its sequence; returns the last one.</summary>
    public override long PublishedThrough(long from)
    {
        foreach (Shard lane in _lanes)
        {
            // A lane at a time: of a count over all, items published meanwhile in one could take the place of another's.
            long published = Volatile.Read(ref *lane.Published);
            // Read again: threads that share a producer, which is misuse, may have moved it back.
            while (lane.Merged < Math.Min(published, Volatile.Read(ref *lane.Published))) Merge();
        }

        // Another's merge may still be under way, its lanes counted and its cursor not yet stored: the gate waits for it.
        return Merge();
    }

    /// <summary>The run that holds <paramref name="sequence"/>, which is merged and not released.</summary>
    /// <param name="sequence">A sequence of the ring.</param>
    /// <param name="at">Where the same reader stood before, or −1. Needs no gate from there on.</param>
    /// <param name="left">Sequences of the run from there on.</param>
    public LaneRun Find(long sequence, ref long at, out long left)
    {
        if (at < 0) at = Locate(sequence);
        // ORDER: acquire; pairs with the stores of the head in Merge: the entries before it are visible.
        long head = Volatile.Read(ref _head);
        while (at + 1 < head && _runs[(at + 1) & _mask].First <= sequence) at++;
        long end = at + 1 < head ? _runs[(at + 1) & _mask].First : Cursor.ReadAcquire() + 1;
        left = end - sequence;
        Debug.Assert(left > 0, "A sequence that is merged lies in a run.");
        return _runs[at & _mask];
    }

    /// <summary>How many sequences from <paramref name="sequence"/> on are of one lane: no batch is longer than that.</summary>
    public int Left(long sequence, ref long at)
    {
        Find(sequence, ref at, out long left);
        return (int)Math.Min(left, int.MaxValue);
    }

    // Under the gate: entries that far back may be taken for new runs meanwhile.
    private long Locate(long sequence)
    {
        Gate.Enter(_gate);
        long at = _tail;
        while (at + 1 < _head && _runs[(at + 1) & _mask].First <= sequence) at++;
        Gate.Exit(_gate);
        return at;
    }

    private Progress Cursor => _sequencer.Cursor;

    private long Merge()
    {
        Gate.Enter(_gate);
        long first = Cursor.ReadAcquire() + 1;
        long next = first;
        // Where all lanes are soon empty each round ends where it began: each lane comes first in turn.
        _turn = (_turn + 1) % _lanes.Length;
        for (int idle = 0; idle < _lanes.Length && next - first < MostAtOnce;)
        {
            _turn = (_turn + 1) % _lanes.Length;
            Shard lane = _lanes[_turn];
            // ORDER: acquire; pairs with the producer's store: the slots are visible to the stage that sees them merged.
            long count = Math.Min(MostInTurn, Volatile.Read(ref *lane.Published) - lane.Merged);
            if (count <= 0)
            {
                idle++;
                continue;
            }

            idle = 0;
            Debug.Assert(_head - _tail < _runs.Length, "More runs than slots.");
            Append(lane, next);
            lane.Merged += count;
            next += count;
        }

        // ORDER: release; the head before the cursor: a stage that sees a sequence finds its run.
        Cursor.Reposition(next - 1);
        Gate.Exit(_gate);
        return next - 1;
    }

    // What follows on from the last run belongs to it.
    private void Append(Shard lane, long first)
    {
        Debug.Assert(Gate.IsHeld(_gate), "The order grows under the gate.");
        long offset = lane.Merged + 1 - first;
        if (_head > _tail && _runs[(_head - 1) & _mask] is var last && last.Lane == lane.Index && last.Offset == offset)
            return;
        _runs[_head & _mask] = new LaneRun(lane.Index, first, offset);
        Volatile.Write(ref _head, _head + 1);
    }

    private void Release(long released)
    {
        Debug.Assert(Gate.IsHeld(_gate), "Lanes are given room under the gate.");
        while (_tail < _head)
        {
            LaneRun run = _runs[_tail & _mask];
            long end = _tail + 1 < _head ? _runs[(_tail + 1) & _mask].First - 1 : Cursor.ReadAcquire();
            long last = Math.Min(end, released);
            if (last >= run.First)
            {
                Shard lane = _lanes[run.Lane];
                lane.Release(last + run.Offset);
            }

            // The last one may still grow.
            if (released < end || _tail + 1 == _head) return;
            Volatile.Write(ref _tail, _tail + 1);
        }
    }

    /// <summary>A run of the ring's sequences that lie in one lane.</summary>
    /// <param name="Lane">The lane.</param>
    /// <param name="First">The first of them.</param>
    /// <param name="Offset">What to add for the lane's own sequence.</param>
    internal readonly record struct LaneRun(int Lane, long First, long Offset);

    // One producer's lane: its room and its places in the order, which only the runs know.
    private sealed class Shard(Lanes order, int index, int capacity)
        : Lane(order._sequencer, index, capacity, order._sequencer.Memory.Cell(-1), order._sequencer.Memory.Cell(-1))
    {
        /// <summary>The last sequence that has a place in the ring's order. Under the gate.</summary>
        public long Merged { get; set; } = -1;

        /// <summary>The last sequence that every gating stage has passed. Under the gate.</summary>
        public long Released { get; private set; } = -1;

        public void Release(long through)
        {
            Debug.Assert(through <= Merged, "Only what has a place in the order is released.");
            Released = Math.Max(Released, through);
        }

        public override long Limit()
        {
            // Before the gate: sweeping takes one of its own, and looks runs up under this one.
            long released = order._sequencer.SweptThrough();
            Gate.Enter(order._gate);
            order.Release(released);
            long limit = Released + Capacity;
            Gate.Exit(order._gate);
            return limit;
        }

        public override (Progress Cell, long Awaited) RoomTarget(long last) =>
            order._sequencer.RoomTarget(SequenceOf(last - Capacity) + order._sequencer.Capacity);

        public override bool Signal()
        {
            // ORDER: full; two lanes that together reach what is awaited: one of them counts both.
            Interlocked.MemoryBarrier();
            return order.Cursor.Signal(long.MinValue, order.Published);
        }

        public override long SequenceOf(long own)
        {
            Gate.Enter(order._gate);
            long found = order.Cursor.ReadAcquire() + 1;
            if (own <= Released) found = -1;
            for (long i = order._head - 1; i >= order._tail && own <= Merged && own > Released; i--)
            {
                LaneRun run = order._runs[i & order._mask];
                if (run.Lane != Index || run.First + run.Offset > own) continue;
                found = own - run.Offset;
                break;
            }

            Gate.Exit(order._gate);
            return found;
        }
    }
}
