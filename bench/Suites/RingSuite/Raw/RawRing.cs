namespace Raceway.Suites.RingSuite;

/// <summary>What a hand-written ring for one producer and one consumer consists of: slots and two padded counters.</summary>
internal sealed class RawRing<TSlot>(int capacity)
    where TSlot : unmanaged
{
    public readonly AlignedBlock<TSlot> Slots = new(capacity);
    public readonly long Capacity = capacity;
    public PaddedLong Published;
    public PaddedLong Consumed;
}
