using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Searches the settings that suit a goal: halving, the neighbours of the best, interleaved finals. The best of each kind
/// stays until the finals.</summary>
/// <param name="host">Where trials run.</param>
/// <param name="options">How to search.</param>
/// <param name="progress">Told before every pass.</param>
public sealed class Tuner(ITrialHost host, TuneOptions options, IProgress<MeasuringProgress>? progress = null)
{
    // Shares of the budget, each up to this part of it: what one takes too long for is missing from the next. Behind them come
    // the low load, the curves and the map, of some six seconds.
    private const double WarmBy = 0.06, WarmAtMost = 0.2, HalvedBy = 0.32, RefinedBy = 0.5, SizedBy = 0.53, FinalsBy = 0.77, WorthBy = 0.82;

    // Of the finals' time, that of rounds of the kind that the goal does not need: they are there for the front.
    private const double OtherShare = 0.25;

    // No interval is formed of them.
    private const int OtherRounds = 6;

    // And beside what is measured there is warming up and calibration.
    private const int Leaders = 3;
    private const int MostStages = 8;

    // Long enough for a diagnosis.
    private static readonly TimeSpan s_glance = TimeSpan.FromMilliseconds(200);

    private readonly TrialRunner _runner = new(host, options);
    private readonly Random _random = new(options.Seed);
    private readonly List<Candidate> _tried = [];
    private IReadOnlyList<ResultRow> _soFar = [];

    /// <summary>What the pipeline runs under today; nothing is as it is defined.</summary>
    public IReadOnlyDictionary<string, string> Today { get; init; } = new Dictionary<string, string>();

    /// <summary>The time that it may take: what is still to be measured at its end is left out.</summary>
    public TimeBudget Within { get; init; } = TimeBudget.Endless;

    /// <summary>What was tried until now. Any thread may ask while it searches.</summary>
    public IReadOnlyList<ResultRow> SoFar => Volatile.Read(ref _soFar);

    /// <summary>Searches. Cancelling ends it soon, with what is known until then.</summary>
    /// <exception cref="TuneException">The pipeline cannot be run at all.</exception>
    public TuneResult Run(CancellationToken cancellation)
    {
        TrialReply first = FirstLook(cancellation);
        List<Candidate> leaders = Search(first, cancellation);
        BatchSizes? sizes = Size(leaders, first, cancellation);
        TuneResult result = Confirm(leaders, sizes, cancellation);
        var after = new Aftermath(_runner, _random, progress);
        IReadOnlyList<KnobWorth> worth = after.Worth(result.Chosen, By(WorthBy), cancellation);
        CaseResult? lowLoad = after.LowLoad(Named(result.Chosen), Within.Share(0.4), cancellation);
        (CaseResult? Others, LowLoadWarning? Warning) low =
            after.Warning(result, Today, lowLoad, Within.Share(0.5), cancellation);
        return result with
        {
            CallCost = sizes?.Fit,
            CallSizes = sizes?.Tried ?? [],
            TodayName = Knobs.NameOf(Today),
            Worth = worth,
            LowLoad = lowLoad,
            LowLoadOfOthers = low.Others,
            Warning = low.Warning,
            Curves = after.Curves(result, Named(result.Chosen), cancellation),
            Timelines = after.Timelines(result.Target, Named(result.Chosen)[..2], cancellation),
            Tried = [.. TriedRows.Of(_tried, options), .. after.Map(result.Chosen, cancellation)],
            Failures =
            [
                .. _tried.Where(static one => one.Failure is not null).Select(static one => (one.Name, Failure: one.Failure!))
                    .Concat(result.Failures).DistinctBy(static one => one.Name),
            ],
            Findings = first.Findings,
            Rounds = _runner.Rounds,
            Elapsed = _runner.Elapsed,
        };
    }

    // The choice, what runs today, and a Channel.
    private IReadOnlyDictionary<string, string>[] Named(IReadOnlyDictionary<string, string> chosen) => [chosen, Today, s_channel];

    private static readonly Dictionary<string, string> s_channel = new() { [Knobs.Transport] = Knobs.Channel };

    // A search of some seconds is of code that is compiled as well.
    private TimeSpan WarmUpTime
    {
        get
        {
            TimeSpan usual = options.Budget * WarmBy, most = options.Budget * WarmAtMost, needed = TimeSpan.FromSeconds(1);
            return usual > needed ? usual : most < needed ? most : needed;
        }
    }

    // A short budget has no time for all of the search: an answer needs the finals.
    private bool IsShort => Within.Elapsed > Within.Length * RefinedBy;

    private TimeSpan By(double share) => (options.Budget * share) - _runner.Elapsed is { Ticks: > 0 } left ? left : TimeSpan.Zero;

