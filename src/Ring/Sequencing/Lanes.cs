namespace Raceway.Rings;

/// <summary>The lanes of a sharded ring, and the one order that their items are given: whoever reads first merges.</summary>
/// <remarks>
/// <para>A producer publishes in its lane as the only producer of a ring does, and shares no line with the others. A stage
/// that has used up what it knows takes from each lane in turn what was published there, as a segment: so many sequences
/// of the ring are these of that lane. All stages see that one order; it keeps each producer's, and promises nothing
/// between producers.</para>
/// <para>Everything but what is said otherwise is under one gate, taken once a look, not once an item.</para>
/// </remarks>
internal sealed class Lanes : Ingress
{
    // What a lane gives in its turn: the others' items shall not wait behind all of a full lane.
    private const int MostInTurn = 1024;
    // What is merged at once, in several turns: less would look to the waiting rules as if not more had come.
    private const int MostAtOnce = Dispatch.DefaultMax;

    private readonly Lane[] _lanes;
    private readonly Segment[] _segments;
    private readonly long _mask;
    private readonly object _gate = new();
    private readonly Sequencer _sequencer;
    private long _head;
    private long _tail;
    private int _turn;

    /// <param name="sequencer">The ring's; its cursor carries the merged order.</param>
    /// <param name="lanes">The lanes, which hold no more than the capacity of the ring together.</param>
    public Lanes(Sequencer sequencer, Lane[] lanes)
    {
        _sequencer = sequencer;
        _lanes = lanes;
        // Behind the oldest, each holds an item that no producer has been given room for again: so there are no more than
        // slots, and the oldest, and the one before, on which a stage may still stand. Twice the slots is a power of two.
        _segments = new Segment[2 * sequencer.Capacity];
        _mask = _segments.Length - 1;
    }

    /// <summary>The lanes.</summary>
    public IReadOnlyList<Lane> All => _lanes;

    /// <summary>Claims, counted over the lanes: the last sequence that they can be given.</summary>
    public long ClaimedThrough
    {
        get
        {
            long next = _sequencer.Start;
            foreach (Lane lane in _lanes) next += lane.ClaimedThrough + 1;
            return next - 1;
        }
    }

    /// <summary>Published items, counted over the lanes: the last sequence that can be given (acquire).</summary>
    public unsafe long PublishedThrough
    {
        get
        {
            long next = _sequencer.Start;
            foreach (Lane lane in _lanes) next += Volatile.Read(ref *lane.Published) + 1;
            return next - 1;
        }
    }

    public override bool IsPublished(long sequence) => PublishedThrough >= sequence;

    public override long ReadableEnd(long from)
    {
        long end = Cursor.ReadAcquire();
        return end >= from ? end : Merge();
    }

    /// <summary>Gives every item published by now its sequence; returns the last one.</summary>
    public unsafe long MergeAll()
    {
        foreach (Lane lane in _lanes)
        {
            // A lane at a time: of a count over all, items published meanwhile in one could take the place of another's.
            long published = Volatile.Read(ref *lane.Published);
            // Read again: threads that share a producer, which is misuse, may have moved it back.
            while (lane.Merged < Math.Min(published, Volatile.Read(ref *lane.Published))) Merge();
        }

        // Another's merge may still be under way, its lanes counted and its cursor not yet stored: the gate waits for it.
        return Merge();
    }

    /// <summary>The segment that holds <paramref name="sequence"/>, which is merged and not released.</summary>
    /// <param name="sequence">A sequence of the ring.</param>
    /// <param name="at">Where the same reader stood before, or −1. Needs no gate from there on.</param>
    /// <param name="left">Sequences of the segment from there on.</param>
    public Segment Find(long sequence, ref long at, out long left)
    {
        if (at < 0) at = Locate(sequence);
        // ORDER: acquire; pairs with the stores of the head in Merge: the entries before it are visible.
        long head = Volatile.Read(ref _head);
        while (at + 1 < head && _segments[(at + 1) & _mask].First <= sequence) at++;
        long end = at + 1 < head ? _segments[(at + 1) & _mask].First : Cursor.ReadAcquire() + 1;
        left = end - sequence;
        return _segments[at & _mask];
    }

    /// <summary>The highest sequence that may be claimed in <paramref name="lane"/>.</summary>
    public long Limit(Lane lane)
    {
        // Before the gate: sweeping takes one of its own, and looks segments up under this one.
        long released = _sequencer.SweptThrough();
        Gate.Enter(_gate);
        Release(released);
        long limit = lane.Released + lane.Capacity;
        Gate.Exit(_gate);
        return limit;
    }

    /// <summary>The ring's sequence of <paramref name="own"/>; where it has none yet, the next that is given.</summary>
    public long SequenceOf(Lane lane, long own)
    {
        Gate.Enter(_gate);
        long found = Cursor.ReadAcquire() + 1;
        if (own <= lane.Released) found = -1;
        for (long i = _head - 1; i >= _tail && own <= lane.Merged && own > lane.Released; i--)
        {
            Segment segment = _segments[i & _mask];
            if (segment.Lane != lane.Index || segment.First + segment.Offset > own) continue;
            found = own - segment.Offset;
            break;
        }

        Gate.Exit(_gate);
        return found;
    }

    // Under the gate: entries that far back may be taken for new segments meanwhile.
    private long Locate(long sequence)
    {
        Gate.Enter(_gate);
        long at = _tail;
        while (at + 1 < _head && _segments[(at + 1) & _mask].First <= sequence) at++;
        Gate.Exit(_gate);
        return at;
    }

    private Progress Cursor => _sequencer.Cursor;

    private unsafe long Merge()
    {
        Gate.Enter(_gate);
        long first = Cursor.ReadAcquire() + 1;
        long next = first;
        // Where all lanes are soon empty each round ends where it began: the first place is everybody's in turn.
        _turn = (_turn + 1) % _lanes.Length;
        for (int idle = 0; idle < _lanes.Length && next - first < MostAtOnce;)
        {
            _turn = (_turn + 1) % _lanes.Length;
            Lane lane = _lanes[_turn];
            // ORDER: acquire; pairs with the producer's store: the slots are visible to whoever sees them merged.
            long count = Math.Min(MostInTurn, Volatile.Read(ref *lane.Published) - lane.Merged);
            if (count <= 0)
            {
                idle++;
                continue;
            }

            idle = 0;
            Append(lane, next);
            lane.Merged += count;
            next += count;
        }

        // ORDER: release; the head before the cursor: who sees a sequence finds its segment.
        Cursor.Reposition(next - 1);
        Gate.Exit(_gate);
        return next - 1;
    }

    // What follows on from the last segment belongs to it.
    private void Append(Lane lane, long first)
    {
        long offset = lane.Merged + 1 - first;
        if (_head > _tail && _segments[(_head - 1) & _mask] is var last && last.Lane == lane.Index && last.Offset == offset)
            return;
        _segments[_head & _mask] = new Segment(lane.Index, first, offset);
        Volatile.Write(ref _head, _head + 1);
    }

    private void Release(long released)
    {
        while (_tail < _head)
        {
            Segment segment = _segments[_tail & _mask];
            long end = _tail + 1 < _head ? _segments[(_tail + 1) & _mask].First - 1 : Cursor.ReadAcquire();
            long last = Math.Min(end, released);
            if (last >= segment.First)
            {
                Lane lane = _lanes[segment.Lane];
                lane.Released = Math.Max(lane.Released, last + segment.Offset);
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
    internal readonly record struct Segment(int Lane, long First, long Offset);
}
