using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Hands out the hot cells of one ring from pinned memory, a fixed stride apart.</summary>
/// <remarks>
/// A class cannot hold a <c>ref long</c>, and an explicit size on a class adds no trailing padding, so cells are
/// <c>long*</c> into arrays of the pinned object heap. Whoever keeps a cell keeps the block, and with it the memory.
/// Not thread-safe: cells are taken while the ring is built or under the ring's lifecycle gate.
/// </remarks>
internal sealed unsafe class CellBlock(CellPadding padding)
{
    private const int Alignment = 128;
    private const int ChunkBytes = 32 * Alignment;

    private readonly int _stride = (int)padding;
    private readonly List<byte[]> _chunks = [];
    private byte* _next;
    private byte* _end;

    /// <summary>Takes zeroed memory of <paramref name="longs"/> cells that no other taker shares a stride with.</summary>
    public long* Take(int longs = 1)
    {
        int bytes = (longs * sizeof(long) + _stride - 1) / _stride * _stride;
        if (_next + bytes > _end) AddChunk();
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

    private void AddChunk()
    {
        // One alignment unit before and after, so that no cell shares a line with a neighbour object either.
        byte[] chunk = GC.AllocateArray<byte>(ChunkBytes + 3 * Alignment, pinned: true);
        _chunks.Add(chunk);
        // SAFETY: the array is pinned for its life and _chunks keeps it; CellBlockTests checks the real addresses.
        nuint start = (nuint)Unsafe.AsPointer(ref chunk[0]);
        _next = (byte*)((start + 2 * Alignment - 1) & ~(nuint)(Alignment - 1));
        _end = _next + ChunkBytes;
    }
}
