using System.Numerics;

namespace Raceway.Measuring;

/// <summary>
/// Counts durations in log-linear buckets: every power of two is cut into 128 equal parts, so a value is known to
/// within 1/128 (0.8 %) whatever its size, in about 35 KB.
/// </summary>
/// <remarks>
/// One writer; each thread keeps its own and they are merged when the threads are done. The smallest and the largest
/// value are kept exactly. Values beyond <see cref="HighestTracked"/> share the last bucket and are counted in
/// <see cref="Saturated"/>.
/// </remarks>
public sealed class LatencyHistogram
{
    /// <summary>Bits of precision: the relative width of a bucket is 2⁻⁷.</summary>
    public const int PrecisionBits = 7;

    /// <summary>The largest value with a bucket of its own: 2⁴⁰ ns, about 18 minutes.</summary>
    public const long HighestTracked = 1L << 40;

    private readonly long[] _counts = new long[BucketOf(HighestTracked) + 1];
    private long _min = long.MaxValue;
    private long _max;

    /// <summary>Values recorded.</summary>
    public long Count { get; private set; }

    /// <summary>The smallest value, exactly; 0 while empty.</summary>
    public long Min => Count == 0 ? 0 : _min;

    /// <summary>The largest value, exactly; 0 while empty.</summary>
    public long Max => _max;

    /// <summary>Values above <see cref="HighestTracked"/>.</summary>
    public long Saturated { get; private set; }

    /// <summary>Records a value; a negative one (a clock that stepped back) counts as 0.</summary>
    public void Record(long value)
    {
        value = Math.Max(value, 0);
        _min = Math.Min(_min, value);
        _max = Math.Max(_max, value);
        if (value > HighestTracked)
        {
            Saturated++;
            value = HighestTracked;
        }

        _counts[BucketOf(value)]++;
        Count++;
    }

    /// <summary>The values and their counts in turn, to be carried to where <see cref="Of"/> makes a histogram of them again.</summary>
    public IReadOnlyList<long> ToPairs() => [.. Buckets().SelectMany(static one => new[] { one.Value, one.Count })];

    /// <summary>The histogram of <see cref="ToPairs"/>: the same buckets, the smallest value known as well as any.</summary>
    public static LatencyHistogram Of(IReadOnlyList<long> pairs)
    {
        var histogram = new LatencyHistogram();
        for (int i = 0; i + 1 < pairs.Count; i += 2)
        {
            histogram.Record(pairs[i]);
            histogram._counts[BucketOf(Math.Min(pairs[i], HighestTracked))] += pairs[i + 1] - 1;
            histogram.Count += pairs[i + 1] - 1;
        }

        return histogram;
    }

    /// <summary>All of some histograms in a new one.</summary>
    public static LatencyHistogram Merged(IEnumerable<LatencyHistogram> all)
    {
        var merged = new LatencyHistogram();
        foreach (LatencyHistogram one in all) merged.Merge(one);
        return merged;
    }

    /// <summary>Adds everything another histogram has counted.</summary>
    public void Merge(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++) _counts[i] += other._counts[i];
        Count += other.Count;
        Saturated += other.Saturated;
        _min = Math.Min(_min, other._min);
        _max = Math.Max(_max, other._max);
    }

    /// <summary>
    /// The value that a share <paramref name="quantile"/> (0 to 1) of all recorded ones do not exceed, rounded up to
    /// the end of its bucket, never beyond <see cref="Max"/>; 0 while empty.
    /// </summary>
    public long ValueAt(double quantile)
    {
        if (Count == 0) return 0;
        if (quantile <= 0) return Min;

        // The slack keeps 0.99 of 100 at rank 99 where binary rounding makes it 99.00000000000001.
        long rank = Math.Clamp((long)Math.Ceiling((quantile * Count) - 1e-9), 1, Count);
        long seen = 0;
        for (int i = 0; i < _counts.Length - 1; i++)
        {
            seen += _counts[i];
            if (seen >= rank) return Math.Min(LastOf(i), _max);
        }

        return _max;
    }

    /// <summary>The buckets that are not empty, in ascending order: the largest value of each and its count.</summary>
    public IEnumerable<(long Value, long Count)> Buckets()
    {
        for (int i = 0; i < _counts.Length; i++)
        {
            if (_counts[i] != 0) yield return (Math.Min(LastOf(i), _max), _counts[i]);
        }
    }

    // Below 2 × 2⁷ each value has its bucket; above, the exponent picks a group of 2⁷ and the leading bits one of it.
    private static int BucketOf(long value)
    {
        int shift = Math.Max(0, BitOperations.Log2((ulong)value | 1) - PrecisionBits);
        return (shift << PrecisionBits) + (int)(value >> shift);
    }

    private static long LastOf(int bucket)
    {
        const int group = 1 << PrecisionBits;
        if (bucket < 2 * group) return bucket;
        int shift = (bucket >> PrecisionBits) - 1;
        long lead = group + (bucket & (group - 1));
        return ((lead + 1) << shift) - 1;
    }
}
