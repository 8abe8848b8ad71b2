namespace Raceway.Measuring;

/// <summary>The figures of a round by the names that their rows have.</summary>
internal static class Figures
{
    public const string Throughput = "throughput";
    public const string LatencyMedian = "latency-p50";
    public const string Latency99 = "latency-p99";
    public const string Allocated = "allocated";

    /// <summary>Threads that the process has more than before the round was prepared.</summary>
    public const string ThreadsMore = "threads-more";

    /// <summary>The median over short windows of a round of the p99 of each, where the round was cut into some.</summary>
    public const string WindowP99 = "latency-p99-window";

    /// <summary>The percentiles that rows are made of.</summary>
    public static IReadOnlyList<(string Metric, double Quantile)> Percentiles { get; } =
    [
        (LatencyMedian, 0.5), ("latency-p90", 0.9), (Latency99, 0.99), ("latency-p99.9", 0.999), ("latency-max", 1),
    ];

    /// <summary>The name and unit of a case's headline figure.</summary>
    public static (string Metric, string Unit) Heading(MetricKind kind) => kind switch
    {
        MetricKind.Latency => (LatencyMedian, "ns"),
        MetricKind.Time => ("time", "ms"),
        MetricKind.Overhead => ("overhead", "ns/event"),
        MetricKind.CpuShare => ("cpu-share", "%"),
        _ => (Throughput, "events/s"),
    };

    /// <summary>The unit of a figure.</summary>
    public static string UnitOf(string metric) => metric switch
    {
        Throughput => "events/s",
        Allocated => "B/event",
        "cpu-share" => "%",
        "heap-growth" => "B",
        ThreadsMore => "threads",
        _ => "ns",
    };

    /// <summary>A figure of one round; not a number where the case or the round has none of that name.</summary>
    public static double Of(CaseResult result, string metric, Sample sample)
    {
        if (metric == Heading(result.Metric).Metric) return result.Headline(sample);
        if (metric == Allocated) return (double)sample.AllocatedBytes / sample.Operations;
        if (CountOf(sample, metric) is { } counted) return counted;
        return sample.Latency is { } latency && Percentiles.Any(one => one.Metric == metric)
            ? latency.ValueAt(Percentiles.First(one => one.Metric == metric).Quantile)
            : double.NaN;
    }

    /// <summary>What a round counted by that name.</summary>
    public static double? CountOf(Sample sample, string metric)
    {
        foreach (Count count in sample.Counts ?? [])
            if (count.Metric == metric) return count.Value;
        return null;
    }
}
