using System.Numerics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Claiming, gating and publishing by sequence number alone: the ring without its slots.</summary>
/// <remarks>
/// <para>A sequence is claimed by a producer, written, published, passed by every gating stage, and then its slot is free
/// for sequence + capacity. Nothing here knows what a slot holds.</para>
/// <para>Single producer: the cursor's value is the last published sequence. Multi producer: sequences are published one by
/// one by stamps, and the cursor cell only carries the waiters; so may a single producer, with its stamps in the slots.
/// Sharded: each producer publishes in its lane, and the cursor's value is the last sequence of the order that readers have
/// merged the lanes to.</para>
/// </remarks>
internal sealed unsafe class Sequencer
{
    private readonly CellBlock _memory;
    private readonly long* _claimed;
    private readonly long* _granted;
    private Progress[] _gates = [];
    private long _floor;
    private long _final = long.MaxValue;

    /// <param name="capacity">Slots.</param>
    /// <param name="options">Kind and number of producers, padding, first sequence.</param>
    /// <param name="stamps">Where the ring has them; null otherwise.</param>
    public Sequencer(int capacity, RingOptions options, Availability? stamps)
    {
        long start = options.StartSequence;
        Capacity = capacity;
        Shift = BitOperations.Log2((uint)capacity);
        Start = start;
        _floor = start - 1;
        IsMultiProducer = options.Producers == ProducerKind.Multi;
        _memory = new CellBlock(options.Padding);
        Availability = stamps;
        if (options.Producers == ProducerKind.Sharded)
            Lanes = new Lanes(this, [.. Enumerable.Range(0, options.MaxProducers).Select(i => NewLane(i, options))]);
        Cursor = new Progress(_memory, start - 1, (Ingress?)Lanes ?? Availability);
        _claimed = _memory.Take();
        _granted = _memory.Take();
        *_claimed = IsMultiProducer ? start : start - 1;
        *_granted = start;
        AttentionCell = _memory.Take();
        *AttentionCell = 1;
        OnlyLane = new Lane(0, capacity, Cursor.ValueCell, _claimed);
        Control = new Control(_memory);
        if (IsMultiProducer) Turns = new Turns(this, _memory);
    }

    public int Capacity { get; }

    public int Shift { get; }

    /// <summary>Whether producers claim from one counter: only then can a claim be behind another that is open.</summary>
    public bool IsMultiProducer { get; }

    /// <summary>The first sequence of the ring's life: 0 but in tests of the edges.</summary>
    public long Start { get; }

    public Progress Cursor { get; }

    /// <summary>Stamps that say what is published, of a multi-producer ring or in the slots; null where the cursor does.</summary>
    public Availability? Availability { get; }

    /// <summary>Lanes of a sharded ring; null otherwise.</summary>
    public Lanes? Lanes { get; }

    /// <summary>Where the producer of a single-producer ring publishes.</summary>
    public Lane OnlyLane { get; }

    /// <summary>A cell that is never 0: in place of the waiters', it calls a single producer into its slow path each time.</summary>
    public long* AttentionCell { get; }

    public Control Control { get; }

    /// <summary>Multi producer: who takes room next, where they wait for long; null otherwise.</summary>
    public Turns? Turns { get; }

    /// <summary>What has to be done with slots that every gate has passed, before they are claimed again.</summary>
    public SlotSweeper? Sweeper { get; set; }

    /// <summary>Multi producer: the next sequence to claim.</summary>
    public long* ClaimedCell => _claimed;

    /// <summary>Multi producer: one past the highest sequence that room has been taken for.</summary>
    public long* GrantedCell => _granted;

    /// <summary>The highest sequence that a producer has claimed; over lanes, as a count.</summary>
    public long ClaimedThrough =>
        Lanes is not null ? Lanes.ClaimedThrough
        : IsMultiProducer ? Volatile.Read(ref *_claimed) - 1
        : OnlyLane.ClaimedThrough;

    /// <summary>
    /// The last sequence that stages may read: none is the last until the ring is sealed. Read after what is published, with
    /// acquire.
    /// </summary>
    public long Final
    {
        get => Volatile.Read(ref _final);
        set => Volatile.Write(ref _final, value);
    }

