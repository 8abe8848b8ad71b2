namespace Raceway.Measuring;

/// <summary>What the headline figure of a case is.</summary>
public enum MetricKind
{
    /// <summary>Operations a second.</summary>
    Throughput,

    /// <summary>Percentiles of recorded latencies in nanoseconds.</summary>
    Latency,

    /// <summary>Milliseconds of a round; every contestant does the same number of operations.</summary>
    Time,

    /// <summary>Nanoseconds an operation.</summary>
    Overhead,

    /// <summary>Processor time of the process over wall time, in percent of one core.</summary>
    CpuShare,
}
