using System.Numerics;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>On which logical processors the calling thread may run. Linux only; elsewhere nothing is known or done.</summary>
/// <remarks>Compiled into the measuring harness as well, which keeps its threads apart by the same two calls.</remarks>
internal static unsafe partial class Affinity
{
    /// <summary>One past the highest processor that a set can hold: the size of the system's own set.</summary>
    public const int Most = 1024;

    private const int Words = Most / 64;

    /// <summary>The processors that the calling thread may run on, ascending; none where that is not known.</summary>
    public static int[] Read()
    {
        if (!OperatingSystem.IsLinux()) return [];
        Span<ulong> set = stackalloc ulong[Words];
        set.Clear();
        try
        {
            // SAFETY: the set is as long as is said, and on the stack for the call.
            fixed (ulong* words = set)
            {
                if (GetAffinity(0, Words * sizeof(ulong), words) < 0) return [];
            }
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return [];
        }

        var found = new List<int>();
        for (int word = 0; word < Words; word++)
        {
            for (ulong bits = set[word]; bits != 0; bits &= bits - 1)
                found.Add((word * 64) + BitOperations.TrailingZeroCount(bits));
        }

        return [.. found];
    }

    /// <summary>Lets the calling thread run on <paramref name="processors"/> only; the system moves it at once.</summary>
    /// <returns>0, or the system's error number.</returns>
    /// <exception cref="DllNotFoundException">The system's library has another name here.</exception>
    /// <exception cref="EntryPointNotFoundException">It has no such call.</exception>
    public static int Write(ReadOnlySpan<int> processors)
    {
        Span<ulong> set = stackalloc ulong[Words];
        set.Clear();
        foreach (int processor in processors) set[processor / 64] |= 1UL << (processor % 64);
        // SAFETY: as above.
        fixed (ulong* words = set)
        {
            return SetAffinity(0, Words * sizeof(ulong), words) == 0 ? 0 : Marshal.GetLastPInvokeError();
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static partial int GetAffinity(int thread, nuint bytes, ulong* set);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SetAffinity(int thread, nuint bytes, ulong* set);
}
