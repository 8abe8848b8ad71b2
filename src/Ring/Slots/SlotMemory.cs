using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>The memory of a column: where its first slot lies, and how far the next one is from it.</summary>
/// <remarks>
/// Slots at both ends are never used, so that the first and last real ones share no line with other objects (128 bytes a
/// side). Without references in <typeparamref name="T"/> the memory is pinned, the first slot begins a line, and slots may
/// lie further apart than they are large: the bytes behind an item may hold its stamp.
/// </remarks>
internal sealed unsafe class SlotMemory<T>
{
    private const int Margin = 128;
    private const int Line = 64;

    private readonly RingMemory _memory;

    /// <param name="memory">Where it is taken from.</param>
    /// <param name="capacity">Number of slots.</param>
    /// <param name="stride">Bytes from slot to slot; 0: side by side. The size of an item times a power of two.</param>
    public SlotMemory(RingMemory memory, int capacity, int stride = 0)
    {
        _memory = memory;
        bool plain = !RuntimeHelpers.IsReferenceOrContainsReferences<T>();
        int size = Unsafe.SizeOf<T>();
        Shift = stride == 0 ? 0 : BitOperations.Log2((uint)(stride / size));
        int pad = Math.Max(1, (Margin + size - 1) / size);
        int length = LengthFor(capacity, Shift, pad);
        Items = memory.TakeItems<T>(length);
        Origin = (nint)pad * size;
        // SAFETY: an element may lie anywhere in memory without references; the spare ones leave room for a line.
        if (plain) Origin += (nint)(-(nint)Unsafe.AsPointer(ref First) & (Line - 1));
    }

    /// <summary>Keeps the memory.</summary>
    public T[] Items { get; }

    /// <summary>Bytes from the array's first element to the first slot.</summary>
    public nint Origin { get; }

    /// <summary>Binary logarithm of the distance of two slots, in items.</summary>
    public int Shift { get; }

    /// <summary>The stamps behind the items.</summary>
    /// <exception cref="ArgumentException">There is no room for them.</exception>
    public Availability StampsInSlots(int capacity, long start)
    {
        int stride = Unsafe.SizeOf<T>() << Shift;
        // SAFETY: a stride is only allowed without references, so the memory is pinned, and the stamps keep its owner.
        return new Availability(_memory, capacity, start, (byte*)Unsafe.AsPointer(ref First) + AfterItem, stride);
    }

    /// <summary>Checks a stride before anything is built.</summary>
    /// <exception cref="ArgumentException">It does not fit the item, or leaves no room for a stamp where one is wanted.</exception>
    public static void Check(int stride, bool stamps)
    {
        int size = Unsafe.SizeOf<T>();
        if (stride == 0 && !stamps) return;
        if (RuntimeHelpers.IsReferenceOrContainsReferences<T>()) throw SlotErrors.StrideOfReferences(typeof(T));
        if (stride == 0) throw SlotErrors.StrideForStamps(stride, size);
        if (stride < size || stride % size != 0 || !BitOperations.IsPow2(stride / size)) throw SlotErrors.Stride(stride, size);
        if (stamps && (stride < AfterItem + sizeof(int) || !BitOperations.IsPow2(stride))) throw SlotErrors.StrideForStamps(stride, size);
    }

    /// <summary>How many items hold the slots, with padding at both ends.</summary>
    /// <exception cref="ArgumentException">More than an array can have.</exception>
    internal static int LengthFor(int capacity, int shift, int pad)
    {
        long length = ((long)capacity << shift) + 3L * pad;
        return length <= Array.MaxLength ? (int)length : throw SequencingErrors.TooFarApart(capacity, Unsafe.SizeOf<T>() << shift);
    }

    private static int AfterItem => (Unsafe.SizeOf<T>() + sizeof(int) - 1) & -sizeof(int);

    // SAFETY: the constructor has placed Origin inside Items, with a margin on both sides.
    private ref T First => ref Unsafe.AddByteOffset(ref MemoryMarshal.GetArrayDataReference(Items), Origin);
}
