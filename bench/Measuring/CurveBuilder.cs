namespace Raceway.Measuring;

/// <summary>Turns what rounds recorded into curves.</summary>
public static class CurveBuilder
{
    /// <summary>A percentile is left out where fewer samples lie above it: a flat tail there is noise and no figure.</summary>
    public const int LeastRemaining = 3;

    private const int PointsPerDecade = 10;
    private const int Decades = 6;
    private static readonly (string Metric, double Quantile)[] s_againstLoad = [("p50", 0.5), ("p99", 0.99)];

    /// <summary>
    /// All curves of a run: the percentiles of each case, and latencies against the load where several cases of a family
    /// differ in nothing else; <see langword="null"/> where there is none.
    /// </summary>
    /// <param name="results">What was measured.</param>
    /// <param name="loadOf">The load of a case by its name, where it has one.</param>
    public static IReadOnlyList<ResultCurve>? Of(
        IReadOnlyList<CaseResult> results, Func<string, OfferedLoad?>? loadOf = null)
    {
        ResultCurve[] curves =
        [
            .. results.SelectMany(Percentiles),
            .. loadOf is null ? Array.Empty<ResultCurve>() : AgainstLoad(results, loadOf),
        ];
        return curves.Length == 0 ? null : curves;
    }

    /// <summary>The latencies of one contestant by percentile, as many nines as its samples can tell.</summary>
    public static ResultCurve Percentiles(string name, string contestant, LatencyHistogram latencies) => new()
    {
        Case = name,
        Contestant = contestant,
        Kind = CurveKind.Percentiles,
        X = "percentile",
        Y = "ns",
        Points = [.. Shares()
            .Where(above => latencies.Count * above >= LeastRemaining - 1e-6)
            .Select(above => new[] { Math.Round(100 * (1 - above), 7), latencies.ValueAt(1 - above) })],
    };

    private static IEnumerable<ResultCurve> Percentiles(CaseResult result) =>
        from one in result.Contestants
        let merged = Merged(one)
        where merged.Count >= LeastRemaining
        select Percentiles(result.Name, one.Contestant.Name, merged);

    private static LatencyHistogram Merged(ContestantRounds one)
    {
        var merged = new LatencyHistogram();
        foreach (Round round in one.Failure is null ? one.Rounds : [])
        {
            if (round.Sample.Latency is { } latency) merged.Merge(latency);
        }

        return merged;
    }

    // The shares of samples that lie above: 1, 0.79, … 0.1, … 0.000001.
    private static IEnumerable<double> Shares() =>
        Enumerable.Range(0, (Decades * PointsPerDecade) + 1).Select(static at => Math.Pow(10, -(double)at / PointsPerDecade));

    private static IEnumerable<ResultCurve> AgainstLoad(
        IReadOnlyList<CaseResult> results, Func<string, OfferedLoad?> loadOf) =>
        from result in results
        let load = loadOf(result.Name)
        where load is not null && result.Metric == MetricKind.Latency
        from one in result.Contestants
        where one.Failure is null && one.Rounds.Any(static round => round.Sample.Latency is not null)
        group (load.Rate, one) by (load.Family, one.Contestant.Name) into measured
        where measured.Count() > 1
        from quantile in s_againstLoad
        select new ResultCurve
        {
            Case = measured.Key.Family,
            Contestant = measured.Key.Name,
            Kind = CurveKind.LatencyAgainstLoad,
            X = "events/s",
            Y = $"ns, {quantile.Metric}",
            Points = [.. measured.OrderBy(static point => point.Rate).Select(point => new[]
            {
                point.Rate, MedianOf(point.one, quantile.Quantile),
            })],
        };

    private static double MedianOf(ContestantRounds one, double quantile) => Statistics.Median(
        one.Rounds.Select(static round => round.Sample.Latency).OfType<LatencyHistogram>()
            .Select(latency => (double)latency.ValueAt(quantile)));
}
