using System.Globalization;
using Raceway.Measuring;
using Raceway.Pipelines;

namespace Raceway.Suites.Batching;

/// <summary>What a call costs by its batch, from what was measured with several limits of batches: as a sentence, rows and a curve.</summary>
public static class CallCost
{
    /// <summary>The case of its rows.</summary>
    public const string CaseName = "cost of a call";

    // The series that it is made of: raceway/batch/N.
    private const string Series = "raceway/batch/";

    // The least, the largest and one between.
    private static readonly int[] s_fitted = [1, 16, 1_024];

    /// <summary>What calls took, by the medians of rounds at full speed; null where that is no time.</summary>
    /// <param name="rounds">Rounds with one limit.</param>
    public static BatchTime? TimeOf(IEnumerable<Sample> rounds)
    {
        Sample[] all = [.. rounds];
        if (all.Length == 0) return null;
        double items = Statistics.Median(all.Select(static one => one.MeanBatch));
        double seconds = items / Statistics.Median(all.Select(static one => one.Rate));
        return items >= 1 && double.IsFinite(items) && seconds > 0 && double.IsFinite(seconds) ? new BatchTime(items, seconds) : null;
    }

    /// <summary>The cost as a sentence.</summary>
    /// <param name="fit">The cost.</param>
    /// <param name="of">What it is the cost of, and where it was found, in some words.</param>
    public static string Sentence(BatchCostFit fit, string of) => $"Cost of a call{of}: {fit}.";

    /// <summary>The cost as rows.</summary>
    /// <param name="fit">The cost.</param>
    /// <param name="contestant">What it is the cost of.</param>
    public static IReadOnlyList<ResultRow> Rows(BatchCostFit fit, string contestant)
    {
        return
        [
            Row("cost-per-call", "ns", fit.Cost.PerCall * 1e9), Row("cost-per-step", "ns", fit.Cost.PerStep * 1e9),
            Row("step-width", "events", fit.Cost.Width),
            Row("error-median", "%", fit.MedianError * 100), Row("error-worst", "%", fit.WorstError * 100),
        ];

        ResultRow Row(string metric, string unit, double value) => new()
        {
            Case = CaseName, Contestant = contestant, Metric = metric, Unit = unit, Median = value, Verified = true, Rounds = 1, Note = fit.ToString(),
        };
    }

    /// <summary>Items a second by the cost, where it fits; drawn beside a curve of throughput along the limit of batches.</summary>
    /// <param name="fit">The cost.</param>
    /// <param name="name">The case that it is drawn in.</param>
    /// <param name="sizes">Where.</param>
    public static IReadOnlyList<ResultCurve> Curves(BatchCostFit fit, string name, IEnumerable<int> sizes) => !fit.Fits ? [] :
    [
        new ResultCurve
        {
            Case = name, Contestant = "a + b·⌈n/w⌉", Kind = BatchingCases.SizeKnob, X = BatchingCases.SizeUnit, Y = "throughput, events/s",
            Points = [.. sizes.Order().Select(size => (IReadOnlyList<double>)[size, fit.Cost.RateOf(size)])],
        },
    ];

    /// <summary>
    /// What a case at full speed says: found at batches of 1, 16 and 1,024, judged by all others. Null where there are none of them,
    /// or a round was wrong.
    /// </summary>
    /// <remarks>
    /// A hand-over may cost twice as much where the host has moved the two processors apart. Most rounds had one and the same
    /// <see cref="LineClass"/>: the cost is that of these rounds. Sizes of different classes have no cost in common.
    /// </remarks>
    /// <param name="result">The result.</param>
    /// <param name="width">How many jobs the work does for the price of one.</param>
    internal static CaseFinding? Of(CaseResult result, int width)
    {
        (int Size, IReadOnlyList<Round> Rounds)[] all =
        [
            .. from one in result.Contestants
            where one.Verified
            let size = SizeOf(one.Contestant)
            where size is not null
            select (size.Value, one.Rounds),
        ];
        LineClass? usual = all.SelectMany(static one => one.Rounds).GroupBy(result.ClassOf).MaxBy(static line => line.Count())?.Key;
        Dictionary<int, BatchTime> times = [];
        foreach ((int size, IReadOnlyList<Round> rounds) in all)
        {
            if (TimeOf(rounds.Where(round => result.ClassOf(round) == usual).Select(static round => round.Sample)) is { } time) times[size] = time;
        }

        if (!s_fitted.All(times.ContainsKey)) return null;
        BatchTime[] fitted = [.. s_fitted.Select(size => times[size])];
        BatchTime[] judged = [.. times.Where(static one => !s_fitted.Contains(one.Key)).Select(static one => one.Value)];
        return BatchCostFit.Of(fitted, judged, width) is { } fit
            ? new CaseFinding(Sentence(fit, $", found at batches of {string.Join(", ", s_fitted.Select(static size => size.ToString("N0", CultureInfo.InvariantCulture)))}"), Rows(fit, result.Name), Curves(fit, result.Name, times.Keys))
            : null;
    }

    private static int? SizeOf(IContestant one) =>
        one.Name.StartsWith(Series, StringComparison.Ordinal)
        && int.TryParse(one.Name[Series.Length..], NumberStyles.None, CultureInfo.InvariantCulture, out int size) ? size : null;
}
