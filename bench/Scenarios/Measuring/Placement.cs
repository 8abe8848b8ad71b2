using System.Numerics;
using System.Runtime.InteropServices;

namespace Raceway.Scenarios.Measuring;

/// <summary>Puts threads that are to run at the same time on different processors at their start.</summary>
/// <remarks>
/// With two processors Linux often wakes the second of two threads on the processor of the first, and leaves both there
/// for some milliseconds while the other one idles: a measurement of that is no measurement of a queue. Only with
/// exactly two usable processors is anything done; with more, the scheduler finds an idle one, and choosing a pair for
/// it would choose how far apart they are.
/// </remarks>
internal static unsafe partial class Placement
{
    // 1,024 processors, the size of the system's own set.
    private const int Words = 16;
    private static readonly int[] s_pair = ReadPair();

    /// <summary>
    /// Moves the calling thread to one of the two processors, and leaves the scheduler free to move it on.
    /// </summary>
    public static void StartApart(int index)
    {
        if (!Pin(index)) return;
        ulong* both = stackalloc ulong[Words];
        new Span<ulong>(both, Words).Clear();
        foreach (int processor in s_pair) both[processor / 64] |= 1UL << (processor % 64);
        _ = SetAffinity(0, Words * sizeof(ulong), both);
    }

    /// <summary>Keeps the calling thread, which must be one's own, on one of the two processors.</summary>
    public static bool Pin(int index)
    {
        if (s_pair.Length != 2) return false;
        int processor = s_pair[index % 2];
        ulong* one = stackalloc ulong[Words];
        new Span<ulong>(one, Words).Clear();
        one[processor / 64] = 1UL << (processor % 64);
        return SetAffinity(0, Words * sizeof(ulong), one) == 0;
    }

    private static int[] ReadPair()
    {
        if (!OperatingSystem.IsLinux() || Environment.ProcessorCount != 2) return [];
        ulong* all = stackalloc ulong[Words];
        new Span<ulong>(all, Words).Clear();
        try
        {
            if (GetAffinity(0, Words * sizeof(ulong), all) < 0) return [];
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return [];
        }

        var found = new List<int>();
        for (int word = 0; word < Words; word++)
        {
            for (ulong bits = all[word]; bits != 0; bits &= bits - 1)
            {
                found.Add((word * 64) + BitOperations.TrailingZeroCount(bits));
            }
        }

        // A quota may leave two processors' worth of time on a machine with more: then nothing is known of a pair.
        return found.Count == 2 ? [.. found] : [];
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static partial int GetAffinity(int thread, nuint bytes, ulong* set);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static partial int SetAffinity(int thread, nuint bytes, ulong* set);
}
