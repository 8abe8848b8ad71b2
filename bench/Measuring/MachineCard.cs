namespace Raceway.Measuring;

/// <summary>
/// What a reader must know of the machine to judge the figures; printed by <c>doctor</c>, written by <c>--json</c>.
/// </summary>
public sealed record MachineCard
{
    /// <summary>The processor's own name.</summary>
    public required string Cpu { get; init; }

    /// <summary>Logical processors of the machine.</summary>
    public required int LogicalCores { get; init; }

    /// <summary>Processors that this process may use, after affinity and quota, as the runtime counts them.</summary>
    public required int UsableCores { get; init; }

    /// <summary>
    /// The processors that the process may run on, such as <c>0-1</c>; absent where the system does not tell.
    /// </summary>
    public string? Affinity { get; init; }

    /// <summary>Processors' worth of time that the control group allows; absent where there is no limit.</summary>
    public double? CpuQuota { get; init; }

    /// <summary>Bytes of a cache line.</summary>
    public required int LineSize { get; init; }

    /// <summary>The operating system and its version.</summary>
    public required string Os { get; init; }

    /// <summary>Architecture of the process.</summary>
    public required string Architecture { get; init; }

    /// <summary>Runtime and version.</summary>
    public required string Runtime { get; init; }

    /// <summary>Widest vectors that the runtime uses, in bits.</summary>
    public required int VectorBits { get; init; }

    /// <summary>
    /// Whether the kernel offers the expedited process-wide barrier; absent where the question makes no sense.
    /// </summary>
    public bool? Membarrier { get; init; }

    /// <summary>One process-wide barrier in nanoseconds while no other processor runs this process.</summary>
    public double MembarrierAloneNs { get; init; }

    /// <summary>One process-wide barrier in nanoseconds while another processor runs this process.</summary>
    public double? MembarrierBusyNs { get; init; }

    /// <summary>One pause instruction in nanoseconds.</summary>
    public double PauseNs { get; init; }

    /// <summary><c>Thread.SpinWait(1)</c> in nanoseconds.</summary>
    public double SpinWaitNs { get; init; }

    /// <summary>Nanoseconds of one tick of the clock.</summary>
    public double ClockTickNs { get; init; }

    /// <summary>Nanoseconds that reading the clock takes.</summary>
    public double ClockReadNs { get; init; }

    /// <summary>
    /// Round trip of a bare cache line between two threads in nanoseconds; absent with one processor.
    /// </summary>
    public double? LineRoundTripNs { get; init; }

    /// <summary>Server garbage collection.</summary>
    public bool ServerGc { get; init; }

    /// <summary>Concurrent garbage collection.</summary>
    public bool ConcurrentGc { get; init; }

    /// <summary>
    /// Tiered compilation, profile-guided optimisation and the like where they differ from the defaults.
    /// </summary>
    public required string Tiering { get; init; }

    /// <summary>Reads the card of this machine and times what is to be timed (about 30 ms).</summary>
    public static MachineCard Read() => new()
    {
        Cpu = MachineFacts.CpuName(),
        LogicalCores = MachineFacts.LogicalCores(),
        UsableCores = Environment.ProcessorCount,
        Affinity = MachineFacts.Affinity(),
        CpuQuota = CpuQuotaReader.Read(),
        LineSize = MachineFacts.LineSize(),
        Os = MachineFacts.Os(),
        Architecture = MachineFacts.Architecture(),
        Runtime = MachineFacts.Runtime(),
        VectorBits = MachineFacts.VectorBits(),
        Membarrier = MembarrierProbe.IsOffered(),
        MembarrierAloneNs = Round(MembarrierProbe.AloneNanoseconds()),
        MembarrierBusyNs = MembarrierProbe.BusyNanoseconds() is { } busy ? Round(busy) : null,
        PauseNs = Round(CpuPause.Nanoseconds),
        SpinWaitNs = Round(Cost.OfCall(static () => Thread.SpinWait(1))),
        ClockTickNs = MachineFacts.ClockTick(),
        ClockReadNs = Round(Cost.OfCall(static () => System.Diagnostics.Stopwatch.GetTimestamp())),
        LineRoundTripNs = LineRoundTrip.Measure() is { } line ? Round(line) : null,
        ServerGc = System.Runtime.GCSettings.IsServerGC,
        ConcurrentGc = MachineFacts.ConcurrentGc(),
        Tiering = MachineFacts.Tiering(),
    };

    /// <summary>The card without what is timed anew for each run: equal for runs on the same machine.</summary>
    public MachineCard WithoutTimes() => this with
    {
        MembarrierAloneNs = 0,
        MembarrierBusyNs = null,
        PauseNs = 0,
        SpinWaitNs = 0,
        ClockReadNs = 0,
        LineRoundTripNs = null,
    };

    private static double Round(double nanoseconds) => Math.Round(nanoseconds, 2);
}
