using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Runs the rounds of candidates, so that none of them can end the search.</summary>
/// <param name="host">Where they run.</param>
/// <param name="options">How to tune.</param>
internal sealed class TrialRunner(ITrialHost host, TuneOptions options)
{
    /// <summary>Why a choice is out if its trial has not given the right result.</summary>
    public const string Wrong = "its result was wrong";

    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(2);

    private readonly long _started = Stopwatch.GetTimestamp();

    /// <summary>Since the search began.</summary>
    public TimeSpan Elapsed => Stopwatch.GetElapsedTime(_started);

    /// <summary>Rounds that were run.</summary>
    public int Rounds { get; private set; }

    public TuneOptions Options => options;

    public ITrialHost Host => host;

    /// <summary>The shortest pair of rounds that tells of the goal.</summary>
    public TimeSpan Shortest =>
        (options.Goal.NeedsFullSpeed ? options.ShortestRound : TimeSpan.Zero)
        + (options.Goal.NeedsPaced ? options.ShortestPacedRound : TimeSpan.Zero);

    /// <summary>Runs the rounds that the goal needs; what fails is out.</summary>
    /// <param name="candidate">The choice to try.</param>
    /// <param name="scale">How many times the shortest rounds.</param>
    /// <param name="seed">Decides when items come, where that is random.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <returns>The cost; none where it failed or was cancelled.</returns>
    public double? Cost(Candidate candidate, double scale, int seed, CancellationToken cancellation)
    {
        Sample? fast = null, paced = null;
        if (options.Goal.NeedsFullSpeed)
        {
            if ((fast = Run(candidate, At(candidate, options.ShortestRound * scale), cancellation)) is null) return null;
            candidate.Fast.Add(fast.Value);
        }

        if (options.Goal.NeedsPaced)
        {
            TrialRequest request = Paced(At(candidate, options.ShortestPacedRound * scale), seed);
            if ((paced = Run(candidate, request, cancellation)) is null) return null;
            candidate.Paced.Add(paced.Value);
        }

        return options.Goal.CostOf(fast, paced);
    }

    /// <summary>Runs what is to be measured until its code is compiled as it stays; see <see cref="WarmUp"/>.</summary>
    /// <param name="all">What is to be measured, or enough of it that all code is called.</param>
    /// <param name="time">How long it may take.</param>
    /// <param name="cancellation">Ends it early.</param>
    public void WarmUp(IReadOnlyList<Candidate> all, TimeSpan time, CancellationToken cancellation)
    {
        var budget = new TimeBudget(TimeProvider.System, time);
        long compiled = 0;
        Measuring.WarmUp.Run(
            series =>
            {
                foreach (Candidate one in all.Where(static one => one.Failure is null))
                {
                    if (cancellation.IsCancellationRequested || (series > 1 && budget.IsOver)) return;
                    TrialRequest request = At(one, s_short);
                    // At full speed in any case: at a rate there are too few items to have code compiled.
                    compiled = Run(one, request, out TrialReply? reply, cancellation) is null ? compiled : reply!.Compiled;
                    if (options.Goal.NeedsPaced) Run(one, Paced(request, series), cancellation);
                }
            },
            () => compiled, options.TieringPause, budget, () => cancellation.IsCancellationRequested, cancellation);
    }

    /// <summary>Runs one round.</summary>
    public Sample? Run(Candidate candidate, TrialRequest request, CancellationToken cancellation) =>
        Run(candidate, request, out _, cancellation);

    private Sample? Run(Candidate candidate, TrialRequest request, out TrialReply? reply, CancellationToken cancellation)
    {
        Rounds++;
        TimeSpan limit = options.RunLimit + TimeSpan.FromSeconds(request.Seconds);
        var contestant = new TrialContestant(host, request);
        RunOutcome outcome = GuardedRun.Run(contestant, request.Items, limit, cancellation);
        reply = contestant.Last;
        candidate.Failure ??= outcome.Failure ?? (outcome.Sample is { Verified: false } ? Wrong : null);
        return candidate.Failure is null ? outcome.Sample : null;
    }

    private TrialRequest Paced(TrialRequest request, int seed) =>
        request with { Rate = options.PacedRate, Arrivals = options.Arrivals, Seed = seed };

    public static TrialRequest At(Candidate candidate, TimeSpan time) =>
        new() { Knobs = candidate.Knobs, Seconds = time.TotalSeconds };
}

/// <summary>A choice as a contestant among others.</summary>
/// <param name="host">Where it runs.</param>
/// <param name="request">What is run.</param>
internal sealed class TrialContestant(ITrialHost host, TrialRequest request) : IContestant
{
    private int _runs;

    /// <inheritdoc/>
    public string Name { get; } = Knobs.NameOf(request.Knobs);

    /// <inheritdoc/>
    // Marked as oversubscribed are rows by their stages, which only the host knows: none is.
    public int BusyThreads => 1;

    /// <summary>The last reply.</summary>
    public TrialReply? Last { get; private set; }

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        // Where items come at random, they come in another way each time.
        Last = host.Run(request with { Items = operations, Seed = request.Seed + _runs++ }, cancellation);
        return Last.ToSample();
    }
}
