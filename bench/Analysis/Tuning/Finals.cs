using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Measures finalists beside each other in interleaved rounds, at full speed and at the given rate.</summary>
internal sealed class Finals
{
    // That many go on after a heat, by what they cost in it.
    private const int MostKept = 3;

    private readonly Dictionary<string, double[]> _costs = [];

    private static readonly Dictionary<string, string> s_control = new() { [Knobs.Transport] = Knobs.Control };

    private Finals(CaseResult? fast, CaseResult? paced)
    {
        FullSpeed = fast;
        Paced = paced;
    }

    public CaseResult? FullSpeed { get; }

    public CaseResult? Paced { get; }

    /// <summary>Those that are left out, and why: in a round of either kind they threw, took too long or were wrong.</summary>
    public IEnumerable<(string Name, string Failure)> Failures =>
        Contestants.Where(static one => !one.IsNotMeasured)
            .Select(static one => (
                one.Contestant.Name,
                Failure: one.Failure ?? (one.Rounds.Any(static round => !round.Sample.Verified) ? TrialRunner.Wrong : "")))
            .Where(static one => one.Failure.Length > 0).DistinctBy(static one => one.Name);

    private IEnumerable<ContestantRounds> Contestants =>
        new[] { FullSpeed, Paced }.OfType<CaseResult>().SelectMany(static one => one.Contestants);

    /// <summary>How many go on after a heat where those stay in any case.</summary>
    /// <param name="staying">See <see cref="Run"/>.</param>
    public static int KeptOf(IReadOnlyCollection<string> staying) => MostKept + staying.Count;

    /// <summary>Whether one had all rounds: of the others it is known only that they are not the best.</summary>
    public bool IsContender(string contestant) => !Contestants.Any(one => one.IsEliminated && one.Contestant.Name == contestant);

    /// <summary>Measures.</summary>
    /// <param name="host">Where they run.</param>
    /// <param name="options">The goal and the rate.</param>
    /// <param name="all">The finalists.</param>
    /// <param name="atFullSpeed">Rounds at full speed; none of these without it.</param>
    /// <param name="atTheRate">Rounds at the given rate; none of these without it.</param>
    /// <param name="name">The beginning of the cases' names.</param>
    /// <param name="within">The time that they may take.</param>
    /// <param name="progress">Told before every round.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <param name="staying">Those that go on after a heat whatever they cost.</param>
    public static Finals Run(
        ITrialHost host, TuneOptions options, IReadOnlyList<IReadOnlyDictionary<string, string>> all, FinalRounds? atFullSpeed,
        FinalRounds? atTheRate, string name, TimeBudget within, IProgress<MeasuringProgress>? progress, CancellationToken cancellation,
        IReadOnlyCollection<string>? staying = null)
    {
        CaseResult? fast = null, paced = null;
        if (atFullSpeed is { } quick)
        {
            InterleaverOptions at = Measuring(quick, options, HeatOf(quick, isPaced: false)) with { RunLimit = options.RunLimit + quick.Length };
            fast = new Interleaver(at, progress).Run(
                $"{name} at full speed", MetricKind.Throughput,
                [.. all.Select(one => Contestant(host, one, null, options))], within.Share(atTheRate is null ? 1 : 0.6), cancellation);
        }

        if (atTheRate is { } slow)
        {
            InterleaverOptions at = Measuring(slow, options, HeatOf(slow, isPaced: true));
            long items = Math.Max(10, (long)(options.PacedRate * slow.Length.TotalSeconds));
            at = at with
            {
                Operations = items, FirstOperations = Math.Min(at.FirstOperations, items),
                RunLimit = options.RunLimit + (slow.Length * 4),
                // Each finalist has as many warm-ups, however long they take. Items that come at random then come alike in each round.
                WarmUpLimit = options.RunLimit,
            };
            paced = new Interleaver(at, progress).Run(
                FormattableString.Invariant($"{name} at {options.PacedRate:N0}/s"), MetricKind.Latency,
                [.. all.Append(s_control).Select(one => Contestant(host, one, options.PacedRate, options))], within, cancellation);
        }

        var finals = new Finals(fast, paced);
        string[] left = [.. finals.Failures.Select(static one => one.Name)];
        foreach (string one in all.Select(Knobs.NameOf)) finals._costs[one] = left.Contains(one) ? [] : finals.CostsOf(one, options.Goal);
        return finals;

        Heat? HeatOf(FinalRounds rounds, bool isPaced) =>
            rounds.Heat == 0 ? null : new Heat(rounds.Heat, measured => Kept(measured, options.Goal, isPaced, staying ?? []));
    }

    private static IEnumerable<string> Kept(
        IReadOnlyList<ContestantRounds> all, TuneGoal goal, bool isPaced, IReadOnlyCollection<string> staying)
    {
        int rounds = all.Select(static one => one.Rounds.Count == 0 ? 0 : one.Rounds[^1].Index + 1).DefaultIfEmpty(0).Max();
        var costs = new Dictionary<string, double[]>();
        foreach (ContestantRounds one in all.Where(one => one.Failure is null && one.Verified && !staying.Contains(one.Contestant.Name)))
        {
            double[] own = [.. Enumerable.Repeat(double.NaN, rounds)];
            foreach (Round round in one.Rounds) own[round.Index] = isPaced ? goal.CostOf(null, round.Sample) : goal.CostOf(round.Sample, null);
            costs[one.Contestant.Name] = own;
        }

        return [.. Ranked(costs).Take(MostKept), .. staying];
    }

