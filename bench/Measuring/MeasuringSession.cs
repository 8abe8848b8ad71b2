namespace Raceway.Measuring;

/// <summary>One run of <see cref="Interleaver"/>.</summary>
internal sealed class MeasuringSession
{
    private const long LeastToShorten = 1_000;
    private const int Shortening = 20;

    // The most of the budget that goes into it; rounds have the rest.
    private const double PreparationShare = 0.25;
    private const double WarmUpShare = 0.4;
    private const double CalibrationShare = 0.3;

    // From a thousand operations to a billion by tens, and twice near the target.
    private const int MostProbes = 8;

    private readonly string _case;
    private readonly MetricKind _metric;
    private readonly InterleaverOptions _options;
    private readonly IProgress<MeasuringProgress>? _progress;
    private readonly TimeBudget _budget;
    private readonly CancellationToken _cancellation;
    private readonly ContestantRounds[] _all;
    private readonly int _steps;
    private double? _line;
    private int _done;
    private string? _coldNote;

    public MeasuringSession(
        string caseName, MetricKind metric, InterleaverOptions options, IProgress<MeasuringProgress>? progress,
        IReadOnlyList<IContestant> contestants, TimeBudget budget, CancellationToken cancellation)
    {
        (_case, _metric, _options, _progress, _budget, _cancellation) = (caseName, metric, options, progress, budget, cancellation);
        _all = [.. contestants.Select(static c => new ContestantRounds(c)
        {
            Failure = c is AbsentContestant absent ? absent.Note : null,
        })];
        _steps = Running.Count() * (4 + (options.Rounds * options.RunsOfRound)) + ToPrepare.Count();
    }

    private IEnumerable<ContestantRounds> Running => _all.Where(static c => c.Failure is null && !c.IsOut);

    private IEnumerable<ContestantRounds> ToPrepare => Running.Where(static c => c.Contestant.Preparation is not null);

    private bool Stopped => _cancellation.IsCancellationRequested || _budget.IsOver;

    /// <summary>What was measured until now.</summary>
    /// <param name="ending">Why rounds are missing.</param>
    public CaseResult Result(string ending)
    {
        bool interrupted = _cancellation.IsCancellationRequested;
        ContestantRounds[] all = [.. _all.Select(static one => one.Copy())];
        foreach (ContestantRounds one in all)
        {
            if (one.Failure is not null || one.Rounds.Count >= _options.Rounds || interrupted) continue;
            string why = !one.IsEliminated ? ending : one.Verified ? "others were better in them" : "one of them was wrong";
            if (one.Rounds.Count == 0) (one.Failure, one.IsNotMeasured) = ($"not measured: {ending}", true);
            else one.Note = Joined(one.Note, $"{one.Rounds.Count} of {_options.Rounds} rounds: {why}");
        }

        string[] abandoned = [.. all.Where(static one => one.IsAbandoned).Select(static one => one.Contestant.Name)];
        string? note = Joined(
            interrupted ? "stopped early" : null,
            Joined(all.Any(static one => one.Rounds.Count > 0) ? _coldNote : null, abandoned.Length == 0 ? null : $"measured beside threads that {string.Join(", ", abandoned)} left behind"));
        return new CaseResult(_case, _metric, all, note);
    }

    /// <summary>Lets those that have something to find out do so.</summary>
    public void Prepare()
    {
        ContestantRounds[] all = [.. ToPrepare];
        if (all.Length == 0) return;
        TimeBudget share = _budget.Share(PreparationShare);
        for (int i = 0; i < all.Length && !Stopped; i++)
        {
            Report(all[i], "preparation");
            Guarded(all[i], operations: 1, new PreparedContestant(all[i].Contestant, share.Left / (all.Length - i)));
        }
    }

