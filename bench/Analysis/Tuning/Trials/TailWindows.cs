using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Cuts a paced round into windows, each with a p99 of its own.</summary>
/// <remarks>
/// Whatever else runs on a processor takes it from a thread for a slice of some milliseconds. One of these in a round of a
/// hundred is more than 1 % of the items, and is the round's whole p99, for any contestant. The median over windows is that
/// of a window which nothing of the kind fell into, for as long as most are free of it. What a setting itself does to more
/// than half of the windows is in there; what it does seldom is not, and stays in the p99 of all items, which is shown as well.
/// </remarks>
internal static class TailWindows
{
    // More than two ticks of a scheduler at 250 Hz: the cost of a tick is in each window, and not in every other one.
    private const double Seconds = 10e-3;

    // Five items above the quantile.
    private const double LeastItems = 500;

    /// <summary>All latencies, and the p99 of each window.</summary>
    /// <param name="latencies">In nanoseconds, in the order in which the items were due.</param>
    /// <param name="rate">Items a second.</param>
    public static (LatencyHistogram All, IReadOnlyList<long> P99s) Of(ReadOnlySpan<long> latencies, double rate)
    {
        var all = new LatencyHistogram();
        if (latencies.IsEmpty) return (all, []);
        long count = Math.Max(1, (long)(latencies.Length / Math.Max(LeastItems, rate * Seconds)));
        var tails = new List<long>();
        for (long i = 0; i < count; i++)
        {
            var window = new LatencyHistogram();
            int begin = (int)(latencies.Length * i / count), end = (int)(latencies.Length * (i + 1) / count);
            foreach (long one in latencies[begin..end]) window.Record(one);
            tails.Add(window.ValueAt(0.99));
            all.Merge(window);
        }

        return (all, tails);
    }
}