    /// <summary>A choice that is run for a number of items.</summary>
    public static TrialContestant Contestant(
        ITrialHost host, IReadOnlyDictionary<string, string> knobs, double? rate, TuneOptions options) =>
        new(host, new TrialRequest
        {
            Knobs = knobs, Seconds = 1e6, Rate = rate, Arrivals = options.Arrivals, Seed = options.Seed,
        });

    /// <summary>How many times as good one is as another, in rounds that ran next to each other.</summary>
    public MedianInterval? Ratio(string contestant, string over)
    {
        double[] ratios =
            [.. _costs[contestant].Zip(_costs[over], static (own, other) => Math.Exp(other - own)).Where(static one => !double.IsNaN(one))];
        return ratios.Length == 0 ? null : Statistics.Interval(ratios);
    }

    /// <summary>Why one has no cost.</summary>
    public string ReasonOf(string contestant) =>
        Failures.Where(one => one.Name == contestant).Select(static one => one.Failure)
            .Concat(Contestants.Where(one => one.Contestant.Name == contestant).Select(static one => one.Failure).OfType<string>())
            .FirstOrDefault("no round of it was measured beside the others");

    /// <summary>How many times as late one is as the generator alone, in windows of rounds that ran next to each other.</summary>
    public MedianInterval? TailOverControl(string contestant)
    {
        Dictionary<int, double?> control =
            RoundsOf(Paced, Knobs.Control).ToDictionary(static one => one.Index, static one => TuneGoal.P99Of(one.Sample));
        double[] ratios =
        [
            .. RoundsOf(Paced, contestant).Select(one => TuneGoal.P99Of(one.Sample) / control.GetValueOrDefault(one.Index))
                .OfType<double>().Where(double.IsFinite),
        ];
        return ratios.Length == 0 ? null : Statistics.Interval(ratios);
    }

    /// <summary>Those with a figure, the best first: by the median of what each cost beside the others of the round.</summary>
    public IReadOnlyList<string> Ranking() => [.. Ranked(_costs).OrderByDescending(IsContender)];

    private static IEnumerable<string> Ranked(Dictionary<string, double[]> all)
    {
        int rounds = all.Values.Select(static costs => costs.Length).DefaultIfEmpty(0).Max();
        double[] medians = [.. Enumerable.Range(0, rounds).Select(round => MedianOrNan(all.Values.Select(costs => At(costs, round))))];
        return all.Select(one => (Name: one.Key, Costs: Relative(one.Value)))
            .Where(static one => one.Costs.Length > 0).OrderBy(static one => Statistics.Median(one.Costs)).Select(static one => one.Name);

        double[] Relative(double[] costs) => [.. costs.Select((cost, round) => cost - medians[round]).Where(double.IsFinite)];
    }

    /// <summary>The rounds of one in a case.</summary>
    public static IReadOnlyList<Sample> Samples(CaseResult? result, string contestant) =>
        [.. RoundsOf(result, contestant).Select(static round => round.Sample)];

    private static IEnumerable<Round> RoundsOf(CaseResult? result, string contestant) =>
        result?.Contestants.FirstOrDefault(one => one.Contestant.Name == contestant && one.Failure is null)?.Rounds ?? [];

    // By the round's number; what a case lacks makes the round no number.
    private double[] CostsOf(string contestant, TuneGoal goal)
    {
        Dictionary<int, Sample> fast = ByRound(FullSpeed), paced = ByRound(Paced);
        int rounds = Math.Max(fast.Keys.DefaultIfEmpty(-1).Max(), paced.Keys.DefaultIfEmpty(-1).Max()) + 1;
        return
        [
            .. Enumerable.Range(0, rounds).Select(round =>
            {
                Sample? quick = fast.TryGetValue(round, out Sample f) ? f : null;
                Sample? slow = paced.TryGetValue(round, out Sample p) ? p : null;
                bool complete = (!goal.NeedsFullSpeed || quick is not null) && (!goal.NeedsPaced || slow is not null);
                return complete ? goal.CostOf(quick, slow) : double.NaN;
            }),
        ];

        Dictionary<int, Sample> ByRound(CaseResult? result) =>
            RoundsOf(result, contestant).ToDictionary(static one => one.Index, static one => one.Sample);
    }

    private static InterleaverOptions Measuring(FinalRounds rounds, TuneOptions options, Heat? heat) => new()
    {
        Heat = heat,
        Rounds = rounds.Count, RunsOfRound = rounds.Starts, RoundTime = rounds.Length, WarmUpRuns = 2,
        WarmUpLimit = TimeSpan.FromMilliseconds(10), ProbeLine = false, Collect = false, TieringPause = options.TieringPause,
    };

    private static double At(double[] costs, int round) => round < costs.Length ? costs[round] : double.NaN;

    private static double MedianOrNan(IEnumerable<double> values)
    {
        double[] numbers = [.. values.Where(static value => !double.IsNaN(value))];
        return numbers.Length == 0 ? double.NaN : Statistics.Median(numbers);
    }
}
