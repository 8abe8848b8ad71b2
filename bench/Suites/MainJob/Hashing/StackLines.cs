using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Suites.MainJob.Hashing;

/// <summary>Memory on the stack that begins where a cache line begins.</summary>
/// <remarks>
/// A stack is aligned to 16 bytes only: how far into a cache line it begins differs from thread to thread and from run to run. A vector that
/// lies across two cache lines is loaded and stored in two parts. With the vectors on the stack as it came, the hash of a message of 81
/// bytes took 121 ns or 154 ns.
/// </remarks>
internal static class StackLines
{
    /// <summary>Bytes of a cache line, and of the largest vectors. So many more than are needed must be taken from the stack.</summary>
    public const int Length = 64;

    /// <summary>What of <paramref name="memory"/>, which is on the stack, begins where a cache line begins.</summary>
    public static unsafe Span<byte> Of(Span<byte> memory)
    {
        // What is on the stack stays where it is: the address holds for as long as the memory does.
        nint address = (nint)Unsafe.AsPointer(ref MemoryMarshal.GetReference(memory));
        return memory[(int)(-address & (Length - 1))..];
    }
}
