using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using BenchmarkDotNet.Attributes;
using Raceway.Suites.MainJob.Hashing;

namespace Raceway.Micro;

/// <summary>What does it cost that vectors on the stack lie across cache lines?</summary>
/// <remarks>
/// Each word needs one that was stored two words before, as in SHA-512's schedule, without its rotations: in eight lanes of 64 bits. A
/// stack is aligned to 16 bytes only. How far into a cache line it begins differs from thread to thread. Processors without vectors of
/// 512 bits take two of 256, and every other one of these lies across cache lines.
/// </remarks>
public class VectorsOnTheStack
{
    private const int Words = 16;
    private const int Passes = 64;

    private readonly ulong _first = 1;

    /// <summary>They begin where a cache line begins.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Words * Passes)]
    public ulong OnWholeLines() => Expand(_first, 0);

    /// <summary>They begin 16 bytes behind that, so each lies across two cache lines.</summary>
    [Benchmark(OperationsPerInvoke = Words * Passes)]
    public ulong AcrossLines() => Expand(_first, 16);

    private static ulong Expand(ulong first, int offset)
    {
        Span<byte> memory = StackLines.Of(stackalloc byte[(Words + 2) * StackLines.Length]);
        Span<Vector512<ulong>> words = MemoryMarshal.Cast<byte, Vector512<ulong>>(memory.Slice(offset, Words * StackLines.Length));
        for (int i = 0; i < Words; i++) words[i] = Vector512.Create(first + (ulong)i);
        for (int pass = 0; pass < Passes; pass++)
        {
            for (int i = 0; i < Words; i++) words[i] += (words[(i + 1) & 15] >>> 7) ^ (words[(i + 14) & 15] >>> 6);
        }

        return words[0].ToScalar();
    }
}
