namespace Raceway.Rings;

/// <summary>Where one single producer announces and publishes, and the room that it has there.</summary>
/// <remarks>The only lane of a single-producer ring is the ring's own cursor. A sharded ring has one for each producer.</remarks>
internal unsafe class Lane(Sequencer sequencer, int index, int capacity, long* published, long* claimed)
{
    /// <summary>Which of the ring's lanes.</summary>
    public int Index { get; } = index;

    /// <summary>Slots of the lane.</summary>
    public int Capacity { get; } = capacity;

    /// <summary>The last published sequence. Written by the producer alone.</summary>
    public long* Published { get; } = published;

    /// <summary>The last announced claim. Written by the producer alone.</summary>
    public long* Claimed { get; } = claimed;

    /// <summary>Not 0 while a stage waits. With stamps in the slots never 0: so each commit takes the slow way, and stamps.</summary>
    public long* Waiters { get; } =
        sequencer.Availability is null ? sequencer.Cursor.NearestCell : sequencer.Memory.Cell(1);

    /// <summary>The highest sequence claimed. A claim that was not announced counts once published.</summary>
    public long ClaimedThrough => Math.Max(Volatile.Read(ref *Claimed), Volatile.Read(ref *Published));

    /// <summary>The highest sequence that may be claimed.</summary>
    public virtual long Limit() => sequencer.Limit();

    /// <summary>The gate that keeps <paramref name="last"/> from being claimed, and where it must get to.</summary>
    public virtual (Progress Cell, long Awaited) RoomTarget(long last) => sequencer.RoomTarget(last);

    /// <summary>Wakes the stages that wait for what was published.</summary>
    /// <returns>False once the ring is sealed: what was published may be late.</returns>
    public virtual bool Signal() => sequencer.Cursor.Signal(long.MinValue, Volatile.Read(ref *Published));

    /// <summary>The sequence of the ring that <paramref name="own"/> has; if none yet, the next to be given.</summary>
    public virtual long SequenceOf(long own) => own;
}