    public void WarmUp()
    {
        foreach (ContestantRounds one in Running) one.Operations = Clip(one, _options.FirstOperations);
        if (_options.WarmUpRuns == 0 || !Running.Any()) return;
        bool settled = Measuring.WarmUp.Run(
            _ =>
            {
                foreach (ContestantRounds one in Running.ToArray())
                {
                    if (Stopped) return;
                    Report(one, "warm-up");
                    RunShort(one);
                }
            },
            static () => Measuring.WarmUp.Compiled, _options.TieringPause, _budget.Share(WarmUpShare), () => Stopped, _cancellation);
        if (!settled && _options.TieringPause > TimeSpan.Zero) _coldNote = "the runtime was still compiling when the rounds began";
    }

    // Many calls, each of about a millisecond: what counts for the compiler is the number of calls.
    private void RunShort(ContestantRounds one)
    {
        TimeBudget series = _budget.AtMost(_options.WarmUpLimit);
        for (int i = 0; i < _options.WarmUpRuns && !Stopped; i++)
        {
            if (Guarded(one, one.Operations) is not { } sample || series.IsOver) return;
            if (sample.Seconds < 0.001) one.Operations = Clip(one, one.Operations * 2);
        }
    }

    /// <summary>Finds out how many operations make a run of the time asked for, at least one full run each.</summary>
    public void Calibrate()
    {
        TimeBudget all = _budget.Share(CalibrationShare);
        ContestantRounds[] running = [.. Running];
        for (int i = 0; i < running.Length && !Stopped; i++)
        {
            ContestantRounds one = running[i];
            Report(one, "calibration");
            if (_options.Operations is { } given)
            {
                one.Operations = Clip(one, given / _options.RunsOfRound);
                Guarded(one, one.Operations);
                continue;
            }

            // What those before left of the time is for all that follow.
            Probe(one, all.Share(1.0 / (running.Length - i)));
        }
    }

    private void Probe(ContestantRounds one, TimeBudget part)
    {
        double target = _options.RoundTime.TotalSeconds / _options.RunsOfRound;
        long operations = one.Operations;
        bool wasNear = false;
        for (int probe = 0; probe < MostProbes && !Stopped && (probe == 0 || !part.IsOver); probe++)
        {
            if (Guarded(one, operations) is not { } sample) return;

            // A contestant may have done more than it was asked for: whole passes over its input.
            long done = Math.Max(sample.Operations, operations);

            // Short runs may be faster or slower than long ones: grow by steps, and stop near the target.
            double factor = Math.Min(10, target / Math.Max(sample.Seconds, 1e-6));
            long next = Clip(one, (long)Math.Min(done * factor, long.MaxValue / 2));
            bool near = sample.Seconds > 0.7 * target || next == operations;
            operations = one.Operations = next;
            // Twice: a run that was held up once must not be taken for a long one.
            if (near && wasNear) return;
            wasNear = near;
        }
    }

    public void Measure()
    {
        if (_options.ProbeLine && !Stopped) _line = LineRoundTrip.Measure();
        for (int round = 0; round < _options.Rounds && !Stopped; round++)
        {
            if (round == _options.Heat?.Rounds) Eliminate(_options.Heat);
            ContestantRounds[] running = [.. Running];
            List<Round>[] runs = [.. running.Select(static _ => new List<Round>())];
            for (int run = 0; run < _options.RunsOfRound; run++)
            {
                // The start rotates, so that no contestant always runs after the same neighbour.
                for (int i = 0; i < running.Length && !Stopped; i++)
                {
                    int next = (round + run + i) % running.Length;
                    if (running[next] is not { Failure: null, IsOut: false } one) continue;
                    if (one.Took + Kept(running, one) > _budget.Left) one.IsOut = true;
                    else if (MeasureOne(one, round) is { } done) runs[next].Add(done);
                }
            }

            foreach ((ContestantRounds one, List<Round> all) in running.Zip(runs))
            {
                if (all.Count == 0) continue;
                Sample whole = Sample.Of([.. all.Select(static run => run.Sample)]);
                one.Add(new Round(round, whole, all[0].LineBefore, all[^1].LineAfter));
            }
        }
    }

