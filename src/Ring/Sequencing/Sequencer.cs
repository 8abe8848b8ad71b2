using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>What is published and what is released, by sequence number alone: the ring without its slots and producers.</summary>
/// <remarks>
/// <para>A sequence is claimed by a producer, written, published, passed by every gating stage, and then its slot is free
/// for sequence + capacity. Nothing here knows what a slot holds, or how claims are made (<see cref="Claims"/>).</para>
/// <para>The cursor's value is the last published sequence, unless the cursor has an <see cref="Ingress"/>: then that knows
/// what is published, and the cursor carries the waiters.</para>
/// </remarks>
internal sealed class Sequencer
{
    private Progress[] _gates = [];
    private long _floor;
    private long _final = long.MaxValue;

    /// <param name="memory">Where the ring's cells come from.</param>
    /// <param name="capacity">Slots.</param>
    /// <param name="start">The first sequence of the ring's life.</param>
    /// <param name="stamps">Where the ring has them; null otherwise.</param>
    public Sequencer(RingMemory memory, int capacity, long start, Availability? stamps)
    {
        Capacity = capacity;
        Start = start;
        _floor = Start - 1;
        Memory = memory;
        Availability = stamps;
        Cursor = new Progress(Memory, Start - 1, stamps, givesWay: true);
        Control = new Control(Memory);
    }

    public int Capacity { get; }

    /// <summary>The first sequence of the ring's life: 0 but in tests of the edges.</summary>
    public long Start { get; }

    /// <summary>Where the ring's cells come from.</summary>
    public RingMemory Memory { get; }

    public Progress Cursor { get; }

    /// <summary>Stamps that say what is published, of a multi-producer ring or in the slots; null where the cursor does.</summary>
    public Availability? Availability { get; }

    public Control Control { get; }

    /// <summary>What has to be done with slots that every gate has passed, before they are claimed again.</summary>
    public SlotSweeper? Sweeper { get; set; }

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

    /// <summary>Whether the cursor shows that <paramref name="sequence"/> is not published; false also where the cursor does not tell.</summary>
    public bool IsUnpublished(long sequence) => Cursor.Ingress is null && Cursor.ReadAcquire() < sequence;

    public Progress NewProgress(long value) => new(Memory, value);

    /// <summary>The last sequence readable in one run from <paramref name="from"/>, or from − 1 (acquire).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadableEnd(long from) => Cursor.Ingress is { } ingress ? ingress.ReadableEnd(from) : Cursor.ReadAcquire();

    /// <summary>The published high-water mark: everything up to it is published or given up.</summary>
    /// <param name="except">A gate that is just being added: the others may have let go of what it stands at.</param>
    public long PublishedThrough(Progress? except = null) =>
        Cursor.Ingress is { } ingress ? ingress.PublishedThrough(ReleasedThrough(except) + 1) : Cursor.ReadAcquire();

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

    /// <summary>The gate that keeps <paramref name="last"/> from being claimed, and where it must get to.</summary>
    public (Progress Cell, long Awaited) RoomTarget(long last)
    {
        Progress[] gates = Volatile.Read(ref _gates);
        // No stage consumes yet: attaching wakes the cursor.
        if (gates.Length == 0) return (Cursor, Progress.Never);
        // Where all have come far enough since the caller looked, any of them says so at once.
        foreach (Progress gate in gates)
            if (gate.ReadAcquire() < last - Capacity) return (gate, last - Capacity);
        return (gates[0], last - Capacity);
    }

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
    /// Lets <paramref name="gate"/> hold nothing back any more. The caller wakes what waits on it, after the control
    /// word has changed: a producer that has just chosen this cell arms on it before or sees the change after.
    /// </summary>
    public void RemoveGate(Progress gate)
    {
        long released = ReleasedThrough();
        Debug.Assert(released >= _floor, "Slots that were free stay free.");
        Volatile.Write(ref _floor, released);
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
