using Raceway.Measuring;
using Raceway.Rings;

namespace Raceway.Analysis.Tuning;

/// <summary>What is measured of a choice when it is made: what it is made of, and what a reader wants to see of it.</summary>
internal sealed class Aftermath(TrialRunner runner, Random random, IProgress<MeasuringProgress>? progress)
{
    private const int LeastPasses = 6;
    private const int MostPasses = 15;
    private const int MostOthers = 6;
    private const double MostCurveRate = 10_000_000;
    private static readonly double[] s_loads = [0.1, 0.3, 0.5, 0.7, 0.9];
    private static readonly double[] s_percentiles = [0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100];

    private TuneOptions Options => runner.Options;

    /// <summary>The choice beside itself with one knob turned: to its usual value, or to the next where it has that.</summary>
    public IReadOnlyList<KnobWorth> Worth(IReadOnlyDictionary<string, string> chosen, TimeSpan time, CancellationToken cancellation)
    {
        if (!chosen.ContainsKey(Knobs.Plan) || cancellation.IsCancellationRequested) return [];
        var own = new Candidate(chosen);
        var turned = new List<(string Knob, Candidate Other)>();
        foreach (string knob in KnobSpace.All.Select(static one => one.Knob))
        {
            IReadOnlyDictionary<string, string> usual = KnobSpace.Usual(chosen, knob);
            IReadOnlyDictionary<string, string>? other = Knobs.NameOf(usual) != own.Name
                ? usual
                : KnobSpace.Neighbours(chosen).FirstOrDefault(one => one.Knob == knob).Knobs;
            if (other is not null) turned.Add((knob, new Candidate(other)));
        }

        foreach (string stage in chosen.Keys.Where(static key => key.StartsWith(Knobs.OfStage, StringComparison.Ordinal)))
            turned.Add((stage, new Candidate(chosen.Where(one => one.Key != stage).ToDictionary())));

        var costs = new List<Dictionary<Candidate, double>>();
        TimeSpan end = runner.Elapsed + time;
        Candidate[] all = [own, .. turned.Select(static one => one.Other)];
        double scale = Math.Clamp(time / (runner.Shortest * all.Length * LeastPasses), 1, 4);
        for (int pass = 0; pass < MostPasses && !cancellation.IsCancellationRequested; pass++)
        {
            if (pass >= LeastPasses && runner.Elapsed >= end) break;
            Tell($"what each knob is worth, pass {pass + 1}");
            Candidate[] order = [.. all.Where(static one => one.Failure is null)];
            random.Shuffle(order);
            int seed = random.Next();
            var row = new Dictionary<Candidate, double>();
            foreach (Candidate one in order)
                if (runner.Cost(one, scale, seed, cancellation) is { } cost) row[one] = cost;
            costs.Add(row);
        }

        return [.. turned.SelectMany(one => WorthOf(one.Knob, own, one.Other, costs))];
    }

    /// <summary>Next to nothing comes: the price of waking up shows.</summary>
    public CaseResult? LowLoad(
        IReadOnlyList<IReadOnlyDictionary<string, string>> all, TimeBudget within, CancellationToken cancellation, string name = "low load")
    {
        if (cancellation.IsCancellationRequested) return null;
        var measuring = new InterleaverOptions
        {
            Rounds = 3, Operations = Options.LowLoadItems, WarmUpRuns = 1, FirstOperations = Math.Min(10, Options.LowLoadItems),
            WarmUpLimit = TimeSpan.Zero, TieringPause = Options.TieringPause, ProbeLine = false, Collect = false, RunLimit = Options.RunLimit,
        };
        return new Interleaver(measuring, progress).Run(
            FormattableString.Invariant($"{name}, {TuneOptions.LowRate:N0}/s"), MetricKind.Latency,
            [.. all.DistinctBy(Knobs.NameOf).Select(one => Finals.Contestant(runner.Host, one, TuneOptions.LowRate, Options))], within, cancellation);
    }

    /// <summary>If the choice is much slower than today's settings while next to nothing comes: both figures, and the best finalist
    /// that is not, with what was measured of the others to find it.</summary>
    public (CaseResult? Others, LowLoadWarning? Warning) Warning(
        TuneResult result, IReadOnlyDictionary<string, string> today, CaseResult? low, TimeBudget within, CancellationToken cancellation)
    {
        string chosen = Knobs.NameOf(result.Chosen), current = Knobs.NameOf(today);
        if (low is null || LowLoadJudge.SlowAt(low, chosen, low, current) is not { } percentile) return (null, null);
        Finalist[] ours = [.. result.Finalists.Where(one => one.Name != Knobs.Channel && one.Name != chosen)];
        CaseResult? others = LowLoad(
            [.. ours.Where(one => one.Name != current).Take(MostOthers).Select(static one => one.Knobs)], within, cancellation,
            "low load of other finalists");
        Finalist? alternative = ours.FirstOrDefault(one => LowLoadJudge.IsQuick(CaseOf(one), one.Name, low, current));
        return (others, new LowLoadWarning(
            percentile, LowLoadJudge.TimeOf(low, chosen, percentile)!.Value, current,
            LowLoadJudge.TimeOf(low, current, percentile)!.Value, alternative, alternative is null ? null : LowLoadJudge.TimeOf(CaseOf(alternative), alternative.Name, percentile)));

        CaseResult? CaseOf(Finalist one) => one.Name == current ? low : others;
    }

