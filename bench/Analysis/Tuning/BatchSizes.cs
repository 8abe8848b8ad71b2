using System.Globalization;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Suites.Batching;

namespace Raceway.Analysis.Tuning;

/// <summary>The best choice under several limits of its batches, at full speed: what a call costs, and which limits that makes worth a trial.</summary>
internal sealed class BatchSizes
{
    // More than the rate asks for by so much: a stage that is just fast enough has a queue before it.
    private const double Spare = 1.25;
    private const int Passes = 3;

    private static readonly int[] s_sizes = [1, 4, 16, 64, 256, 1_024, 4_096];

    private readonly IReadOnlyDictionary<string, string> _base;

    private BatchSizes(IReadOnlyDictionary<string, string> choice, IReadOnlyList<int> tried, BatchCostFit fit) =>
        (_base, Tried, Fit) = (choice, tried, fit);

    /// <summary>The limits that were tried: no more than the ring holds.</summary>
    public IReadOnlyList<int> Tried { get; }

    /// <summary>What a call costs.</summary>
    public BatchCostFit Fit { get; }

    /// <summary>What was tried, without its limit.</summary>
    public string Name => Knobs.NameOf(_base);

    /// <summary>Limits to try, and their choices: none where the cost does not fit.</summary>
    /// <param name="rate">Items a second that must be carried, where that is asked for.</param>
    public IEnumerable<IReadOnlyDictionary<string, string>> Proposed(double? rate)
    {
        if (!Fit.Fits) return [];
        int? good = Fit.Cost.GoodSize;
        int[] sizes =
        [
            .. good is { } size and < int.MaxValue / 4 ? [size, 4 * size] : Array.Empty<int>(),
            .. rate is { } items ? SizesFor(items) : [],
        ];
        return [.. sizes.Where(size => size <= MostIn(_base)).Distinct().Select(size => Limited(_base, size)).DistinctBy(Knobs.NameOf)];
    }

    /// <summary>Measures; null where it was ended early, a choice failed, or the sizes were too much alike.</summary>
    /// <param name="runner">Runs rounds.</param>
    /// <param name="best">The choice.</param>
    /// <param name="width">How many items the stage does for the price of one.</param>
    /// <param name="time">How long it may take.</param>
    /// <param name="random">Draws the order.</param>
    /// <param name="cancellation">Ends it early.</param>
    public static BatchSizes? Measure(
        TrialRunner runner, IReadOnlyDictionary<string, string> best, int width, TimeSpan time, Random random, CancellationToken cancellation)
    {
        var choice = new SortedDictionary<string, string>(best.ToDictionary(), StringComparer.Ordinal);
        // A minimum would hide what small batches cost; single dispatch has none of any size.
        foreach (string knob in new[] { Knobs.Min, Knobs.Age, Knobs.Batch }) choice.Remove(knob);
        if (choice.GetValueOrDefault(Knobs.Dispatch) is null or "single") choice[Knobs.Dispatch] = "batch";
        int[] sizes = [.. s_sizes.Where(size => size <= MostIn(choice))];
        Candidate[] all = [.. sizes.Select(size => new Candidate(Limited(choice, size)))];
        TimeSpan round = time / (all.Length * Passes);
        if (round < runner.Options.ShortestRound) round = runner.Options.ShortestRound;
        for (int pass = 0; pass < Passes; pass++)
        {
            random.Shuffle(all);
            foreach (Candidate one in all)
            {
                if (cancellation.IsCancellationRequested) return null;
                if (runner.Run(one, TrialRunner.At(one, round), cancellation) is not { } sample) return null;
                one.Fast.Add(sample);
            }
        }

        BatchTime[] times = [.. all.Select(static one => CallCost.TimeOf(one.Fast)).OfType<BatchTime>()];
        return BatchCostFit.Of(times, width) is { } fit ? new BatchSizes(choice, sizes, fit) : null;
    }

    /// <summary>
    /// Of choices that differ from the best in their limit alone, and are not shown to be worse, that with the least: its batches
    /// take less time.
    /// </summary>
    /// <param name="winner">The best.</param>
    /// <param name="all">All that were measured beside it.</param>
    /// <param name="over">How many times as good as another the best is.</param>
    public static IReadOnlyDictionary<string, string> Least(
        IReadOnlyDictionary<string, string> winner, IEnumerable<IReadOnlyDictionary<string, string>> all,
        Func<IReadOnlyDictionary<string, string>, MedianInterval?> over)
    {
        if (LimitOf(winner) is not { } most) return winner;
        string rest = RestOf(winner);
        return all.Where(one => LimitOf(one) < most && RestOf(one) == rest && Simplicity.IsEqual(over(one)))
            .MinBy(LimitOf) ?? winner;
    }

    private IEnumerable<int> SizesFor(double rate)
    {
        for (int size = 1; size <= s_sizes[^1]; size *= 2)
        {
            if (Fit.Cost.RateOf(size) < Spare * rate) continue;
            yield return size;
            yield break;
        }
    }

    private static IReadOnlyDictionary<string, string> Limited(IReadOnlyDictionary<string, string> choice, int size) =>
        Knobs.Normal(choice.With([KeyValuePair.Create(Knobs.Batch, size.ToString(CultureInfo.InvariantCulture))]));

    private static int MostIn(IReadOnlyDictionary<string, string> choice) =>
        choice.GetValueOrDefault(Knobs.Capacity) is { } capacity ? int.Parse(capacity, CultureInfo.InvariantCulture) : int.MaxValue;

    private static int? LimitOf(IReadOnlyDictionary<string, string> choice) =>
        choice.GetValueOrDefault(Knobs.Batch) is { } limit ? int.Parse(limit, CultureInfo.InvariantCulture) : null;

    private static string RestOf(IReadOnlyDictionary<string, string> choice) =>
        Knobs.NameOf(choice.Where(static one => one.Key != Knobs.Batch).ToDictionary());
}
