using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Suites.RingSuite;

/// <summary>Values that start on a 128-byte boundary and stay there, with nothing else in their cache lines.</summary>
/// <remarks>An ordinary array starts anywhere, so that a record of two numbers may lie across two lines.</remarks>
internal sealed unsafe class AlignedBlock<T>
    where T : unmanaged
{
    private const int Boundary = 128;

    // The object keeps the pinned array, and with it the memory behind the pointer, alive.
    private readonly T[] _memory;
    private readonly T* _first;

    public AlignedBlock(int length)
    {
        int margin = (Boundary + sizeof(T) - 1) / sizeof(T);
        _memory = GC.AllocateArray<T>(length + (2 * margin), pinned: true);
        nint start = (nint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_memory));
        _first = (T*)((start + Boundary - 1) & -Boundary);
    }

    /// <summary>The value at an index, not checked.</summary>
    public ref T this[long index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _first[index];
    }
}

/// <summary>
/// A number with 128 bytes of nothing on either side, so that it shares its cache line with no other.
/// </summary>
/// <remarks>A struct: on a class the runtime does not honour an explicit size.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct PaddedLong
{
    /// <summary>The number.</summary>
    [FieldOffset(128)]
    public long Value;
}