    /// <summary>Whether it runs at all, and what is to be seen of its stages; then every way to run it is compiled.</summary>
    private TrialReply FirstLook(CancellationToken cancellation)
    {
        Tell("first look", 0);
        var request = new TrialRequest
        {
            Knobs = Today, Seconds = s_glance.TotalSeconds, Diagnose = true,
            Rate = options.Goal.NeedsFullSpeed ? null : options.PacedRate, Arrivals = options.Arrivals,
        };
        var contestant = new TrialContestant(host, request);
        RunOutcome outcome = GuardedRun.Run(contestant, long.MaxValue, options.RunLimit, cancellation);
        cancellation.ThrowIfCancellationRequested();
        if (outcome.Failure is { } failure)
            throw new TuneException($"{host.Name} cannot be tuned: its first run {failure}") { IsHang = outcome.TooLong };
        if (outcome.Sample is not { Verified: true })
            throw new TuneException($"{host.Name} cannot be tuned: its Check found the result of its first run wrong, {Knobs.NameOf(Today)}.");

        Tell("compiling", 0);
        _runner.WarmUp(
            [.. KnobSpace.Anchors().Select(static knobs => new Candidate(knobs))], WarmUpTime, cancellation);
        return contestant.Last!;
    }

    private List<Candidate> Search(TrialReply first, CancellationToken cancellation)
    {
        List<IReadOnlyDictionary<string, string>> begin = [Today, .. Advised(Today, first), .. KnobSpace.Anchors()];
        for (int i = 0; i < options.Drawn; i++) begin.Add(KnobSpace.Draw(_random));
        List<Candidate> leaders = Halve(Fresh(begin), By(HalvedBy), cancellation);
        if (leaders.Count == 0 || cancellation.IsCancellationRequested) return leaders;

        // Twice, so that two knobs that are worth something together only are found as well. At first around the best under two
        // plans: the other one may only lack a knob that matters to it alone.
        for (int turn = 0; turn < 2 && !IsShort && !cancellation.IsCancellationRequested; turn++)
        {
            IReadOnlyDictionary<string, string> best = leaders[0].Knobs;
            IEnumerable<IReadOnlyDictionary<string, string>> around =
            [
                .. Kinds.Centres(leaders, turn == 0 ? 2 : 1).SelectMany(static one => KnobSpace.Neighbours(one.Knobs)).Select(static one => one.Knobs),
                .. turn == 0 ? [] : KnobSpace.Rooms(best), .. OfStages(best, first), .. Advised(best, first),
            ];
            List<Candidate> next = [.. leaders, .. Fresh(around).Where(one => !leaders.Exists(known => known.Name == one.Name))];
            double share = HalvedBy + ((RefinedBy - HalvedBy) * (turn + 1) / 2);
            leaders = Halve(next, By(share), cancellation) is { Count: > 0 } found ? found : leaders;
        }

        return leaders;
    }

    private List<Candidate> Halve(List<Candidate> all, TimeSpan time, CancellationToken cancellation) =>
        Halving.Run(_runner, all, Leaders, one => Kinds.Of(one.Knobs, options.Goal), time, _random, Tell, cancellation);

    /// <summary>What the diagnosis of today's run advises: each change for itself, and the first of every finding together.</summary>
    private static IEnumerable<IReadOnlyDictionary<string, string>> Advised(IReadOnlyDictionary<string, string> knobs, TrialReply first) =>
    [
        .. first.Findings.SelectMany(static one => one.Changes).Select(knobs.With),
        first.Findings.Where(static one => one.Changes.Count > 0).Reverse()
            .Aggregate(knobs, static (changed, one) => changed.With(one.Changes[0])),
    ];

    /// <summary>One stage called in another way than the rest: where one of them is better off without batches, this finds it.</summary>
    private static IEnumerable<IReadOnlyDictionary<string, string>> OfStages(IReadOnlyDictionary<string, string> best, TrialReply first)
    {
        if (first.Stages.Count is < 2 or > MostStages) yield break;
        foreach (string stage in first.Stages.Select(static stage => stage.Name))
        {
            foreach (string dispatch in new[] { "single", "batch 16", "batch 256" })
            {
                yield return best.With([KeyValuePair.Create(Knobs.OfStage + stage, dispatch)]);
            }
        }
    }

    /// <summary>What a call of the best choice costs by its batch.</summary>
    private BatchSizes? Size(List<Candidate> leaders, TrialReply first, CancellationToken cancellation)
    {
        if (leaders.Count == 0 || cancellation.IsCancellationRequested) return null;
        Tell("limits of batches", 0);
        // Of several stages that which works most sets the pace.
        int width = first.Stages.MaxBy(static stage => stage.Working)?.Width ?? 1;
        return BatchSizes.Measure(_runner, leaders[0].Knobs, width, By(SizedBy), _random, cancellation);
    }

