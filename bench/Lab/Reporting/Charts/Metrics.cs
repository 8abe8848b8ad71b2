namespace Raceway.Lab.Reporting;

/// <summary>What reports must know of metrics: which way is better, and the unit that figures are shown in.</summary>
internal static class Metrics
{
    /// <summary>Operations a second.</summary>
    public const string Throughput = "throughput";

    /// <summary>Nanoseconds of an operation over a loop without it.</summary>
    public const string Overhead = "overhead";

    /// <summary>Whether more is better; everything that is not a rate is a cost.</summary>
    public static bool IsHigherBetter(string metric) => metric is Throughput or "bandwidth" or "ratio";

    /// <summary>What figures are divided by to be shown.</summary>
    public static double ScaleOf(string metric) => metric == Throughput ? 1e6 : 1;

    /// <summary>The heading of a column or chart with such figures.</summary>
    public static string Heading(string metric, string unit) =>
        metric == Throughput ? $"M {unit}" : $"{metric} ({unit})";

    /// <summary>One figure as text: times in the unit that fits, everything else as tables show it.</summary>
    public static string Text(string metric, string unit, double value) =>
        unit == "ns" ? Figure.Time(value) : Figure.Plain(value / ScaleOf(metric));

    /// <summary>0 for the worst figure, 1 for the best; by powers where they lie far apart.</summary>
    public static double Share(double value, double least, double most, bool isLog) =>
        most <= least ? 1
        : isLog ? Math.Log(value / least) / Math.Log(most / least)
        : (value - least) / (most - least);
}
