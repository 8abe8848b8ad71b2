using System.Diagnostics;

namespace Raceway.Scenarios.Measuring;

/// <summary>
/// Measures the contestants of a case against each other in one process: all are warmed up, then they run in rounds,
/// one after another, each round begun by the next one, with the line round trip measured between the runs.
/// </summary>
/// <param name="options">How to measure.</param>
/// <param name="progress">Told before every run.</param>
public sealed class Interleaver(InterleaverOptions options, IProgress<MeasuringProgress>? progress = null)
{
    /// <summary>Measures one case.</summary>
    /// <remarks>
    /// Cancelling ends it soon and keeps the rounds measured until then. A contestant that throws, or twice takes longer
    /// than <see cref="InterleaverOptions.RunLimit"/>, is dropped with a note; the others go on.
    /// </remarks>
    public CaseResult Run(
        string caseName, MetricKind metric, IReadOnlyList<IContestant> contestants,
        CancellationToken cancellation = default)
    {
        var session = new Session(caseName, options, progress, contestants, cancellation);
        session.WarmUp();
        session.Calibrate();
        session.Measure();
        return new CaseResult(caseName, metric, session.All, session.Ending());
    }

    private sealed class Session
    {
        private const long LeastToShorten = 1_000;
        private const int Shortening = 20;
        private readonly string _case;
        private readonly InterleaverOptions _options;
        private readonly IProgress<MeasuringProgress>? _progress;
        private readonly CancellationToken _cancellation;
        private readonly long _started = Stopwatch.GetTimestamp();
        private readonly int _steps;
        private double? _line;
        private int _done;
        private bool _overBudget;
        private string? _abandoned;

        public Session(
            string caseName, InterleaverOptions options, IProgress<MeasuringProgress>? progress,
            IReadOnlyList<IContestant> contestants, CancellationToken cancellation)
        {
            (_case, _options, _progress, _cancellation) = (caseName, options, progress, cancellation);
            All = [.. contestants.Select(static c => new ContestantRounds(c)
            {
                Failure = c is AbsentContestant absent ? absent.Note : null,
            })];
            _steps = Running.Count() * (3 + (options.Rounds * options.RunsOfRound));
        }

        public IReadOnlyList<ContestantRounds> All { get; }

        private IEnumerable<ContestantRounds> Running => All.Where(static c => c.Failure is null);

        /// <summary>What a reader of the rows must know of how it ended.</summary>
        public string? Ending()
        {
            string?[] parts =
            [
                _cancellation.IsCancellationRequested ? "stopped early" : null,
                _overBudget ? "stopped at the time budget" : null,
                _abandoned is null ? null : $"measured beside threads that {_abandoned} left behind",
            ];
            string text = string.Join("; ", parts.Where(static p => p is not null));
            return text.Length == 0 ? null : text;
        }

        public void WarmUp()
        {
            for (int series = 0; series < 2; series++)
            {
                foreach (ContestantRounds one in Running.ToArray())
                {
                    if (Stopped) return;
                    Report(one, "warm-up");
                    RunShort(one);
                }

                _cancellation.WaitHandle.WaitOne(_options.TieringPause);
            }
        }

        // Many calls, each of about a millisecond: what counts for the compiler is the number of calls.
        private void RunShort(ContestantRounds one)
        {
            long end = Stopwatch.GetTimestamp() + (long)(_options.WarmUpLimit.TotalSeconds * Stopwatch.Frequency);
            long operations = Clip(one, _options.FirstOperations);
            for (int i = 0; i < _options.WarmUpRuns && !Stopped; i++)
            {
                if (Guarded(one, operations) is not { } sample) return;
                if (Stopwatch.GetTimestamp() > end) return;
                if (sample.Seconds < 0.001) operations = Clip(one, operations * 2);
            }
        }

