using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>What the table says of one contestant. A figure is absent where nothing was measured.</summary>
public sealed record MainJobEntry
{
    /// <summary>The contestant.</summary>
    public required string Name { get; init; }

    /// <summary>How it is set, for contestants of ours.</summary>
    public LineSetting? Setting { get; init; }

    /// <summary>Threads that work or spin at the same time.</summary>
    public int BusyThreads { get; init; }

    /// <summary>More busy threads than usable cores.</summary>
    public bool Oversubscribed => BusyThreads > Environment.ProcessorCount;

    /// <summary>Why there are no figures, where there are none.</summary>
    public string? Failure { get; init; }

    /// <summary>What a reader must know of the rounds: that some are missing, and why.</summary>
    public string? Note { get; init; }

    /// <summary>Every round gave the result that was computed without the contestant.</summary>
    public bool Verified { get; init; }

    /// <summary>Lines a second.</summary>
    public MedianInterval? Rate { get; init; }

    /// <summary>Megabytes (10⁶ bytes) a second.</summary>
    public MedianInterval? Megabytes { get; init; }

    /// <summary>Processor seconds of one pass over the measured lines.</summary>
    public MedianInterval? CpuSeconds { get; init; }

    /// <summary>Bytes allocated for a line by all threads.</summary>
    public MedianInterval? Allocated { get; init; }

    /// <summary>Mean lines per call of a handler; 0 where it is not known.</summary>
    public MedianInterval? MeanBatch { get; init; }

    /// <summary>Median latency at half the contestant's own throughput, in nanoseconds.</summary>
    public MedianInterval? LatencyMedian { get; init; }

    /// <summary>99th percentile of the same.</summary>
    public MedianInterval? Latency99 { get; init; }

    /// <summary>Median latency at the rate that is the same for all, in nanoseconds.</summary>
    public MedianInterval? CommonMedian { get; init; }

    /// <summary>99th percentile of the same.</summary>
    public MedianInterval? Common99 { get; init; }
}
