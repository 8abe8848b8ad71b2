using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using Microsoft.Win32.SafeHandles;

namespace Raceway.Measuring;

/// <summary>The kernel's counters of this thread and of all that it starts, by <c>perf_event_open</c>. Linux only.</summary>
/// <remarks>
/// <para>What the processor counts (cache misses, loads that hit a line which another core had changed) is often not offered:
/// virtual machines have no counters, and the setting <c>kernel.perf_event_paranoid</c> may forbid them. What the kernel itself
/// counts (moves between processors, switches) needs none. <see cref="Missing"/> says what could not be had, and why.</para>
/// <para>Open it on the thread that starts the threads to be counted, before it starts them.</para>
/// </remarks>
public sealed unsafe partial class PerfCounters : IDisposable
{
    private const uint Hardware = 0, Software = 1, Raw = 4;
    private const ulong CacheMisses = 3, ContextSwitches = 3, Migrations = 4;

    // Any version of the structure may be given: the first one holds all that is needed here.
    private const int AttributeBytes = 64;
    private const ulong Inherit = 1 << 1;

    // Without the kernel and the hypervisor: a system that allows any counter allows these to all users.
    private const ulong UserOnly = (1 << 5) | (1 << 6);
    private const ulong CloseOnExec = 8;
    private const int NotPermitted = 1, NoEntry = 2, NoAccess = 13, NoDevice = 19, NotSupported = 95;

    private readonly List<(string Metric, bool IsHardware, SafeFileHandle Handle)> _open = [];

    private PerfCounters(string? missing) => Missing = missing;

    /// <summary>The names of what is counted.</summary>
    public IEnumerable<string> Metrics => _open.Select(static one => one.Metric);

    /// <summary>Those of them that the processor counts.</summary>
    public IEnumerable<string> HardwareMetrics => _open.Where(static one => one.IsHardware).Select(static one => one.Metric);

    /// <summary>What could not be had and why, in a sentence; <see langword="null"/> where nothing is missing.</summary>
    public string? Missing { get; private set; }

    /// <summary>Opens what the kernel allows.</summary>
    public static PerfCounters Open()
    {
        if (!OperatingSystem.IsLinux() || CallNumber is not { } call)
            return new PerfCounters("Hardware counters: none; they are read by perf_event_open, on Linux with x64 or arm64.");

        var counters = new PerfCounters(null);
        List<(string Metric, string Kind, string Reason)> refused = [];
        foreach ((string metric, uint type, ulong config) in Events())
        {
            int handle = Open(call, type, config);
            if (handle >= 0)
            {
                counters._open.Add((metric, type != Software, new SafeFileHandle(handle, ownsHandle: true)));
                continue;
            }

            refused.Add((metric, type != Software ? "Hardware" : "Kernel", ReasonOf(-handle, type != Software)));
        }

        if (refused.Count > 0)
        {
            counters.Missing = string.Join(' ', refused.GroupBy(static one => (one.Kind, one.Reason)).Select(static same =>
                $"{same.Key.Kind} counters: {string.Join(", ", same.Select(static one => $"no {one.Metric}"))}: {same.Key.Reason}"));
        }

        return counters;
    }

    /// <summary>The counts so far, in the order of <see cref="Metrics"/>.</summary>
    public long[] Read() => [.. _open.Select(static one => Read(one.Handle))];

    /// <inheritdoc/>
    public void Dispose() => _open.ForEach(static one => one.Handle.Dispose());

    // The load that a line shared by two writers makes, by the maker's own number.
    private static IEnumerable<(string Metric, uint Type, ulong Config)> Events()
    {
        yield return ("cache-misses", Hardware, CacheMisses);
        string vendor = X86Base.IsSupported ? MachineFacts.Vendor() : "";

        // MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM; LsDmndFillsFromSys from a cache of the same complex.
        if (vendor == "GenuineIntel") yield return ("hits-on-changed-lines", Raw, 0x04D2);
        if (vendor == "AuthenticAMD") yield return ("fills-from-other-cores", Raw, 0x0243);
        yield return ("migrations", Software, Migrations);
        yield return ("context-switches", Software, ContextSwitches);
    }

    private static string ReasonOf(int error, bool isHardware) => error switch
    {
        NoAccess or NotPermitted => "the kernel does not allow it; lower kernel.perf_event_paranoid to 1 (it is "
            + $"{MachineFacts.ReadText("/proc/sys/kernel/perf_event_paranoid") ?? "not told"}) or give CAP_PERFMON.",
        NoEntry or NotSupported or NoDevice when isHardware => "the kernel has no counters of this processor, as in most virtual machines.",
        _ => $"the kernel refuses with error {error}.",
    };

    private static nint? CallNumber => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 298,
        Architecture.Arm64 => 241,
        _ => null,
    };

    private static int Open(nint call, uint type, ulong config)
    {
        // struct perf_event_attr: type, size, config, sample period, sample type, read format, flags.
        Span<ulong> attribute = stackalloc ulong[AttributeBytes / sizeof(ulong)];
        attribute.Clear();
        attribute[0] = type | ((ulong)AttributeBytes << 32);
        attribute[1] = config;
        attribute[5] = Inherit | (type == Software ? 0UL : UserOnly);
        try
        {
            // SAFETY: the structure is on the stack for the call, as long as it says it is.
            fixed (ulong* at = attribute)
            {
                nint handle = PerfEventOpen(call, at, 0, -1, -1, CloseOnExec);
                return handle >= 0 ? (int)handle : -Marshal.GetLastPInvokeError();
            }
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return -NoEntry;
        }
    }

    private static long Read(SafeFileHandle handle)
    {
        long value = 0;
        // SAFETY: the kernel writes the eight bytes that it is given.
        return ReadCounter(handle, &value, sizeof(long)) == sizeof(long) ? value : 0;
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint PerfEventOpen(nint number, ulong* attribute, nint thread, nint cpu, nint group, ulong flags);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    private static partial nint ReadCounter(SafeFileHandle handle, long* value, nuint bytes);
}
