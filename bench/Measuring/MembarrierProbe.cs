using System.Runtime.InteropServices;

namespace Raceway.Measuring;

/// <summary>
/// Asks for and times the barrier that makes every processor of the process pass a fence. Parking without a fence in
/// the publisher rests on it, and it costs little alone and much while another processor runs the process.
/// </summary>
internal static partial class MembarrierProbe
{
    private const int Query = 0;
    private const long PrivateExpedited = 1 << 3;

    /// <summary>Whether Linux offers the expedited private barrier; <see langword="null"/> elsewhere.</summary>
    public static bool? IsOffered()
    {
        int? number = RuntimeInformation.ProcessArchitecture switch
        {
            _ when !OperatingSystem.IsLinux() => null,
            Architecture.X64 => 324,
            Architecture.Arm64 => 283,
            _ => null,
        };
        if (number is null) return null;
        try
        {
            long commands = Syscall(number.Value, Query, 0, 0);
            return commands > 0 && (commands & PrivateExpedited) != 0;
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return null;
        }
    }

    public static double AloneNanoseconds() => Cost.OfCall(Interlocked.MemoryBarrierProcessWide);

    /// <summary>The cost while another thread of the process runs; <see langword="null"/> with one processor.</summary>
    public static double? BusyNanoseconds()
    {
        if (Environment.ProcessorCount < 2) return null;
        bool stop = false;
        using var running = new ManualResetEventSlim();
        var other = new Thread(() =>
        {
            running.Set();
            while (!Volatile.Read(ref stop)) CpuPause.Once();
        }) { IsBackground = true, Name = "membarrier-probe" };
        other.Start();
        running.Wait();
        try
        {
            return Cost.OfCall(Interlocked.MemoryBarrierProcessWide);
        }
        finally
        {
            Volatile.Write(ref stop, true);
            other.Join();
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial long Syscall(long number, long command, long flags, long cpu);
}
