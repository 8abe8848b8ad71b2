using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>The memory of the hand-written ring for several producers: each slot is a stamp followed by its item.</summary>
internal sealed class StampedRing(int capacity)
{
    /// <summary>Sequences handed out.</summary>
    public PaddedLong Claimed;

    /// <summary>Items consumed.</summary>
    public PaddedLong Consumed;

    private readonly AlignedBlock<long> _slots = new(2 * capacity);
    private readonly long _mask = capacity - 1;

    /// <summary>Items that it holds.</summary>
    public int Capacity { get; } = capacity;

    /// <summary>The stamp of a slot; its item is the next number, always in the same cache line.</summary>
    public ref long this[long sequence]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _slots[2 * (sequence & _mask)];
    }
}
