using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Raceway.Rings;

/// <summary>Which sequences of a multi-producer ring are published: one stamp a slot, holding the lap it was published in.</summary>
/// <remarks>
/// <para>A consumer finds what it may read by scanning stamps, sixteen at a time where there are 512-bit vectors; it never reads the claim counter, whose
/// line the producers fight for.</para>
/// <para>Stamp: the lap in the low 30 bits, and <see cref="Tombstone"/> where the claim was given up. Only the lap before
/// must differ, so 30 bits are plenty. Where the stamps lie (base and stride) is decided here and nowhere else.</para>
/// <para>Source: the availability buffer of the LMAX Disruptor's MultiProducerSequencer.</para>
/// </remarks>
internal sealed unsafe class Availability
{
    private const int LapMask = 0x3FFF_FFFF;
    private const int Tombstone = int.MinValue;
    private const int PadInts = 64;

    private readonly int[] _memory;
    private readonly int* _stamps;
    private readonly long _mask;
    private readonly int _shift;
    private int _tombstones;

    /// <param name="capacity">Slots of the ring, a power of two.</param>
    /// <param name="start">The first sequence that will be claimed.</param>
    public Availability(int capacity, long start)
    {
        _mask = capacity - 1;
        _shift = BitOperations.Log2((uint)capacity);
        _memory = GC.AllocateArray<int>(capacity + 2 * PadInts, pinned: true);
        // SAFETY: pinned for its life, kept by _memory; the base is 64-byte aligned inside the front padding.
        _stamps = (int*)(((nuint)Unsafe.AsPointer(ref _memory[PadInts / 2]) + 63) & ~(nuint)63);
        // No slot may look published: the lap before the first one differs from every lap that will be expected.
        new Span<int>(_stamps, capacity).Fill(Lap(start) - 1 & LapMask);
    }

    /// <summary>True once any claim has been given up: only then must stages look for tombstones.</summary>
    public bool HasTombstones => Volatile.Read(ref _tombstones) != 0;

    /// <summary>Stamps <paramref name="first"/>..<paramref name="last"/> as published (release, each).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(long first, long last)
    {
        // ORDER: release; pairs with IsPublished and Scan: the slot's content is visible to whoever sees its stamp.
        for (long sequence = first; sequence <= last; sequence++) Volatile.Write(ref At(sequence), Lap(sequence));
    }

    /// <summary>Stamps <paramref name="first"/>..<paramref name="last"/> as given up: passed over by every stage.</summary>
    public void Bury(long first, long last)
    {
        // ORDER: the flag goes first, both release: who sees a tombstone must know to look for more.
        Volatile.Write(ref _tombstones, 1);
        for (long sequence = first; sequence <= last; sequence++)
            Volatile.Write(ref At(sequence), Lap(sequence) | Tombstone);
    }

    /// <summary>Whether <paramref name="sequence"/> was published or given up (acquire).</summary>
    public bool IsPublished(long sequence) => (Volatile.Read(ref At(sequence)) & LapMask) == Lap(sequence);

    /// <summary>Whether <paramref name="sequence"/> was given up (acquire).</summary>
    public bool IsTombstone(long sequence) => Volatile.Read(ref At(sequence)) == (Lap(sequence) | Tombstone);

    /// <summary>The last sequence of the unbroken run of published ones from <paramref name="from"/>, or from − 1.</summary>
    /// <remarks>Ends before a hole and before a tombstone. Looks at most one lap ahead.</remarks>
    public long Scan(long from)
    {
        long end = from + _mask + 1;
        long sequence = from;
        while (sequence < end)
        {
            long index = sequence & _mask;
            int lap = Lap(sequence);
            if (Vector512.IsHardwareAccelerated && index + Vector512<int>.Count <= _mask + 1)
            {
                ulong hits = Vector512.Equals(Vector512.Load(_stamps + index), Vector512.Create(lap))
                    .ExtractMostSignificantBits();
                int run = BitOperations.TrailingZeroCount(~hits);
                sequence += run;
                if (run < Vector512<int>.Count) break;
            }
            else
            {
                if (Volatile.Read(ref *(_stamps + index)) != lap) break;
                sequence++;
            }
        }

        // ORDER: acquire for the vector loads above, which are plain; pairs with Publish.
        Volatile.ReadBarrier();
        return Math.Min(sequence, end) - 1;
    }

    /// <summary>The last sequence before the first tombstone in <paramref name="first"/>..<paramref name="last"/>.</summary>
    public long LastBeforeTombstone(long first, long last)
    {
        for (long sequence = first; sequence <= last; sequence++)
            if (IsTombstone(sequence)) return sequence - 1;
        return last;
    }

    private ref int At(long sequence) => ref *(_stamps + (sequence & _mask));

    private int Lap(long sequence) => (int)(sequence >> _shift) & LapMask;
}