        /// <summary>
        /// Finds out how many operations make a run of the time asked for, at least one full run each.
        /// </summary>
        public void Calibrate()
        {
            double target = _options.RoundTime.TotalSeconds / _options.RunsOfRound;
            foreach (ContestantRounds one in Running.ToArray())
            {
                if (Stopped) return;
                Report(one, "calibration");
                if (_options.Operations is { } given)
                {
                    one.Operations = Clip(one, given / _options.RunsOfRound);
                    Guarded(one, one.Operations);
                    continue;
                }

                long operations = Clip(one, _options.FirstOperations);
                bool wasNear = false;
                while (!Stopped && Guarded(one, operations) is { } sample)
                {
                    // Short runs may be faster or slower than long ones: grow by steps, and stop near the target.
                    double factor = Math.Min(10, target / Math.Max(sample.Seconds, 1e-6));
                    long next = Clip(one, (long)(operations * factor));
                    bool near = sample.Seconds > 0.7 * target || next == operations;
                    operations = one.Operations = next;
                    // Twice: a run that was held up once must not be taken for a long one.
                    if (near && wasNear) break;
                    wasNear = near;
                }
            }
        }

        public void Measure()
        {
            if (_options.ProbeLine && !Stopped) _line = LineRoundTrip.Measure();
            for (int round = 0; round < _options.Rounds && !Stopped; round++)
            {
                if (round > 0 && _options.Budget is { } budget && Stopwatch.GetElapsedTime(_started) >= budget)
                {
                    _overBudget = true;
                    return;
                }

                ContestantRounds[] running = [.. Running];
                List<Round>[] runs = [.. running.Select(static _ => new List<Round>())];
                for (int run = 0; run < _options.RunsOfRound; run++)
                {
                    // The start rotates, so that nobody always runs after the same neighbour.
                    for (int i = 0; i < running.Length && !Stopped; i++)
                    {
                        int next = (round + run + i) % running.Length;
                        if (running[next].Failure is null && MeasureOne(running[next], round) is { } done) runs[next].Add(done);
                    }
                }

                foreach ((ContestantRounds one, List<Round> all) in running.Zip(runs))
                {
                    if (all.Count == 0) continue;
                    Sample whole = Sample.Of([.. all.Select(static run => run.Sample)]);
                    one.Measured.Add(new Round(round, whole, all[0].LineBefore, all[^1].LineAfter));
                }
            }
        }

        private Round? MeasureOne(ContestantRounds one, int round)
        {
            Report(one, $"round {round + 1} of {_options.Rounds}");

            // What a neighbour left behind is collected on nobody's time.
            GC.Collect();
            double? before = _line;
            Sample? sample = Guarded(one, one.Operations);
            if (_options.ProbeLine) _line = LineRoundTrip.Measure();
            return sample is { } done ? new Round(round, done, before, _line) : null;
        }

        private bool Stopped => _cancellation.IsCancellationRequested;

        private Sample? Guarded(ContestantRounds one, long operations)
        {
            RunOutcome outcome = GuardedRun.Run(one.Contestant, operations, _options.RunLimit, _cancellation);
            bool mayShorten = _options.Operations is null && one.Note is null && operations > LeastToShorten;
            if (outcome is { TooLong: true, Abandoned: false } && mayShorten)
            {
                // Fast when it was calibrated, slow now: what it can do in a regime of its own belongs in the figures.
                one.Operations = operations / Shortening;
                double limit = _options.RunLimit.TotalSeconds;
                one.Note = FormattableString.Invariant(
                    $"a round of {operations:N0} did not end in {limit:0.#} s, later ones are shorter");
            }
            else if (outcome.Failure is not null)
            {
                one.Failure = outcome.Failure;
            }

            if (outcome.Abandoned) _abandoned = one.Contestant.Name;
            return outcome.Sample;
        }

        private void Report(ContestantRounds one, string phase) =>
            _progress?.Report(new MeasuringProgress(_case, one.Contestant.Name, phase, _done++, _steps, _line));

        private static long Clip(ContestantRounds one, long operations) =>
            Math.Clamp(operations, 1, Math.Max(1, one.Contestant.MaxOperations));
    }
}
