using System.Runtime.CompilerServices;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>One side's view of what is published. Structs, so that the ring's loops are compiled for each.</summary>
internal interface IPublished
{
    /// <summary>Says that an item is there. The producer's view alone.</summary>
    void Publish(long sequence);

    /// <summary>Whether an item is there. The consumer's view alone.</summary>
    bool Has(long sequence);
}

/// <summary>By a cursor.</summary>
internal struct PublishedByCursor(AlignedBlock<long> cells) : IPublished
{
    private long _seen;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Publish(long sequence) => Volatile.Write(ref cells[0], sequence + 1);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Has(long sequence) => sequence < _seen || sequence < (_seen = Volatile.Read(ref cells[0]));
}

/// <summary>By the lap in a stamp a slot, some bytes from one to the next.</summary>
internal readonly struct PublishedByStamp(AlignedBlock<int> stamps, int first, int stride, int capacity) : IPublished
{
    private readonly int _ints = stride / sizeof(int);
    private readonly int _lapShift = System.Numerics.BitOperations.Log2((uint)capacity);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(long sequence) => Volatile.Write(ref StampOf(sequence), LapOf(sequence));

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Has(long sequence) => Volatile.Read(ref StampOf(sequence)) == LapOf(sequence);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref int StampOf(long sequence) => ref stamps[first + ((sequence & (capacity - 1)) * _ints)];

    // From 1 on: a stamp that was never written belongs to no lap.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int LapOf(long sequence) => (int)(sequence >> _lapShift) + 1;
}

/// <summary>By a bit a slot that is turned every lap. One producer: it alone writes the words.</summary>
internal readonly struct PublishedByBit(AlignedBlock<long> words, int capacity) : IPublished
{
    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(long sequence)
    {
        ref long word = ref WordOf(sequence);
        Volatile.Write(ref word, word ^ (1L << (int)sequence));
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Has(long sequence)
    {
        bool isEvenLap = (sequence & capacity) == 0;
        return (Volatile.Read(ref WordOf(sequence)) >> (int)sequence & 1) != 0 == isEvenLap;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref long WordOf(long sequence) => ref words[(sequence & (capacity - 1)) >> 6];
}
