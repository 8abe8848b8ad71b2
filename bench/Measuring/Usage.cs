using System.Diagnostics;

namespace Raceway.Measuring;

/// <summary>
/// What a stretch of work used: wall time, processor time of the process, bytes allocated by all threads.
/// </summary>
public readonly struct Usage
{
    private readonly long _allocated;
    private readonly TimeSpan _cpu;
    private readonly long _started;

    private Usage(long allocated, TimeSpan cpu, long started)
    {
        _allocated = allocated;
        _cpu = cpu;
        _started = started;
    }

    /// <summary>
    /// Starts measuring. The clock is read last: the exact allocation count stops all threads for a moment.
    /// </summary>
    public static Usage Start()
    {
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        TimeSpan cpu = CpuTime();
        return new Usage(allocated, cpu, Stopwatch.GetTimestamp());
    }

    /// <summary>What was used since <see cref="Start"/>.</summary>
    public UsageReading Stop() => Stop(Stopwatch.GetTimestamp());

    /// <summary>
    /// What was used since <see cref="Start"/>, where the work ended at <paramref name="endTimestamp"/>, read by the
    /// thread that finished last: the time for waking the caller is not part of the work.
    /// </summary>
    public UsageReading Stop(long endTimestamp)
    {
        TimeSpan cpu = CpuTime() - _cpu;
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - _allocated;
        return new UsageReading(
            Stopwatch.GetElapsedTime(_started, endTimestamp).TotalSeconds, cpu.TotalSeconds, Math.Max(0, allocated));
    }

    // Finer than Process.TotalProcessorTime, which counts 10 ms ticks on Linux; absent on a few platforms.
    private static TimeSpan CpuTime() =>
        OperatingSystem.IsIOS() || OperatingSystem.IsTvOS() || OperatingSystem.IsBrowser()
            ? TimeSpan.Zero
            : Environment.CpuUsage.TotalTime;
}
