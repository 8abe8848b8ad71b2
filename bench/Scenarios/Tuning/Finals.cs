using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.Tuning;

/// <summary>Measures finalists beside each other in interleaved rounds, at full speed and at the given rate.</summary>
internal sealed class Finals
{
    private const int MostStarts = 51;
    private const int LeastOfStart = 1_000;

    // Long enough that starting and ending it are no matter.
    private static readonly TimeSpan s_start = TimeSpan.FromMilliseconds(30);

    private readonly Dictionary<string, double[]> _costs = [];

    private static readonly Dictionary<string, string> s_control = new() { [Knobs.Transport] = Knobs.Control };

    private Finals(CaseResult? fast, CaseResult? paced)
    {
        FullSpeed = fast;
        Paced = paced;
    }

    public CaseResult? FullSpeed { get; }

    public CaseResult? Paced { get; }

    /// <summary>Those without a figure, and why.</summary>
    public IEnumerable<(string Name, string Failure)> Failures =>
        new[] { FullSpeed, Paced }.OfType<CaseResult>().SelectMany(static one => one.Contestants)
            .Select(static one => (
                one.Contestant.Name,
                Failure: one.Failure ?? (one.Rounds.Any(static round => !round.Sample.Verified) ? TrialRunner.Wrong : "")))
            .Where(static one => one.Failure.Length > 0).DistinctBy(static one => one.Name);

    /// <summary>Measures.</summary>
    /// <param name="host">Where they run.</param>
    /// <param name="options">The goal, the rate and the number of rounds.</param>
    /// <param name="all">Who.</param>
    /// <param name="fastRound">How long a round of one is at full speed; none of these without it.</param>
    /// <param name="pacedRound">How long a round of one is at the given rate; none of these without it.</param>
    /// <param name="name">The beginning of the cases' names.</param>
    /// <param name="progress">Told before every round.</param>
    /// <param name="cancellation">Ends it early.</param>
    public static Finals Run(
        ITrialHost host, TuneOptions options, IReadOnlyList<IReadOnlyDictionary<string, string>> all, TimeSpan? fastRound,
        TimeSpan? pacedRound, string name, IProgress<MeasuringProgress>? progress, CancellationToken cancellation)
    {
        var measuring = new InterleaverOptions
        {
            Rounds = options.Rounds, WarmUpRuns = 2, WarmUpLimit = TimeSpan.FromMilliseconds(10), ProbeLine = false,
            TieringPause = options.TieringPause,
        };
        CaseResult? fast = null, paced = null;
        if (fastRound is { } wanted)
        {
            TimeSpan length = Longer(wanted, options.ShortestRound);
            InterleaverOptions at = measuring with
            {
                RoundTime = length, RunsOfRound = StartsIn(length, double.PositiveInfinity), RunLimit = options.RunLimit + length,
            };
            fast = new Interleaver(at, progress).Run(
                $"{name} at full speed", MetricKind.Throughput,
                [.. all.Select(one => Contestant(host, one, null, options))], cancellation);
        }

        if (pacedRound is { } asked)
        {
            TimeSpan length = Longer(asked, options.ShortestPacedRound);
            long items = Math.Max(10, (long)(options.PacedRate * length.TotalSeconds));
            InterleaverOptions at = measuring with
            {
                Operations = items, FirstOperations = Math.Min(measuring.FirstOperations, items), RunsOfRound = StartsIn(length, items),
                RunLimit = options.RunLimit + (length * 4),
            };
            paced = new Interleaver(at, progress).Run(
                FormattableString.Invariant($"{name} at {options.PacedRate:N0}/s"), MetricKind.Latency,
                [.. all.Append(s_control).Select(one => Contestant(host, one, options.PacedRate, options))], cancellation);
        }

        var finals = new Finals(fast, paced);
        foreach (string one in all.Select(Knobs.NameOf)) finals._costs[one] = finals.CostsOf(one, options.Goal);
        return finals;
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

    /// <summary>Those with a figure, the choice first, then by the median of what each cost beside the others of the round. Who is
    /// within the error of the best may be it as well: the choice is the steadiest of these, by what it cost in three rounds of
    /// four.</summary>
    /// <param name="mayWin">Whether it can be the choice; the others keep their place behind it.</param>
    public IReadOnlyList<string> Ranking(Func<string, bool> mayWin)
    {
        int rounds = _costs.Values.Max(static costs => costs.Length);
        double[] medians =
            [.. Enumerable.Range(0, rounds).Select(round => MedianOrNan(_costs.Values.Select(costs => At(costs, round))))];
        (string Name, double[] Costs)[] all =
        [
            .. _costs.Select(one => (Name: one.Key, Costs: Relative(one.Value)))
                .Where(static one => one.Costs.Length > 0).OrderBy(static one => Statistics.Median(one.Costs)),
        ];
        if (all.FirstOrDefault(one => mayWin(one.Name)).Name is not { } best) return [.. all.Select(static one => one.Name)];
        string steadiest = all.Where(one => mayWin(one.Name) && (one.Name == best || Ratio(best, one.Name) is { Low: <= 1 }))
            .MinBy(static one => UpperQuartile(one.Costs)).Name;
        return [steadiest, .. all.Select(static one => one.Name).Where(name => name != steadiest)];

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
                bool complete = (!goal.NeedsFullSpeed || quick is { Verified: true })
                    && (!goal.NeedsPaced || slow is { Verified: true });
                return complete ? goal.CostOf(quick, slow) : double.NaN;
            }),
        ];

        Dictionary<int, Sample> ByRound(CaseResult? result) =>
            RoundsOf(result, contestant).ToDictionary(static one => one.Index, static one => one.Sample);
    }

    private static TimeSpan Longer(TimeSpan one, TimeSpan other) => one > other ? one : other;

    // An odd number: a median over them is never between that of a good start and of a bad one.
    private static int StartsIn(TimeSpan round, double items) =>
        ((int)Math.Clamp(Math.Min(round / s_start, items / LeastOfStart), 1, MostStarts) - 1) | 1;

    private static double UpperQuartile(double[] values) => values.Order().ElementAt(values.Length * 3 / 4);

    private static double At(double[] costs, int round) => round < costs.Length ? costs[round] : double.NaN;

    private static double MedianOrNan(IEnumerable<double> values)
    {
        double[] numbers = [.. values.Where(static value => !double.IsNaN(value))];
        return numbers.Length == 0 ? double.NaN : Statistics.Median(numbers);
    }
}
