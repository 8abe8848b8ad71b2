using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.SharingStudy;

/// <summary>Which line a processor fetches unasked, beside the one that it is asked for.</summary>
public enum Prefetch
{
    /// <summary>None of them.</summary>
    None,

    /// <summary>The other line of the pair: adjacent-line prefetch.</summary>
    Pair,

    /// <summary>The line above, of whatever pair.</summary>
    Next,

    /// <summary>The lines on both sides.</summary>
    Both,
}

/// <summary>Finds out by how much cheaper a second line is than the first one.</summary>
public static class PrefetchFinding
{
    // A line that has to be fetched costs about as much as the one before it; one that is there, a small part of that.
    private const double ComesAlong = 0.4;

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
    /// What a second line costs, as a part of what the first one does: 0 where it comes along, about 1 where it has to be
    /// fetched as well.
    /// </summary>
    /// <param name="result">The case.</param>
    /// <param name="contestant">Which second line.</param>
    public static MedianInterval? SecondOverFirst(CaseResult result, string contestant)
    {
        ArgumentNullException.ThrowIfNull(result);
        return result.Ratio(contestant, PrefetchContestant.OneLine) is { } both
            ? both with
            {
                Median = both.Median - 1, Low = both.Low - 1, High = both.High - 1, Min = both.Min - 1, Max = both.Max - 1,
            }
            : null;
    }

    private static bool? Comes(CaseResult result, string contestant) =>
        SecondOverFirst(result, contestant) is { } part ? part.High < ComesAlong : null;
}
