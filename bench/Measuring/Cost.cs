using System.Diagnostics;

namespace Raceway.Measuring;

/// <summary>Times small calls for the machine card, where a benchmark harness would be out of proportion.</summary>
internal static class Cost
{
    private const int Batches = 31;

    /// <summary>
    /// Nanoseconds of one of the <paramref name="inner"/> operations that a call does: median of short batches.
    /// </summary>
    public static double OfCall(Action call, int inner = 1)
    {
        // Long enough that reading the clock does not matter, short enough that a preemption spoils one batch only.
        long batchTicks = Stopwatch.Frequency / 50_000;
        int calls = 1;
        while (Time(call, calls) < batchTicks && calls < 1 << 20) calls *= 2;

        double[] batches = new double[Batches];
        for (int i = 0; i < Batches; i++) batches[i] = Time(call, calls);
        return Statistics.Median(batches) / calls / inner * 1e9 / Stopwatch.Frequency;
    }

    private static long Time(Action call, int calls)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < calls; i++) call();
        return Stopwatch.GetTimestamp() - start;
    }
}
