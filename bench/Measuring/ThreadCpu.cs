using System.Runtime.InteropServices;

namespace Raceway.Measuring;

/// <summary>The processor time of the calling thread: what an open loop's own polling has cost, to be taken off the rest.</summary>
internal static partial class ThreadCpu
{
    private const int ThreadClock = 3;

    /// <summary>Seconds of processor time that the calling thread has had; <see langword="null"/> where the system does not say.</summary>
    public static double? Seconds()
    {
        if (!OperatingSystem.IsLinux() || IntPtr.Size != 8) return null;
        try
        {
            return GetTime(ThreadClock, out Timespec time) == 0 ? time.Seconds + (time.Nanoseconds * 1e-9) : null;
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return null;
        }
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, out Timespec time);

    // As 64-bit Linux has it.
    private struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
