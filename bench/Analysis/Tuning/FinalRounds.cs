namespace Raceway.Analysis.Tuning;

/// <summary>How finalists are measured beside each other.</summary>
/// <param name="Count">Rounds.</param>
/// <param name="Starts">Starts of the pipeline that a round of one is shared among; they take turns start by start.</param>
/// <param name="Length">How long a round of one is.</param>
/// <param name="Heat">Of the rounds, the first ones, after which only the best go on; 0 where all do.</param>
internal readonly record struct FinalRounds(int Count, int Starts, TimeSpan Length, int Heat = 0)
{
    /// <summary>Of the time for finals, what goes into rounds: the rest is for warming up and calibrating.</summary>
    public const double Measured = 0.9;

    private const int Most = 101;

    // Enough to see which have no chance; of fewer rounds there is no interval.
    private const int LeastHeat = 6;
    private const int LeastWithHeat = 11;
    private const double HeatShare = 0.4;

    // Of a start at a rate: a p99 of fewer is that of a handful of items.
    private const int LeastItems = 1_000;

    // Long enough that starting and ending it are no matter.
    private static readonly TimeSpan s_start = TimeSpan.FromMilliseconds(30);

    // What making, starting and ending a pipeline takes.
    private static readonly TimeSpan s_beside = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// As many rounds as there is time for, of one start each: where its threads come to lie is luck at each start, and a median
    /// over many starts tells settings apart that rounds of several starts do not, as one bad start makes a bad round.
    /// </summary>
    /// <param name="time">For all rounds of one.</param>
    /// <param name="least">The fewest rounds.</param>
    /// <param name="shortest">The shortest round.</param>
    /// <param name="rate">Items a second, where that is given.</param>
    public static FinalRounds OfOneStart(TimeSpan time, int least, TimeSpan shortest, double? rate)
    {
        TimeSpan start = Start(shortest, rate);
        int count = (int)Math.Clamp(time / (start + s_beside), least, Math.Max(least, Most));
        return new FinalRounds(count, 1, Longer((time / count) - s_beside, shortest));
    }

    /// <summary>In the same time: the best have more rounds, as the others leave after the first ones.</summary>
    /// <param name="all">How many begin.</param>
    /// <param name="kept">How many go on.</param>
    public FinalRounds WithHeat(int all, int kept)
    {
        int heat = Math.Max(LeastHeat, (int)(Count * HeatShare));
        if (kept + 1 >= all || Count < LeastWithHeat) return this;
        return this with { Heat = heat, Count = Math.Min(Most, heat + ((Count - heat) * all / kept)) };
    }

    /// <summary>A given number of rounds, shared among as many starts as there is time for.</summary>
    /// <param name="count">Rounds.</param>
    /// <param name="time">For all rounds of one.</param>
    /// <param name="shortest">The shortest start.</param>
    /// <param name="rate">Items a second, where that is given.</param>
    public static FinalRounds Shared(int count, TimeSpan time, TimeSpan shortest, double? rate)
    {
        TimeSpan length = Longer(time / count, shortest);
        // An odd number: a median over them is never between that of a good start and of a bad one.
        int starts = ((int)Math.Clamp(length / (Start(shortest, rate) + s_beside), 1, Most) - 1) | 1;
        return new FinalRounds(count, starts, Longer(length - (s_beside * starts), shortest * starts));
    }

    private static TimeSpan Start(TimeSpan shortest, double? rate) =>
        Longer(Longer(s_start, shortest), TimeSpan.FromSeconds(rate is { } items ? LeastItems / items : 0));

    private static TimeSpan Longer(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
