using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Measuring;

/// <summary>
/// Measures how long one bare cache line takes from one thread to another and back. Virtual processors change places
/// during a run: the same two read 300 ns at one time and 90 ns at another, and every figure of a ring moves with them.
/// </summary>
public static class LineRoundTrip
{
    /// <summary>Below this a round trip is called near, on a machine where slower ones were seen as well.</summary>
    public const double NearBelow = 150;

    /// <summary>Above this the two threads did not run at the same time: no statement about the line.</summary>
    public const double DisturbedAbove = 5_000;

    private const int TripsPerReading = 64;
    private const int MaxReadings = 1024;
    private static readonly long s_probeTicks = Stopwatch.Frequency * 5 / 1000;

    /// <summary>
    /// The median round trip over about 5 ms, in nanoseconds; <see langword="null"/> where only one processor is usable
    /// or nothing could be measured in the time.
    /// </summary>
    public static unsafe double? Measure()
    {
        if (Environment.ProcessorCount < 2) return null;

        void* memory = NativeMemory.AlignedAlloc(256, 128);
        try
        {
            NativeMemory.Clear(memory, 256);
            return Measure((long)memory);
        }
        finally
        {
            NativeMemory.AlignedFree(memory);
        }
    }

    /// <summary>
    /// The class of one reading among all readings of a run. A fast line alone says nothing (on many machines two cores
    /// are that close), so <see cref="LineClass.Near"/> is used only where slow ones were seen too.
    /// </summary>
    public static LineClass Classify(double? reading, IEnumerable<double?> all)
    {
        if (reading is not (> 0 and <= DisturbedAbove)) return LineClass.Unknown;
        if (reading >= NearBelow) return LineClass.Far;
        return all.Any(static r => r is >= NearBelow and <= DisturbedAbove) ? LineClass.Near : LineClass.Unknown;
    }

    /// <summary>The class of a round from the readings before and after it.</summary>
    public static LineClass Classify(double? before, double? after, IReadOnlyCollection<double?> all)
    {
        LineClass first = Classify(before, all);
        LineClass last = Classify(after, all);
        return first == last ? first
            : first == LineClass.Unknown || last == LineClass.Unknown ? LineClass.Unknown : LineClass.Mixed;
    }

    private static double? Measure(long line)
    {
        // Threads of their own, since they may be pinned. The address crosses as a number; the line outlives both.
        double[] readings = new double[MaxReadings];
        int count = 0;
        var partner = new Thread(() =>
        {
            Placement.Pin(1);
            Answer(line);
        }) { IsBackground = true, Name = "line-probe" };
        var asker = new Thread(() =>
        {
            Placement.Pin(0);
            count = Ask(line, readings);
        }) { IsBackground = true, Name = "line-probe" };
        partner.Start();
        asker.Start();
        asker.Join();
        partner.Join();
        return count == 0 ? null : Statistics.Median(readings.AsSpan(0, count).ToArray());
    }

    // Odd numbers are questions, even ones answers, -1 ends it.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static unsafe int Ask(long line, double[] readings)
    {
        ref long word = ref *(long*)line;
        long question = 1;
        int count = 0;

        // The partner's start does not count towards the probe.
        Exchange(ref word, ref question);
        long end = Stopwatch.GetTimestamp() + s_probeTicks;
        while (count < readings.Length)
        {
            long start = Stopwatch.GetTimestamp();
            if (start >= end) break;
            for (int i = 0; i < TripsPerReading; i++) Exchange(ref word, ref question);
            readings[count++] = (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / TripsPerReading;
        }

        Volatile.Write(ref word, -1);
        return count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Exchange(ref long word, ref long question)
    {
        Volatile.Write(ref word, question);
        Await(ref word, question);
        question += 2;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static unsafe void Answer(long line)
    {
        ref long word = ref *(long*)line;
        long last = 0;
        while (true)
        {
            long question = Await(ref word, last);
            if (question < 0) return;
            last = question + 1;
            Volatile.Write(ref word, last);
        }
    }

    // Polls hard for a while, as a bare line needs, then gives way: both threads may have been put on one processor.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static long Await(ref long word, long old)
    {
        int polls = 0;
        long seen;
        while ((seen = Volatile.Read(ref word)) == old)
        {
            if (++polls > 20_000) Thread.Yield();
        }

        return seen;
    }
}
