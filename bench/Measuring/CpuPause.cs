using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace Raceway.Measuring;

/// <summary>
/// The processor's own hint that a loop is waiting, and how long it takes: 3 to 60 ns between processors.
/// </summary>
public static class CpuPause
{
    private static readonly Lazy<double> s_nanoseconds = new(Measure);

    /// <summary>One pause in nanoseconds, measured once (about 1 ms).</summary>
    public static double Nanoseconds => s_nanoseconds.Value;

    /// <summary>Issues one pause.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Once()
    {
        if (X86Base.IsSupported) X86Base.Pause();
        else if (ArmBase.IsSupported) ArmBase.Yield();
        else Thread.SpinWait(1);
    }

    /// <summary>Pauses that take about this long, at least one.</summary>
    public static int CountFor(double nanoseconds) => Math.Max(1, (int)(nanoseconds / Nanoseconds));

    private static double Measure() => Cost.OfCall(Many, inner: 64);

    // A loop around the intrinsic in a method of its own: timed as it is used.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Many()
    {
        for (int i = 0; i < 64; i++) Once();
    }
}
