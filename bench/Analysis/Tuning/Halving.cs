using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>
/// Successive halving: all candidates get a little time, the better third twice the trust, and so on until few are left. The best
/// of each kind is among them: a few short rounds must not decide about all candidates of a kind.
/// </summary>
/// <remarks>
/// <para>K. Jamieson, A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization" (2016), with the
/// factor 3 of L. Li et al., "Hyperband" (2018): every rung has the same share of the time.</para>
/// <para>A rung is a number of passes over its candidates in an order drawn anew; what counts of a round is its cost less the
/// median of its pass, so that a slow moment of the machine changes no score.</para>
/// </remarks>
internal static class Halving
{
    public const int Factor = 3;
    private const int MostPasses = 9;
    private const double LongestScale = 6;

    /// <summary>Leaves the best, and the best of each kind.</summary>
    /// <param name="runner">Runs rounds.</param>
    /// <param name="candidates">All of them.</param>
    /// <param name="keep">How many to leave, whatever their kinds are.</param>
    /// <param name="kinds">The kinds that a candidate is of.</param>
    /// <param name="time">How long it may take.</param>
    /// <param name="random">Draws the order.</param>
    /// <param name="progress">Told before every pass.</param>
    /// <param name="cancellation">Ends it early, with what is known until then.</param>
    /// <returns>The best first.</returns>
    public static List<Candidate> Run(
        TrialRunner runner, IReadOnlyList<Candidate> candidates, int keep, Func<Candidate, IEnumerable<string>> kinds, TimeSpan time,
        Random random, Action<string, int>? progress, CancellationToken cancellation)
    {
        List<Candidate> left = [.. candidates];
        int rungs = Math.Max(1, (int)Math.Ceiling(Math.Log((double)left.Count / keep) / Math.Log(Factor)));
        TimeSpan begun = runner.Elapsed;
        for (int rung = 0; rung < rungs && !cancellation.IsCancellationRequested; rung++)
        {
            // What earlier rungs took too long for is missing from the later ones, not from the budget.
            TimeSpan end = begun + (time * (rung + 1) / rungs);
            RunRung(runner, left, end, random, progress, cancellation);
            int next = Math.Max(keep, (left.Count + Factor - 1) / Factor);
            left = Best(left, next, kinds);
            if (left.Count <= 1) break;
        }

        return Best(left, keep, kinds);
    }

    private static List<Candidate> Best(
        IEnumerable<Candidate> all, int count, Func<Candidate, IEnumerable<string>> kinds)
    {
        var seen = new HashSet<string>();
        return
        [
            .. all.Where(static one => one.Failure is null && one.Relative.Count > 0).OrderBy(static one => one.Score)
                .Select((one, place) => (Candidate: one, Place: place, NewKinds: kinds(one).Count(seen.Add)))
                .Where(one => one.Place < count || one.NewKinds > 0).Select(static one => one.Candidate),
        ];
    }

    private static void RunRung(
        TrialRunner runner, List<Candidate> all, TimeSpan end, Random random, Action<string, int>? progress,
        CancellationToken cancellation)
    {
        foreach (Candidate one in all) one.Forget();
        TimeSpan left = end - runner.Elapsed;
        int passes = (int)Math.Clamp(left / (runner.Shortest * all.Count), 1, MostPasses);
        double scale = Math.Clamp(left / (runner.Shortest * all.Count * passes), 1, LongestScale);
        for (int pass = 0; pass < passes && !cancellation.IsCancellationRequested; pass++)
        {
            if (pass > 0 && runner.Elapsed >= end) return;
            progress?.Invoke($"{all.Count} choices, pass {pass + 1} of {passes}", all.Count);
            RunPass(runner, all, scale, random, cancellation);
        }
    }

    /// <summary>One round of each, in an order drawn anew, scored against their median.</summary>
    public static void RunPass(
        TrialRunner runner, IReadOnlyList<Candidate> all, double scale, Random random, CancellationToken cancellation)
    {
        Candidate[] order = [.. all.Where(static one => one.Failure is null)];
        random.Shuffle(order);
        int seed = random.Next();
        var costs = new List<(Candidate Of, double Cost)>();
        foreach (Candidate one in order)
        {
            if (runner.Cost(one, scale, seed, cancellation) is { } cost) costs.Add((one, cost));
            if (cancellation.IsCancellationRequested) return;
        }

        if (costs.Count == 0) return;
        double median = Statistics.Median(costs.Select(static one => one.Cost));
        foreach ((Candidate one, double cost) in costs) one.Add(cost - median);
    }
}