    /// <summary>Whether a stage must look for given-up claims.</summary>
    public bool HasTombstones
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Availability is { HasTombstones: true };
    }

    /// <summary>Whether the claim of <paramref name="sequence"/> was given up.</summary>
    public bool IsTombstone(long sequence) => Availability is { HasTombstones: true } && Availability.IsTombstone(sequence);

    public Progress NewProgress(long value) => new(_memory, value);

    /// <summary>The last sequence readable in one run from <paramref name="from"/>, or from − 1 (acquire).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadableEnd(long from) => Cursor.Ingress is { } ingress ? ingress.ReadableEnd(from) : Cursor.ReadAcquire();

    /// <summary>The published high-water mark: everything up to it is published or given up.</summary>
    /// <param name="except">A gate that is just being added: the others may have let go of what it stands at.</param>
    public long PublishedThrough(Progress? except = null)
    {
        if (Lanes is not null) return Lanes.MergeAll();
        if (Availability is null) return Cursor.ReadAcquire();
        long sequence = ReleasedThrough(except);
        while (true)
        {
            sequence = Availability.ReadableEnd(sequence + 1);
            if (!Availability.IsTombstone(sequence + 1)) return sequence;
            sequence++;
        }
    }

    /// <summary>What several producers have published behind <paramref name="published"/>, and so behind a claim still open.</summary>
    public long[] PublishedBehindHoles(long published)
    {
        if (!IsMultiProducer) return [];
        List<long> found = [];
        for (long sequence = published + 1; sequence <= ClaimedThrough; sequence++)
            if (Availability!.IsPublished(sequence) && !Availability.IsTombstone(sequence)) found.Add(sequence);
        return [.. found];
    }

    /// <summary>The lowest sequence over the gates: every gating stage has passed it.</summary>
    /// <param name="except">A gate to leave out.</param>
    public long ReleasedThrough(Progress? except = null)
    {
        while (true)
        {
            Progress[] gates = Volatile.Read(ref _gates);
            long lowest = long.MaxValue;
            foreach (Progress gate in gates)
                if (!ReferenceEquals(gate, except)) lowest = Math.Min(lowest, gate.ReadAcquire());
            if (lowest == long.MaxValue) lowest = Volatile.Read(ref _floor);
            // ORDER: the set is read again after the values (acquire loads keep their order). A stage attached in between
            // starts at what was published when it joined; values read from the old set might have passed that.
            if (ReferenceEquals(Volatile.Read(ref _gates), gates)) return lowest;
        }
    }

    /// <summary>The lowest sequence over the gates; the slots up to there are swept. Any thread.</summary>
    public long SweptThrough()
    {
        long released = ReleasedThrough();
        Sweeper?.SweepThrough(released);
        return released;
    }

    /// <summary>The highest sequence that may be claimed now. Sweeps the slots it frees. Any producer thread.</summary>
    public long Limit() => SweptThrough() + Capacity;

    /// <summary>The same for one producer's lane, in its own sequences.</summary>
    public long Limit(Lane lane) => Lanes is null ? Limit() : Lanes.Limit(lane);

    /// <summary>Wakes the stages that wait for what a lane has just published.</summary>
    /// <returns>False once the ring is sealed: what was published may be late.</returns>
    public bool Signal(Lane lane)
    {
        if (Lanes is null) return Cursor.Signal(long.MinValue, Volatile.Read(ref *lane.Published));
        // ORDER: full; two lanes that together reach what is awaited: one of them counts both.
        Interlocked.MemoryBarrier();
        return Cursor.Signal(long.MinValue, Lanes.PublishedThrough);
    }

    private Lane NewLane(int index, RingOptions options)
    {
        long* published = _memory.Take();
        long* claimed = _memory.Take();
        *published = *claimed = -1;
        return new Lane(index, options.LaneCapacity(Capacity), published, claimed);
    }

    /// <summary>The gate that keeps <paramref name="last"/> from being claimed, and where it must get to.</summary>
    public (Progress Cell, long Awaited) RoomTarget(long last)
    {
        Progress[] gates = Volatile.Read(ref _gates);
        // Nobody consumes yet: attaching wakes the cursor.
        if (gates.Length == 0) return (Cursor, Progress.Never);
        // Where all have come far enough since the caller looked, any of them says so at once.
        foreach (Progress gate in gates)
            if (gate.ReadAcquire() < last - Capacity) return (gate, last - Capacity);
        return (gates[0], last - Capacity);
    }

    /// <summary>The same for <paramref name="last"/> in one producer's lane.</summary>
    public (Progress Cell, long Awaited) RoomTarget(Lane lane, long last) =>
        RoomTarget(Lanes is null ? last : Lanes.SequenceOf(lane, last - lane.Capacity) + Capacity);

    /// <summary>The sequence of the ring that <paramref name="own"/> of a lane has; where none yet, the next to be given.</summary>
    public long SequenceOf(Lane lane, long own) => Lanes is null ? own : Lanes.SequenceOf(lane, own);

    /// <summary>Lets <paramref name="gate"/> hold slots back from where it is. Under the lifecycle gate.</summary>
    public void AddGate(Progress gate)
    {
        if (Array.IndexOf(_gates, gate) >= 0) return;
        Volatile.Write(ref _gates, [.. _gates, gate]);
        // ORDER: process-wide; pairs with the second read of the set in ReleasedThrough. One thread may publish, step the
        // other gates and look for room: what it has published may still be in its store buffer when it reads the set.
        Interlocked.MemoryBarrierProcessWide();
    }

    /// <summary>
    /// Lets <paramref name="gate"/> hold nothing back any more. Whoever waits on it is woken by the caller, after the control
    /// word has changed: a producer that has just chosen this cell arms on it before or sees the change after.
    /// </summary>
    public void RemoveGate(Progress gate)
    {
        Volatile.Write(ref _floor, ReleasedThrough());
        Volatile.Write(ref _gates, Array.FindAll(_gates, other => !ReferenceEquals(other, gate)));
        // ORDER: full; pairs with the second read of the set in ReleasedThrough.
        Interlocked.MemoryBarrier();
    }

    /// <summary>Wakes every producer that waits for room, to look again.</summary>
    public void WakeProducers()
    {
        Cursor.WakeAll();
        foreach (Progress gate in Volatile.Read(ref _gates)) gate.WakeAll();
    }
}
