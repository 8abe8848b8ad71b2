using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Says when a choice is much slower than today's settings while next to nothing comes.</summary>
internal static class LowLoadJudge
{
    /// <summary>So many times as slow is much slower.</summary>
    public const double Times = 3;

    // Below that, waking a thread decides, and which thread that is.
    private const double LeastNanoseconds = 50_000;

    private static readonly double[] s_percentiles = [0.5, 0.99];

    /// <summary>The first percentile at which one is much slower than another; null if there is none.</summary>
    /// <param name="of">Where the one was measured.</param>
    /// <param name="contestant">The one.</param>
    /// <param name="beside">Where the other was measured.</param>
    /// <param name="other">The other.</param>
    public static double? SlowAt(CaseResult? of, string contestant, CaseResult? beside, string other)
    {
        foreach (double percentile in s_percentiles)
        {
            // By its best round: one round in which something else ran says nothing.
            if (TimesOf(of, contestant, percentile) is not [_, ..] own || TimeOf(beside, other, percentile) is not { } usual) continue;
            if (own.Min() > Times * usual && own.Min() - usual > LeastNanoseconds) return percentile;
        }

        return null;
    }

    /// <summary>Whether one was measured, and is not much slower than another.</summary>
    public static bool IsQuick(CaseResult? of, string contestant, CaseResult? beside, string other) =>
        TimesOf(of, contestant, s_percentiles[0]).Length > 0 && SlowAt(of, contestant, beside, other) is null;

    /// <summary>Nanoseconds, the median over rounds.</summary>
    public static double? TimeOf(CaseResult? of, string contestant, double percentile) =>
        Front.Median(Finals.Samples(of, contestant), sample => sample.Latency?.ValueAt(percentile));

    private static double[] TimesOf(CaseResult? of, string contestant, double percentile) =>
        [.. Finals.Samples(of, contestant).Select(sample => (double?)sample.Latency?.ValueAt(percentile)).OfType<double>()];
}