    private TuneResult Confirm(List<Candidate> leaders, BatchSizes? sizes, CancellationToken cancellation)
    {
        // The best is also tried with its plan and capacity alone: if that is no worse, the rest need not be set.
        IEnumerable<IReadOnlyDictionary<string, string>> plain = leaders.Take(1).Select(static one => KnobSpace.Plain(one.Knobs));
        IReadOnlyDictionary<string, string>[] all =
        [
            .. leaders.Select(static one => one.Knobs).Concat(sizes?.Proposed(options.Goal.NeedsPaced ? options.PacedRate : null) ?? [])
                .Concat(plain.Where(one => !_tried.Exists(known => known.Failure is not null && known.Name == Knobs.NameOf(one))))
                .Append(Today).Append(s_channel).DistinctBy(Knobs.NameOf),
        ];

        string[] staying = [.. new[] { Today, s_channel }.Select(Knobs.NameOf), Knobs.Control];
        TimeSpan each = By(FinalsBy) * FinalRounds.Measured / (all.Length + 1);
        Finals finals = Finals.Run(
            host, options, all,
            Rounds(options.Goal.NeedsFullSpeed, options.ShortestRound, null),
            Rounds(options.Goal.NeedsPaced, options.ShortestPacedRound, options.PacedRate),
            "finals", Within.Share(0.8), progress, cancellation, staying);
        IReadOnlyList<string> ranking = finals.Ranking();
        IReadOnlyDictionary<string, string>[] ranked =
            [.. ranking.Where(name => name != Knobs.Channel && finals.IsContender(name)).Select(name => all.First(one => Knobs.NameOf(one) == name))];
        string? first = ranked.Length == 0 ? null : Knobs.NameOf(ranked[0]);
        IReadOnlyDictionary<string, string> chosen = first is null
            ? leaders.FirstOrDefault()?.Knobs ?? Today
            : Simplicity.Choose(ranked, Today, one => finals.Ratio(first, Knobs.NameOf(one)));
        string? winner = first is null ? null : Knobs.NameOf(chosen);
        (string, string)[] failures = [.. finals.Failures];
        return new TuneResult
        {
            Target = host.Name,
            Options = options,
            Chosen = chosen,
            EqualBest = first == winner || finals.Ratio(first!, winner!) is not { } ahead ? null
                : new EqualBest(first!, ahead, Simplicity.ChangesOf(ranked[0], Today), Simplicity.ChangesOf(chosen, Today)),
            FullSpeed = finals.FullSpeed,
            Paced = finals.Paced,
            Finalists = Front.Of(finals, [.. ranking.OrderByDescending(name => name == winner).Select(name => (name, all.First(one => Knobs.NameOf(one) == name)))], winner),
            Channel = winner is null ? null : ChannelJudge.Of(finals, winner, options),
            TailOverControl = winner is null ? null : finals.TailOverControl(winner),
            ControlP99 = Front.Median(Finals.Samples(finals.Paced, Knobs.Control), TuneGoal.P99Of),
            FinalsFailed = first is null && failures.Length > 0,
            Failures = failures,
        };

        FinalRounds Rounds(bool isNeeded, TimeSpan shortest, double? rate)
        {
            FinalRounds rounds = FinalRounds.OfOneStart(
                each * ShareOf(isNeeded), isNeeded ? options.Rounds : Math.Min(options.Rounds, OtherRounds), shortest, rate);
            // Where both kinds count, neither alone says which are the best.
            bool decides = isNeeded && options.Goal.NeedsFullSpeed != options.Goal.NeedsPaced;
            return decides ? rounds.WithHeat(all.Length + 1, Finals.KeptOf(staying)) : rounds;
        }
    }

    private double ShareOf(bool isNeeded) => !isNeeded ? OtherShare
        : options.Goal is { NeedsFullSpeed: true, NeedsPaced: true } ? 0.5 : 1 - OtherShare;

    /// <summary>Candidates of these choices, those that were tried before with what is known of them.</summary>
    private List<Candidate> Fresh(IEnumerable<IReadOnlyDictionary<string, string>> choices)
    {
        List<Candidate> fresh = [];
        foreach (IReadOnlyDictionary<string, string> knobs in choices.DistinctBy(Knobs.NameOf))
        {
            string name = Knobs.NameOf(knobs);
            Candidate? known = _tried.Find(one => one.Name == name);
            if (known is null) _tried.Add(known = new Candidate(knobs));
            if (known.Failure is null) fresh.Add(known);
        }

        return fresh;
    }

    private void Tell(string phase, int candidates)
    {
        Volatile.Write(ref _soFar, TriedRows.Of(_tried, options));
        progress?.Report(new MeasuringProgress(
        $"tune {host.Name}", candidates == 0 ? "" : $"{candidates} left", phase,
        (int)_runner.Elapsed.TotalMilliseconds, (int)options.Budget.TotalMilliseconds, null));
    }
}

/// <summary>Why nothing can be tuned, in a sentence for the user.</summary>
public sealed class TuneException(string message) : Exception(message)
{
    /// <summary>Whether it is because a run does not end.</summary>
    public bool IsHang { get; init; }
}
