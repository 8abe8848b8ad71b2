namespace Raceway.Measuring;

/// <summary>The kinds of <see cref="ResultCurve"/> that reports know how to draw; they draw others too, but plainly.</summary>
public static class CurveKind
{
    /// <summary>A latency by percentile: x from 0 to 100, y in nanoseconds.</summary>
    public const string Percentiles = "percentiles";

    /// <summary>A latency by the load offered: x in operations a second, y in nanoseconds.</summary>
    public const string LatencyAgainstLoad = "latency-against-load";

    /// <summary>A cost by the distance of two fields: x in bytes.</summary>
    public const string Stride = "stride";
}
