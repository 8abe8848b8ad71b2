using System.Numerics;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>On which logical processors the calling thread runs and may run. Linux only; elsewhere nothing is known or done.</summary>
/// <remarks>Compiled into the measuring harness as well, which keeps its threads apart by the same calls.</remarks>
internal static unsafe partial class Affinity
{
    /// <summary>One past the highest processor that a set can hold: the size of the system's own set.</summary>
    public const int Most = 1024;

    private const int Words = Most / 64;

    /// <summary>The processors that the calling thread may run on, ascending; none where that is not known.</summary>
    public static int[] Read()
    {
        Span<ulong> set = stackalloc ulong[Words];
        if (!TryRead(set)) return [];
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
        return Write(set);
    }

    /// <summary>The processor that the calling thread runs on at this moment; -1 where that is not known.</summary>
    public static int Here()
    {
        if (!OperatingSystem.IsLinux()) return -1;
        try
        {
            return GetProcessor();
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return -1;
        }
    }

    /// <summary>Moves the calling thread to a processor that is none of <paramref name="taken"/>. Afterwards it may run where it could
    /// before. Nothing is done unless it may run on <paramref name="allowed"/> processors in all, and on one that is not taken.</summary>
    public static void Leave(ReadOnlySpan<int> taken, int allowed)
    {
        Span<ulong> before = stackalloc ulong[Words];
        if (!TryRead(before) || Count(before) != allowed) return;
        Span<ulong> others = stackalloc ulong[Words];
        before.CopyTo(others);
        foreach (int processor in taken) others[processor / 64] &= ~(1UL << (processor % 64));
        if (others.ContainsAnyExcept(0UL) && Write(others) == 0) _ = Write(before);
    }

    private static int Count(ReadOnlySpan<ulong> set)
    {
        int count = 0;
        foreach (ulong word in set) count += BitOperations.PopCount(word);
        return count;
    }

    private static bool TryRead(Span<ulong> set)
    {
        set.Clear();
        if (!OperatingSystem.IsLinux()) return false;
        try
        {
            // SAFETY: the set is as long as is said, and on the stack for the call.
            fixed (ulong* words = set)
            {
                return GetAffinity(0, Words * sizeof(ulong), words) >= 0;
            }
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return false;
        }
    }

    private static int Write(ReadOnlySpan<ulong> set)
    {
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

    // It takes some 20 ns, and waits for nothing.
    [LibraryImport("libc", EntryPoint = "sched_getcpu")]
    [SuppressGCTransition]
    private static partial int GetProcessor();
}
