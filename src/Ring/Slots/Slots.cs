using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>A typed column of slots: one value of <typeparamref name="T"/> for each place of the ring.</summary>
/// <remarks>
/// <para><b>Threads</b>: a slot belongs to the producer from claim to publish, and to the stages, in their order, from
/// publish until the last gating stage has passed it. The indexer checks nothing: keep to sequences you hold.</para>
/// <para><b>Order</b>: visibility comes with the sequence, not with the slot.</para>
/// <para><b>Cost</b>: one masked index; no bounds or covariance check.</para>
/// Several columns may hang on one sequence: a stage that changes the type writes its result at the same sequence of its
/// own column, without a copy or a second ring.
/// </remarks>
/// <typeparam name="T">Class, struct or unmanaged type; reached by reference.</typeparam>
public sealed partial class Slots<T>
{
    // Slots at both ends that are never used, so that the first and last real ones share no line with other objects
    // (128 bytes a side), and a reference one before the first slot still points into the array.
    private readonly nint _origin; // bytes from the array's first element to the first slot
    private readonly T[] _items;
    private readonly int _mask;

    internal Slots(Ring ring, Func<T>? create)
    {
        Ring = ring;
        int capacity = ring.Capacity;
        bool plain = !RuntimeHelpers.IsReferenceOrContainsReferences<T>();
        int pad = Math.Max(1, (128 + Unsafe.SizeOf<T>() - 1) / Unsafe.SizeOf<T>());
        _mask = capacity - 1;
        _items = plain
            ? GC.AllocateUninitializedArray<T>(capacity + 3 * pad, pinned: true)
            : new T[capacity + 3 * pad];
        if (plain) Array.Clear(_items);
        _origin = (nint)pad * Unsafe.SizeOf<T>();
        if (plain) _origin += ToNextLine(ref Origin);
        if (create is null) return;
        for (int i = 0; i < capacity; i++) this[i] = create();
    }

    /// <summary>The ring whose sequences it is addressed by.</summary>
    public Ring Ring { get; }

    /// <summary>Number of slots.</summary>
    public int Capacity => _mask + 1;

    /// <summary>The slot of <paramref name="sequence"/>.</summary>
    public ref T this[long sequence]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.Add(ref Origin, (nint)(sequence & _mask));
    }

    /// <summary>The first slot; with <see cref="Mask"/> it lets a loop keep both in registers.</summary>
    internal ref T Origin
    {
        // SAFETY: _origin is inside _items for every capacity; SlotsTests walks all slots of all kinds.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.AddByteOffset(ref MemoryMarshal.GetArrayDataReference(_items), _origin);
    }

    internal long Mask => _mask;

    /// <summary>Up to <paramref name="count"/> slots from <paramref name="first"/>, as far as they lie side by side.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Span<T> Run(long first, int count)
    {
        int index = (int)first & _mask;
        return MemoryMarshal.CreateSpan(ref Unsafe.Add(ref Origin, index), Math.Min(count, _mask + 1 - index));
    }

    /// <summary>The run of <paramref name="count"/> slots from <paramref name="first"/>, in two spans where it wraps.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Batch<T> View(long first, int count, Stage? stage)
    {
        Span<T> straight = Run(first, count);
        return new Batch<T>(straight, MemoryMarshal.CreateSpan(ref Origin, count - straight.Length), first, stage);
    }

    // The first slot begins a cache line. Only for types without references: there an element may lie anywhere in the
    // array's memory, which is pinned and stays where it is; the spare elements leave room for it.
    private static unsafe nint ToNextLine(ref T slot) => (nint)(-(nint)Unsafe.AsPointer(ref slot) & 63);
}
