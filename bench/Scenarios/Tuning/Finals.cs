using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.Tuning;

/// <summary>Measures finalists beside each other in interleaved rounds, at full speed and at the given rate.</summary>
internal sealed class Finals
{
    private readonly Dictionary<string, double[]> _costs = [];

    private Finals(CaseResult? fast, CaseResult? paced)
    {
        FullSpeed = fast;
        Paced = paced;
    }

    public CaseResult? FullSpeed { get; }

    public CaseResult? Paced { get; }

    /// <summary>Measures.</summary>
    /// <param name="host">Where they run.</param>
    /// <param name="options">The goal, the rate and the number of rounds.</param>
    /// <param name="all">Who.</param>
    /// <param name="round">How long a round of one is.</param>
    /// <param name="name">The beginning of the cases' names.</param>
    /// <param name="both">Both cases; otherwise those that the goal needs.</param>
    /// <param name="progress">Told before every round.</param>
    /// <param name="cancellation">Ends it early.</param>
    public static Finals Run(
        ITrialHost host, TuneOptions options, IReadOnlyList<IReadOnlyDictionary<string, string>> all, TimeSpan round, string name,
        bool both, IProgress<MeasuringProgress>? progress, CancellationToken cancellation)
    {
        var measuring = new InterleaverOptions
        {
            Rounds = options.Rounds, RoundTime = round, WarmUpRuns = 2, WarmUpLimit = TimeSpan.FromMilliseconds(10),
            RunLimit = options.RunLimit + round, ProbeLine = false,
        };
        CaseResult? fast = null, paced = null;
        if (both || options.Goal.NeedsFullSpeed)
        {
            fast = new Interleaver(measuring, progress).Run(
                $"{name} at full speed", MetricKind.Throughput, [.. all.Select(one => Contestant(host, one, null, options))], cancellation);
        }

        if (both || options.Goal.NeedsPaced)
        {
            TimeSpan length = round > options.ShortestPacedRound ? round : options.ShortestPacedRound;
            InterleaverOptions at = measuring with { Operations = Math.Max(10, (long)(options.PacedRate * length.TotalSeconds)) };
            at = at with { FirstOperations = Math.Min(at.FirstOperations, at.Operations!.Value) };
            paced = new Interleaver(at, progress).Run(
                FormattableString.Invariant($"{name} at {options.PacedRate:N0}/s"), MetricKind.Latency,
                [.. all.Select(one => Contestant(host, one, options.PacedRate, options))], cancellation);
        }

        var finals = new Finals(fast, paced);
        foreach (string contestant in all.Select(Knobs.NameOf)) finals._costs[contestant] = finals.CostsOf(contestant, options.Goal);
        return finals;
    }

    /// <summary>A choice that is run for a number of items.</summary>
    public static TrialContestant Contestant(
        ITrialHost host, IReadOnlyDictionary<string, string> knobs, double? rate, TuneOptions options) =>
        new(host, new TrialRequest { Knobs = knobs, Seconds = 1e6, Rate = rate, Arrivals = options.Arrivals, Seed = options.Seed });

    /// <summary>How many times as good one is as another, in rounds that ran next to each other.</summary>
    public MedianInterval? Ratio(string contestant, string over)
    {
        (double A, double B)[] pairs = [.. _costs[contestant].Zip(_costs[over]).Where(static pair => !double.IsNaN(pair.First + pair.Second))];
        return pairs.Length == 0 ? null : Statistics.Interval(pairs.Select(static pair => Math.Exp(pair.B - pair.A)));
    }

    /// <summary>Those with a figure, the best first: by the median of what each cost beside the others of the round.</summary>
    public IReadOnlyList<string> Ranking()
    {
        int rounds = _costs.Values.Max(static costs => costs.Length);
        double[] medians = [.. Enumerable.Range(0, rounds).Select(round => MedianOrNan(_costs.Values.Select(costs => At(costs, round))))];
        return
        [
            .. _costs.Select(one => (Name: one.Key, Score: MedianOrNan(one.Value.Select((cost, round) => cost - medians[round]))))
                .Where(static one => !double.IsNaN(one.Score)).OrderBy(static one => one.Score).Select(static one => one.Name),
        ];
    }

    /// <summary>The rounds of one in a case.</summary>
    public static IReadOnlyList<Sample> Samples(CaseResult? result, string contestant) =>
        [.. RoundsOf(result, contestant).Select(static round => round.Sample)];

    private static IEnumerable<Round> RoundsOf(CaseResult? result, string contestant) =>
        result?.Contestants.FirstOrDefault(one => one.Contestant.Name == contestant && one.Failure is null)?.Rounds ?? [];

    // By the round's number; what a case lacks makes the round no number.
    private double[] CostsOf(string contestant, TuneGoal goal)
    {
        Dictionary<int, Sample> fast = RoundsOf(FullSpeed, contestant).ToDictionary(static one => one.Index, static one => one.Sample);
        Dictionary<int, Sample> paced = RoundsOf(Paced, contestant).ToDictionary(static one => one.Index, static one => one.Sample);
        int rounds = Math.Max(fast.Keys.DefaultIfEmpty(-1).Max(), paced.Keys.DefaultIfEmpty(-1).Max()) + 1;
        return
        [
            .. Enumerable.Range(0, rounds).Select(round =>
            {
                Sample? quick = fast.TryGetValue(round, out Sample f) ? f : null;
                Sample? slow = paced.TryGetValue(round, out Sample p) ? p : null;
                bool complete = (!goal.NeedsFullSpeed || quick is { Verified: true }) && (!goal.NeedsPaced || slow is { Verified: true });
                return complete ? goal.CostOf(quick, slow) : double.NaN;
            }),
        ];
    }

    private static double At(double[] costs, int round) => round < costs.Length ? costs[round] : double.NaN;

    private static double MedianOrNan(IEnumerable<double> values)
    {
        double[] numbers = [.. values.Where(static value => !double.IsNaN(value))];
        return numbers.Length == 0 ? double.NaN : Statistics.Median(numbers);
    }
}
