using System.Runtime.InteropServices;

namespace Raceway.Suites.RingSuite;

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
