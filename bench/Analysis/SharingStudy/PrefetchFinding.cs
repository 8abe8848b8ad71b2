using Raceway.Measuring;

namespace Raceway.Analysis.SharingStudy;

/// <summary>Which line a processor fetches unasked, beside the one that it is asked for.</summary>
public enum Prefetch
{
    /// <summary>None of them.</summary>
    None,

    /// <summary>The other line of the pair: adjacent-line prefetch.</summary>
    Pair,

    /// <summary>The line above, of whatever pair.</summary>
    Next,

    /// <summary>The lines on both sides, of whatever pair.</summary>
    Both,
}

/// <summary>Finds out by how much cheaper a line beside the first one is than one that has to be fetched.</summary>
public static class PrefetchFinding
{
    // A line that came along costs next to nothing; one that did not, what a far one does. In between nothing is said.
    private const double ComesAlong = 0.5;
    private const double IsFetched = 0.6;

    /// <summary>What was prefetched; <see langword="null"/> where the rounds do not tell.</summary>
    /// <param name="result">The case in which one thread visits nodes.</param>
    public static Prefetch? Of(CaseResult result)
    {
        bool? pairUp = Comes(result, PrefetchContestant.PairUp), pairDown = Comes(result, PrefetchContestant.PairDown);
        bool? up = Comes(result, PrefetchContestant.NeighbourUp), down = Comes(result, PrefetchContestant.NeighbourDown);
        return (pairUp, pairDown, up, down) switch
        {
            (null, _, _, _) or (_, null, _, _) or (_, _, null, _) or (_, _, _, null) => null,
            (true, true, true, true) => Prefetch.Both,
            (true, true, _, _) => Prefetch.Pair,
            (true, _, true, _) => Prefetch.Next,
            _ => Prefetch.None,
        };
    }

    /// <summary>
    /// What a second line costs over the first alone, as a part of what a far one does: 0 where it came along, 1 where it had
    /// to be fetched. Round by round; <see langword="null"/> where one of the three has no figure.
    /// </summary>
    /// <param name="result">The case.</param>
    /// <param name="contestant">Which second line.</param>
    public static MedianInterval? PartOfFar(CaseResult result, string contestant)
    {
        ArgumentNullException.ThrowIfNull(result);
        double[] both = FiguresOf(result, contestant), one = FiguresOf(result, PrefetchContestant.OneLine);
        double[] far = FiguresOf(result, PrefetchContestant.FarLine);
        int rounds = Math.Min(both.Length, Math.Min(one.Length, far.Length));

        // Of the far line the median: a difference of two rounds alone may be next to nothing, and nothing divides by that.
        if (rounds == 0 || Statistics.Median(far) - Statistics.Median(one) is not (> 0 and var whole)) return null;
        return Statistics.Interval(both.Take(rounds).Zip(one, (two, alone) => (two - alone) / whole));
    }

    private static double[] FiguresOf(CaseResult result, string contestant) =>
        result.Contestants.FirstOrDefault(one => one.Contestant.Name == contestant && one.Failure is null) is { } found
            ? [.. found.Rounds.Select(round => result.Headline(round.Sample))]
            : [];

    private static bool? Comes(CaseResult result, string contestant) => PartOfFar(result, contestant) switch
    {
        { High: < ComesAlong } => true,
        { Low: > IsFetched } => false,
        _ => null,
    };
}
