using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Scenarios.RingSuite;

/// <summary>Numbers that start on a 128-byte boundary and stay there, with nothing else in their cache lines.</summary>
/// <remarks>An ordinary array starts anywhere, so that a record of two numbers may lie across two lines.</remarks>
internal sealed unsafe class AlignedBlock
{
    private const int Boundary = 128;

    // The object keeps the pinned array, and with it the memory behind the pointer, alive.
    private readonly long[] _memory;
    private readonly long* _first;

    public AlignedBlock(int length)
    {
        _memory = GC.AllocateArray<long>(length + (2 * Boundary / sizeof(long)), pinned: true);
        nint start = (nint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_memory));
        _first = (long*)((start + Boundary - 1) & -Boundary);
    }

    /// <summary>The number at an index, not checked.</summary>
    public ref long this[long index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _first[index];
    }
}
