using System.Runtime.InteropServices;

namespace Raceway.Concurrency;

/// <summary>A number that shares no cache line, nor the pair of lines that is fetched at once, with another field.</summary>
/// <remarks>A struct of its own: on a class, and on what is generic, the runtime does not honour an explicit size.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct PaddedLong
{
    [FieldOffset(128)]
    public long Value;
}
