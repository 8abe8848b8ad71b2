namespace Raceway.Measuring;

/// <summary>Medians and what is known about them, without assuming any distribution.</summary>
/// <remarks>
/// <para>The interval of a median comes from order statistics: of <c>n</c> sorted rounds, the <c>k</c>-th smallest and
/// the <c>k</c>-th largest enclose the true median with probability <c>1 − 2·P(Binomial(n, ½) &lt; k)</c>. The
/// narrowest such pair with at least 95 % is used.</para>
/// <para>Below six rounds no pair reaches 95 %; then the interval is the smallest and the largest round, and
/// <see cref="MedianInterval.Coverage"/> says how little that is worth (five rounds: 93.75 %, three: 75 %).</para>
/// </remarks>
public static class Statistics
{
    private const double Confidence = 0.95;

    // Of more values the chance of a single rank is too small for a number of this kind: there the normal distribution is as good.
    private const int MostExact = 1000;
    private const double Deviations = 1.96;

    /// <summary>The median; the mean of the two middle values where their number is even.</summary>
    public static double Median(IEnumerable<double> values) => MedianOfSorted([.. values.Order()]);

    /// <summary>The median of some rounds with its 95 % interval.</summary>
    /// <exception cref="ArgumentException">There are no values.</exception>
    public static MedianInterval Interval(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        double median = MedianOfSorted(sorted);
        int n = sorted.Length;

        if (n > MostExact)
        {
            int far = (int)((n - 1 - (Deviations * Math.Sqrt(n))) / 2);
            return new MedianInterval(median, sorted[far], sorted[n - 1 - far], sorted[0], sorted[n - 1], n, Confidence);
        }

        // Move inwards one rank at a time for as long as the pair still encloses the median often enough.
        double outside = TailOf(n, 0);
        int rank = 0;
        while (rank + 1 < (n + 1) / 2)
        {
            double further = TailOf(n, rank + 1);
            if (1 - further < Confidence) break;
            outside = further;
            rank++;
        }

        return new MedianInterval(
            median, sorted[rank], sorted[n - 1 - rank], sorted[0], sorted[n - 1], n, Math.Max(0, 1 - outside));
    }

    /// <summary>
    /// The median of <c>a/b</c> over rounds that ran next to each other, with its 95 % interval. Pairing takes out what
    /// moves both, such as the clock rate and where the threads were placed.
    /// </summary>
    /// <exception cref="ArgumentException">The lengths differ, or there are no values.</exception>
    public static MedianInterval RatioInterval(IReadOnlyList<double> a, IReadOnlyList<double> b)
    {
        if (a.Count != b.Count) throw new ArgumentException("Paired rounds must be equal in number.", nameof(b));
        return Interval(a.Zip(b, static (x, y) => x / y));
    }

    private static double MedianOfSorted(double[] sorted)
    {
        int n = sorted.Length;
        if (n == 0) throw new ArgumentException("There is no median of nothing.", nameof(sorted));
        return n % 2 == 1 ? sorted[n / 2] : (sorted[(n / 2) - 1] + sorted[n / 2]) / 2;
    }

    // Chance that the true median lies outside the pair at this rank from either end: 2·P(Binomial(n, ½) <= rank).
    private static double TailOf(int n, int rank)
    {
        double term = Math.Pow(0.5, n);
        double sum = term;
        for (int i = 1; i <= rank; i++)
        {
            term *= (n - i + 1) / (double)i;
            sum += term;
        }

        return 2 * sum;
    }
}
