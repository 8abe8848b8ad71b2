using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace Raceway.Rings;

/// <summary>The processor's pause, and how long it takes: budgets are times, pauses differ tenfold between CPUs.</summary>
internal static class Cpu
{
    /// <summary>Nanoseconds of one pause here; the least of a few short runs, about 50 µs once a process.</summary>
    public static double PauseNanoseconds { get; } = MeasurePause();

    /// <summary>True where spinning cannot help: the thread that we wait for needs this very processor.</summary>
    public static bool IsAlone { get; } = Environment.ProcessorCount == 1;

    /// <summary>Pauses <paramref name="count"/> times.</summary>
    public static void Pause(int count = 1)
    {
        for (int i = 0; i < count; i++)
        {
            if (X86Base.IsSupported) X86Base.Pause();
            else if (ArmBase.IsSupported) ArmBase.Yield();
            else Thread.SpinWait(1);
        }
    }

    /// <summary>How many pauses fill <paramref name="nanoseconds"/>, at least 1.</summary>
    public static int PausesIn(double nanoseconds) => (int)Math.Clamp(nanoseconds / PauseNanoseconds, 1, 1 << 20);

    private static double MeasurePause()
    {
        const int Pauses = 200;
        double least = double.MaxValue;
        for (int run = 0; run < 5; run++)
        {
            long from = MachineClock.Now;
            Pause(Pauses);
            least = Math.Min(least, Clock.Span(MachineClock.Now - from).TotalNanoseconds / Pauses);
        }

        return Math.Max(least, 0.5);
    }
}
