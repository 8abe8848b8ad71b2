using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Raceway.Rings;

/// <summary>How many stamps from a place on hold the lap asked for: the widest vectors there are, then one by one.</summary>
/// <remarks>
/// The loads of vectors are plain: the caller orders them before its reads of the slots (<see cref="Availability.ReadableEnd"/>).
/// Single ones have acquire, which costs nothing on x64.
/// </remarks>
internal static unsafe class StampScan
{
    /// <summary>The length of the run of <paramref name="lap"/> from <paramref name="stamps"/>, at most <paramref name="most"/>.</summary>
    public static int Run(int* stamps, int lap, int most)
    {
        // One stamp or none is what a consumer finds that keeps up.
        if (most == 0 || Volatile.Read(ref *stamps) != lap) return 0;
        int run = 1;
        if (Vector512.IsHardwareAccelerated && !Run512(stamps, lap, most, ref run)) return run;
        if (Vector256.IsHardwareAccelerated && !Run256(stamps, lap, most, ref run)) return run;
        if (Vector128.IsHardwareAccelerated && !Run128(stamps, lap, most, ref run)) return run;
        while (run < most && Volatile.Read(ref stamps[run]) == lap) run++;
        return run;
    }

    // Each goes on from where the run has come to, as long as a whole vector fits; false where the run has ended.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Run512(int* stamps, int lap, int most, ref int run)
    {
        for (Vector512<int> wanted = Vector512.Create(lap); run + Vector512<int>.Count <= most;)
        {
            ulong hits = Vector512.Equals(Vector512.Load(stamps + run), wanted).ExtractMostSignificantBits();
            int length = BitOperations.TrailingZeroCount(~hits);
            run += length;
            if (length < Vector512<int>.Count) return false;
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Run256(int* stamps, int lap, int most, ref int run)
    {
        for (Vector256<int> wanted = Vector256.Create(lap); run + Vector256<int>.Count <= most;)
        {
            uint hits = Vector256.Equals(Vector256.Load(stamps + run), wanted).ExtractMostSignificantBits();
            int length = BitOperations.TrailingZeroCount(~hits);
            run += length;
            if (length < Vector256<int>.Count) return false;
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Run128(int* stamps, int lap, int most, ref int run)
    {
        for (Vector128<int> wanted = Vector128.Create(lap); run + Vector128<int>.Count <= most;)
        {
            uint hits = Vector128.Equals(Vector128.Load(stamps + run), wanted).ExtractMostSignificantBits();
            int length = BitOperations.TrailingZeroCount(~hits);
            run += length;
            if (length < Vector128<int>.Count) return false;
        }

        return true;
    }
}
