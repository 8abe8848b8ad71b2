using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Which sequences of a multi-producer ring are published: one stamp a slot, holding the lap it was published in.</summary>
/// <remarks>
/// <para>A consumer finds what it may read by scanning stamps, many at a time where they lie side by side; it never reads the
/// claim counter, as producers fight for its line.</para>
/// <para>Stamp: the lap in the low 30 bits, and <see cref="Tombstone"/> where the claim was given up. Only the lap before
/// must differ, so 30 bits are plenty. Where the stamps lie (base and stride) is decided at construction and nowhere
/// else: by themselves, or each behind its item in the slot (<see cref="StampLayout"/>).</para>
/// <para>Source: the availability buffer of the LMAX Disruptor's MultiProducerSequencer.</para>
/// </remarks>
internal sealed unsafe class Availability : Ingress
{
    private const int LapMask = 0x3FFF_FFFF;
    private const int Tombstone = int.MinValue;

    /// <summary>The stride of a stamp a line.</summary>
    public const int Line = 64;

    private readonly long _mask;
    private readonly int _shift;
    private readonly RingMemory _memory;
    private readonly byte* _base;
    private readonly int _strideShift;
    private int _tombstones;

    /// <param name="memory">Where they are taken from.</param>
    /// <param name="capacity">Slots of the ring, a power of two.</param>
    /// <param name="start">The first sequence that will be claimed.</param>
    /// <param name="stride">Bytes from one stamp to the next, a power of two: 4, or a line.</param>
    /// <exception cref="ArgumentException">They do not fit an array.</exception>
    public Availability(RingMemory memory, int capacity, long start, int stride = sizeof(int))
        : this(memory, capacity, start, memory.TakeBlock(BytesFor(capacity, stride), Line), stride)
    {
    }

    /// <summary>Stamps that lie at a place in memory which <paramref name="memory"/> keeps.</summary>
    public Availability(RingMemory memory, int capacity, long start, byte* first, int stride)
    {
        _base = first;
        (_memory, _mask, _shift) = (memory, capacity - 1, BitOperations.Log2((uint)capacity));
        _strideShift = BitOperations.Log2((uint)stride);
        Clear(start);
    }

    /// <summary>How many bytes hold the stamps.</summary>
    /// <exception cref="ArgumentException">More than an array can have, counted as one of stamps.</exception>
    internal static long BytesFor(int capacity, int stride)
    {
        long bytes = (long)capacity * stride;
        return (bytes + 4 * Line) / sizeof(int) <= Array.MaxLength ? bytes : throw SequencingErrors.TooFarApart(capacity, stride);
    }

    /// <summary>True once any claim has been given up: only then must stages look for tombstones.</summary>
    public bool HasTombstones => Volatile.Read(ref _tombstones) != 0;

    /// <summary>Stamps <paramref name="first"/>..<paramref name="last"/> as published (release, each).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(long first, long last)
    {
        // ORDER: release; pairs with IsPublished and ReadableEnd: the slot's content is visible to the thread that sees its stamp.
        for (long sequence = first; sequence <= last; sequence++) Volatile.Write(ref At(sequence), Lap(sequence));
    }

    /// <summary>Stamps <paramref name="sequence"/> as published (release).</summary>
    // ORDER: as above.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(long sequence) => Volatile.Write(ref At(sequence), Lap(sequence));

    /// <summary>Stamps <paramref name="first"/>..<paramref name="last"/> as given up: passed over by every stage.</summary>
    public void Bury(long first, long last)
    {
        // ORDER: the flag goes first, both release: a stage that sees a tombstone must know to look for more.
        Volatile.Write(ref _tombstones, 1);
        for (long sequence = first; sequence <= last; sequence++)
            Volatile.Write(ref At(sequence), Lap(sequence) | Tombstone);
    }

    /// <summary>Whether <paramref name="sequence"/> was published or given up (acquire).</summary>
    public override bool IsPublished(long sequence) => (Volatile.Read(ref At(sequence)) & LapMask) == Lap(sequence);

    /// <summary>
    /// Whether <paramref name="sequence"/>, which was claimed, has not been stamped yet: its slot has the stamp of the lap
    /// before. A later lap means that the claim has ended, and others after it.
    /// </summary>
    public bool IsOpen(long sequence) => (Volatile.Read(ref At(sequence)) & LapMask) == (Lap(sequence) - 1 & LapMask);

    /// <summary>Whether <paramref name="sequence"/> was given up (acquire).</summary>
    public bool IsTombstone(long sequence) => Volatile.Read(ref At(sequence)) == (Lap(sequence) | Tombstone);

    /// <summary>The last sequence of the unbroken run of published ones from <paramref name="from"/>, or from − 1.</summary>
    /// <remarks>Ends before a hole and before a tombstone. Looks at most one lap ahead.</remarks>
    public override long ReadableEnd(long from)
    {
        long end = from + _mask + 1;
        long sequence = from;
        while (sequence < end)
        {
            long index = sequence & _mask;
            int left = (int)Math.Min(_mask + 1 - index, end - sequence);
            int run = _strideShift == 2
                ? StampScan.Run((int*)_base + index, Lap(sequence), left)
                : RunApart(sequence, left);
            sequence += run;
            if (run < left) break;
        }

        // ORDER: acquire for the loads of vectors above, which are plain; pairs with Publish.
        Volatile.ReadBarrier();
        Debug.Assert(sequence >= from && sequence <= end, "A look goes forward, and one lap at most.");
        return sequence - 1;
    }

    /// <summary>The last sequence before the first tombstone in <paramref name="first"/>..<paramref name="last"/>.</summary>
    public long LastBeforeTombstone(long first, long last)
    {
        for (long sequence = first; sequence <= last; sequence++)
            if (IsTombstone(sequence)) return sequence - 1;
        return last;
    }

    /// <inheritdoc/>
    public override long PublishedThrough(long from)
    {
        while (true)
        {
            from = ReadableEnd(from) + 1;
            if (!IsTombstone(from)) return from - 1;
            from++;
        }
    }

    private int RunApart(long first, int most)
    {
        int run = 0;
        while (run < most && Volatile.Read(ref At(first + run)) == Lap(first + run)) run++;
        return run;
    }

    // No slot may look published: each has the stamp of the lap before.
    private void Clear(long start)
    {
        for (long sequence = start; sequence <= start + _mask; sequence++) At(sequence) = Lap(sequence) - 1 & LapMask;
    }

    // SAFETY: the index is masked; AvailabilityTests walks every layout over laps.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref int At(long sequence) => ref *(int*)(_base + ((nint)(sequence & _mask) << _strideShift));

    private int Lap(long sequence) => (int)(sequence >> _shift) & LapMask;
}
