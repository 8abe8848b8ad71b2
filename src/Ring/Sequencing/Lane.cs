namespace Raceway.Rings;

/// <summary>What one single producer owns: where it announces and publishes, and how far its slots have been released.</summary>
/// <remarks>
/// The only lane of a single-producer ring is the ring's own cursor; a sharded ring has one for each producer, with
/// sequences of its own.
/// </remarks>
internal sealed unsafe class Lane(int index, int capacity, long* published, long* claimed)
{
    /// <summary>Which of the ring's lanes.</summary>
    public int Index { get; } = index;

    /// <summary>Slots of the lane.</summary>
    public int Capacity { get; } = capacity;

    /// <summary>The last published sequence. Written by the producer alone.</summary>
    public long* Published { get; } = published;

    /// <summary>The last announced claim. Written by the producer alone.</summary>
    public long* Claimed { get; } = claimed;

    /// <summary>Sharded: the last sequence that has a place in the ring's order. Under the gate of <see cref="Lanes"/>.</summary>
    public long Merged { get; set; } = -1;

    /// <summary>Sharded: the last sequence that every gating stage has passed. Under the same gate.</summary>
    public long Released { get; set; } = -1;

    /// <summary>The highest sequence claimed. A claim that was not announced counts once published.</summary>
    public long ClaimedThrough => Math.Max(Volatile.Read(ref *Claimed), Volatile.Read(ref *Published));
}
