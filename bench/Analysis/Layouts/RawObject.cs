using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Analysis.Layouts;

/// <summary>Any object seen as its bytes.</summary>
internal static class RawObject
{
    /// <summary>What lies before the first field: the header word (with its padding) and the method table's address.</summary>
    public static readonly int HeaderSize = 2 * IntPtr.Size;

    /// <summary>The first byte behind the method table's address, where field offset 0 is.</summary>
    // SAFETY: every object's fields begin there; the reference follows the object when it is moved. FieldProbeTests.
    public static ref byte FirstByte(object target) => ref Unsafe.As<Shape>(target).First;

    /// <summary>The bytes of an object's fields.</summary>
    /// <param name="target">The object.</param>
    /// <param name="size">Bytes of it behind the method table's address.</param>
    // SAFETY: the callers take the size from what the object was allocated with.
    public static Span<byte> Bytes(object target, int size) => MemoryMarshal.CreateSpan(ref FirstByte(target), size);

    /// <summary>Where an object lies at this moment: a collection may move it the next.</summary>
    // SAFETY: the address is only computed with, never followed.
    public static unsafe nint AddressOf(object target) => *(nint*)Unsafe.AsPointer(ref target);

    private sealed class Shape
    {
        public byte First;
    }
}