    /// <summary>Percentiles of the finals, and latency at shares of what each can do.</summary>
    public IReadOnlyList<ResultCurve> Curves(
        TuneResult result, IReadOnlyList<IReadOnlyDictionary<string, string>> all, CancellationToken cancellation)
    {
        var curves = new List<ResultCurve>();
        foreach (string name in all.Select(Knobs.NameOf).Distinct())
        {
            LatencyHistogram merged = LatencyHistogram.Merged(
                Finals.Samples(result.Paced, name).Select(static sample => sample.Latency).OfType<LatencyHistogram>());
            if (merged.Count > 0)
            {
                curves.Add(new ResultCurve
                {
                    Case = result.Paced!.Name, Contestant = name, Kind = "percentiles", X = "percentile", Y = "ns",
                    Points = [.. s_percentiles.Select(percentile => new[] { percentile, merged.ValueAt(percentile / 100) })],
                });
            }
        }

        foreach (IReadOnlyDictionary<string, string> knobs in all.DistinctBy(Knobs.NameOf))
        {
            var one = new Candidate(knobs);
            if (Finals.Samples(result.FullSpeed, one.Name) is not { Count: > 0 } fast) continue;
            double most = Math.Min(MostCurveRate, Statistics.Median(fast.Select(static sample => sample.Rate)));
            var points = new List<IReadOnlyList<double>>();
            foreach (double load in s_loads)
            {
                if (cancellation.IsCancellationRequested) break;
                Tell($"latency against load, {one.Name}");
                TrialRequest request = TrialRunner.At(one, Options.ShortestPacedRound) with
                {
                    Rate = most * load, Arrivals = Options.Arrivals, Seed = Options.Seed,
                };
                if (runner.Run(one, request, cancellation) is { } paced && TuneGoal.P99Of(paced) is { } p99) points.Add([most * load, p99]);
            }

            if (points.Count == 0) continue;
            curves.Add(new ResultCurve
            {
                Case = "p99 against load", Contestant = one.Name, Kind = "latency-against-load", X = "events/s", Y = "ns", Points = points,
            });
        }

        return curves;
    }

    /// <summary>Where the stages' time goes at full speed.</summary>
    public IReadOnlyList<ResultTimeline> Timelines(
        string target, IReadOnlyList<IReadOnlyDictionary<string, string>> all, CancellationToken cancellation)
    {
        var timelines = new List<ResultTimeline>();
        foreach (IReadOnlyDictionary<string, string> knobs in all.DistinctBy(Knobs.NameOf))
        {
            if (cancellation.IsCancellationRequested) break;
            Tell("timeline");
            var contestant = new TrialContestant(runner.Host, new TrialRequest { Knobs = knobs, Seconds = 0.2, Samples = 20 });
            if (GuardedRun.Run(contestant, long.MaxValue, Options.RunLimit, cancellation).Sample is null) continue;
            TrialReply reply = contestant.Last!;
            var seen = new StageTimelines();
            foreach (TrialSnapshot look in reply.Snapshots.Append(new TrialSnapshot(reply.Seconds, reply.Stages)))
                seen.Add(TimeSpan.FromSeconds(look.At), look.Stages);
            timelines.AddRange(seen.ToResult($"{target} at full speed", contestant.Name));
        }

        return timelines;
    }

    /// <summary>Every batch size with every wait, the rest as chosen: what a heat map is made of.</summary>
    public IReadOnlyList<ResultRow> Map(IReadOnlyDictionary<string, string> chosen, CancellationToken cancellation)
    {
        if (cancellation.IsCancellationRequested || !chosen.ContainsKey(Knobs.Wait) || !chosen.ContainsKey(Knobs.Batch)) return [];
        Candidate[] all =
        [
            .. from batch in KnobSpace.All.First(static one => one.Knob == Knobs.Batch).Values
               from wait in Wait.All.Select(static wait => wait.Name)
               select new Candidate(chosen.With(new Dictionary<string, string> { [Knobs.Batch] = batch, [Knobs.Wait] = wait })),
        ];
        // One pass: a picture to look at, from which nothing is chosen.
        Tell("batch × wait");
        Halving.RunPass(runner, all, 1, random, cancellation);
        return TriedRows.Of(all, Options, "batch × wait");
    }

    private static IEnumerable<KnobWorth> WorthOf(
        string knob, Candidate own, Candidate other, IReadOnlyList<Dictionary<Candidate, double>> costs)
    {
        double[] ratios =
        [
            .. costs.Where(row => row.ContainsKey(own) && row.ContainsKey(other)).Select(row => Math.Exp(row[other] - row[own])),
        ];
        if (ratios.Length > 0) yield return new KnobWorth(knob, ValueOf(own, knob), ValueOf(other, knob), Statistics.Interval(ratios));
    }

    private static string ValueOf(Candidate one, string knob) => one.Knobs.GetValueOrDefault(knob) ?? "-";

    private void Tell(string phase) => progress?.Report(new MeasuringProgress(
        $"tune {runner.Host.Name}", "", phase, (int)runner.Elapsed.TotalMilliseconds, (int)Options.Budget.TotalMilliseconds, null));
}
