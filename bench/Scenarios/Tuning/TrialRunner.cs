using System.Diagnostics;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.Tuning;

/// <summary>Runs the rounds of candidates, so that none of them can end the search.</summary>
/// <param name="host">Where they run.</param>
/// <param name="options">How to tune.</param>
internal sealed class TrialRunner(ITrialHost host, TuneOptions options)
{
    /// <summary>Why a choice is out whose trial says that not all came out as it must.</summary>
    public const string Wrong = "its result was wrong";

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
    /// <param name="candidate">Who.</param>
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
            TrialRequest request = At(candidate, options.ShortestPacedRound * scale) with
            {
                Rate = options.PacedRate, Arrivals = options.Arrivals, Seed = seed,
            };
            if ((paced = Run(candidate, request, cancellation)) is null) return null;
            candidate.Paced.Add(paced.Value);
        }

        return options.Goal.CostOf(fast, paced);
    }

    /// <summary>Runs one round.</summary>
    public Sample? Run(Candidate candidate, TrialRequest request, CancellationToken cancellation)
    {
        Rounds++;
        RunOutcome outcome = GuardedRun.Run(
            new TrialContestant(host, request), request.Items, options.RunLimit + TimeSpan.FromSeconds(request.Seconds), cancellation);
        candidate.Failure ??= outcome.Failure ?? (outcome.Sample is { Verified: false } ? Wrong : null);
        return candidate.Failure is null ? outcome.Sample : null;
    }

    public static TrialRequest At(Candidate candidate, TimeSpan time) => new() { Knobs = candidate.Knobs, Seconds = time.TotalSeconds };
}

/// <summary>A choice as a contestant among others.</summary>
/// <param name="host">Where it runs.</param>
/// <param name="request">What is run.</param>
/// <param name="starts">Pipelines that a round is shared among, one after the other: where threads come to lie is luck at each
/// start, and the mean of that is wanted.</param>
internal sealed class TrialContestant(ITrialHost host, TrialRequest request, int starts = 1) : IContestant
{
    private const int LeastOfStart = 1_000;

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
        int runs = (int)Math.Clamp(operations / LeastOfStart, 1, starts);
        var replies = new TrialReply[runs];
        for (int i = 0; i < runs; i++)
        {
            long items = (operations * (i + 1) / runs) - (operations * i / runs);
            replies[i] = host.Run(request with { Items = items, Seed = request.Seed + i }, cancellation);
        }

        Last = TrialReply.Of(replies);
        return Last.ToSample();
    }
}
