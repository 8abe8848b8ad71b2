using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>All memory that the threads of a ring share: its cells, its stamps and its slots.</summary>
/// <remarks>
/// <para>It is pinned, and lives for as long as this object does: what keeps an address keeps the object. Slots with items that
/// hold references are an array that the collector may move; they are reached by reference only.</para>
/// <para>Cells lie a fixed stride apart. A class cannot hold a <c>ref long</c>, and an explicit size on a class adds no
/// trailing padding, so a cell is a <c>long*</c>.</para>
/// <para>Not thread-safe: memory is taken while the ring is built, or under the ring's lifecycle gate.</para>
/// </remarks>
internal sealed unsafe class RingMemory(CellPadding padding)
{
    private const int Alignment = 128;
    private const int ChunkBytes = 32 * Alignment;

    private readonly int _stride = (int)padding;
    private readonly List<Array> _kept = [];
    private byte* _next;
    private byte* _end;

    /// <summary>Takes zeroed memory of <paramref name="longs"/> cells that no other taker shares a stride with.</summary>
    public long* Take(int longs = 1)
    {
        int bytes = (longs * sizeof(long) + _stride - 1) / _stride * _stride;
        Debug.Assert(bytes is > 0 and <= ChunkBytes, "Cells that belong together fit a chunk.");
        if (_next + bytes > _end)
        {
            _next = TakeBlock(ChunkBytes, Alignment);
            _end = _next + ChunkBytes;
        }

        byte* cell = _next;
        _next += bytes;
        return (long*)cell;
    }

    /// <summary>Takes one cell and sets it.</summary>
    public long* Cell(long value)
    {
        long* cell = Take();
        *cell = value;
        return cell;
    }

    /// <summary>Takes <paramref name="bytes"/> zeroed bytes that begin at an aligned address and share no such unit with others.</summary>
    /// <param name="bytes">How many.</param>
    /// <param name="alignment">A power of two.</param>
    public byte* TakeBlock(long bytes, int alignment)
    {
        Debug.Assert(bytes > 0 && (alignment & (alignment - 1)) == 0, "a size, and a power of two");
        // One unit before and after, so that no line is shared with a neighbour object either.
        long[] block = GC.AllocateArray<long>(checked((int)((bytes + 3 * alignment) / sizeof(long))) + 1, pinned: true);
        _kept.Add(block);
        // SAFETY: the array is pinned for its life and _kept keeps it; RingMemoryTests checks the real addresses.
        nuint start = (nuint)Unsafe.AsPointer(ref block[0]);
        return (byte*)((start + 2 * (nuint)alignment - 1) & ~(nuint)(alignment - 1));
    }

    /// <summary>Takes an array of cleared items: pinned where they hold no references.</summary>
    public T[] TakeItems<T>(int length)
    {
        bool plain = !RuntimeHelpers.IsReferenceOrContainsReferences<T>();
        T[] items = plain ? GC.AllocateUninitializedArray<T>(length, pinned: true) : new T[length];
        if (plain) Array.Clear(items);
        _kept.Add(items);
        return items;
    }
}