    private void Eliminate(Heat heat)
    {
        ContestantRounds[] running = [.. Running];
        HashSet<string> kept = [.. heat.Kept(running)];
        // One that was out before has no more rounds than they.
        foreach (ContestantRounds one in _all) one.IsEliminated = one.Failure is null && !kept.Contains(one.Contestant.Name);
        foreach (ContestantRounds one in running) one.IsOut = one.IsEliminated;
    }

    // Contestants with much shorter runs have their rounds first: an odd one must not take the last of the time from all.
    private TimeSpan Kept(ContestantRounds[] all, ContestantRounds odd)
    {
        TimeSpan kept = TimeSpan.Zero;
        int rounds = _options.Heat is { } heat && odd.Rounds.Count < heat.Rounds ? heat.Rounds : _options.Rounds;
        foreach (ContestantRounds one in all)
        {
            if (one.Failure is null && !one.IsOut && one.Took * 4 < odd.Took) kept += one.Took * ((rounds - one.Rounds.Count) * _options.RunsOfRound);
        }

        return kept;
    }

    private Round? MeasureOne(ContestantRounds one, int round)
    {
        Report(one, $"round {round + 1} of {_options.Rounds}");
        if (_options.Collect) GC.Collect();
        double? before = _line;
        Sample? sample = Guarded(one, one.Operations);
        if (_options.ProbeLine) _line = LineRoundTrip.Measure();
        return sample is { } done ? new Round(round, done, before, _line) : null;
    }

    private Sample? Guarded(ContestantRounds one, long operations) => Guarded(one, operations, one.Contestant);

    private Sample? Guarded(ContestantRounds one, long operations, IContestant contestant)
    {
        TimeSpan limit = LimitOf(one);
        TimeSpan begun = _budget.Elapsed;
        RunOutcome outcome = GuardedRun.Run(contestant, operations, limit, _cancellation, _budget.Clock);
        one.Took = _budget.Elapsed - begun;
        one.IsAbandoned |= outcome.Abandoned;
        bool mayShorten = _options.Operations is null && one.Note is null && operations > LeastToShorten;
        if (outcome is { TooLong: true, Abandoned: false } && limit < _options.RunLimit && one.Rounds.Count > 0)
        {
            one.IsOut = true;
        }
        else if (outcome is { TooLong: true, Abandoned: false } && mayShorten)
        {
            // Fast when it was calibrated, slow now: what it can do in a regime of its own belongs in the figures.
            one.Operations = operations / Shortening;
            one.Took = TimeSpan.Zero;
            one.Note = FormattableString.Invariant(
                $"a round of {operations:N0} did not end in {limit.TotalSeconds:0.#} s, later ones are shorter");
        }
        else if (outcome.Failure is not null)
        {
            one.Failure = outcome.Failure;
        }

        return outcome.Sample;
    }

    // One contestant may not take the time of all the others, but a run of its usual length fits to the end.
    private TimeSpan LimitOf(ContestantRounds one)
    {
        TimeSpan left = _budget.Left;
        TimeSpan usual = one.Took * 4 < left ? one.Took * 4 : left;
        TimeSpan fair = left / 4 > usual ? left / 4 : usual;
        return fair < _options.RunLimit ? fair : _options.RunLimit;
    }

    private void Report(ContestantRounds one, string phase) =>
        _progress?.Report(new MeasuringProgress(_case, one.Contestant.Name, phase, _done++, _steps, _line));

    private static string? Joined(string? a, string? b) => a is null ? b : b is null ? a : $"{a}; {b}";

    private static long Clip(ContestantRounds one, long operations) =>
        Math.Clamp(operations, 1, Math.Max(1, one.Contestant.MaxOperations));

    /// <summary>The preparation of a contestant as a run, guarded like any other.</summary>
    private sealed class PreparedContestant(IContestant contestant, TimeSpan within) : IContestant
    {
        public string Name => contestant.Name;

        public int BusyThreads => contestant.BusyThreads;

        public Sample Run(long operations, CancellationToken cancellation)
        {
            contestant.Preparation!(within, cancellation);
            return new Sample(operations, within.TotalSeconds, Verified: true);
        }
    }
}
