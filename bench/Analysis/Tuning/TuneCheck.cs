using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Whether choices hold beside the best of a full grid, measured anew in interleaved rounds.</summary>
public static class TuneCheck
{
    /// <summary>Rounds in which the choices and the best of the grid run beside each other.</summary>
    public const int Rounds = 15;

    /// <summary>How many of the grid a choice is compared with.</summary>
    public const int Best = 5;

    /// <summary>What the lower end of a choice's ratio must be at least.</summary>
    public const double Bound = 0.9;

    private const int Shortlist = 20;
    private const int ShortlistPasses = 3;
    private const double WarmBy = 0.1, GridBy = 0.45, ShortlistBy = 0.6;

    /// <summary>Measures the grid once in short rounds, the best of it again, and then the best five beside the choices.</summary>
    /// <param name="host">Where trials run.</param>
    /// <param name="options">The goal, the rate, and how long it may take.</param>
    /// <param name="choices">What to check.</param>
    /// <param name="within">When it ends at the latest.</param>
    /// <param name="progress">Told before every pass.</param>
    /// <param name="cancellation">Ends it early.</param>
    public static TuneCheckResult Run(
        ITrialHost host, TuneOptions options, IReadOnlyList<IReadOnlyDictionary<string, string>> choices,
        TimeBudget within, IProgress<MeasuringProgress>? progress, CancellationToken cancellation)
    {
        var runner = new TrialRunner(host, options);
        var random = new Random(options.Seed);
        Candidate[] grid = [.. KnobSpace.Grid().Select(static knobs => new Candidate(knobs))];
        runner.WarmUp(
            [.. choices.Concat(KnobSpace.Anchors()).Select(static knobs => new Candidate(knobs))], options.Budget * WarmBy, cancellation);
        Tell($"grid of {grid.Length}");
        double scale = Math.Clamp(((options.Budget * GridBy) - runner.Elapsed) / (runner.Shortest * grid.Length), 1, 3);
        Halving.RunPass(runner, grid, scale, random, cancellation);
        Candidate[] shortlist = Leading(grid, Shortlist);
        foreach (Candidate one in shortlist) one.Forget();
        double scaled = ((options.Budget * ShortlistBy) - runner.Elapsed)
            / (runner.Shortest * Math.Max(1, shortlist.Length) * ShortlistPasses);
        for (int pass = 0; pass < ShortlistPasses; pass++)
        {
            Tell($"the best {shortlist.Length}, pass {pass + 1} of {ShortlistPasses}");
            Halving.RunPass(runner, shortlist, Math.Clamp(scaled, 1, 3), random, cancellation);
        }

        Candidate[] best = Leading(shortlist, Best);
        IReadOnlyDictionary<string, string>[] all =
            [.. choices.Concat(best.Select(static one => one.Knobs)).DistinctBy(Knobs.NameOf)];
        // At a rate the control runs beside them.
        int runs = (options.Goal.NeedsFullSpeed ? all.Length : 0) + (options.Goal.NeedsPaced ? all.Length + 1 : 0);
        TimeSpan left = (options.Budget - runner.Elapsed) * FinalRounds.Measured / runs;
        Finals finals = Finals.Run(
            host, options, all,
            options.Goal.NeedsFullSpeed ? FinalRounds.Shared(Rounds, left, options.ShortestRound, null) : null,
            options.Goal.NeedsPaced ? FinalRounds.Shared(Rounds, left, options.ShortestPacedRound, options.PacedRate) : null,
            "check", within, progress, cancellation);
        string[] names = [.. choices.Select(Knobs.NameOf).Distinct()];
        CheckedRatio[] ratios =
        [
            .. from choice in names
               from other in best
               let ratio = finals.Ratio(choice, other.Name)
               where ratio is not null
               select new CheckedRatio(choice, other.Name, ratio.Value),
        ];
        return new TuneCheckResult(options, grid.Length, [.. best.Select(static one => one.Name)], ratios, finals.FullSpeed, finals.Paced, all)
        {
            Missing = [.. names.Except(ratios.Select(static one => one.Choice)).Select(name => (name, finals.ReasonOf(name)))],
        };

        void Tell(string phase) => progress?.Report(new MeasuringProgress(
            $"check {host.Name}", "", phase, (int)runner.Elapsed.TotalMilliseconds, (int)options.Budget.TotalMilliseconds, null));
    }

    private static Candidate[] Leading(Candidate[] all, int count) =>
        [.. all.Where(static one => one.Failure is null && one.Relative.Count > 0).OrderBy(static one => one.Score).Take(count)];
}

/// <summary>What a check found.</summary>
/// <param name="Options">For which goal.</param>
/// <param name="GridSize">Settings of the grid.</param>
/// <param name="Best">Its best five.</param>
/// <param name="Ratios">Every choice over each of them.</param>
/// <param name="FullSpeed">What was measured at full speed.</param>
/// <param name="Paced">What was measured at the given rate.</param>
/// <param name="Knobs">The settings of all that were measured at last.</param>
public sealed record TuneCheckResult(
    TuneOptions Options, int GridSize, IReadOnlyList<string> Best, IReadOnlyList<CheckedRatio> Ratios,
    CaseResult? FullSpeed, CaseResult? Paced, IReadOnlyList<IReadOnlyDictionary<string, string>> Knobs)
{
    /// <summary>Choices that could not be compared, and why: they threw, hung, were wrong, or the time was up.</summary>
    public IReadOnlyList<(string Choice, string Reason)> Missing { get; init; } = [];

    /// <summary>Whether every choice was compared, and the lower end of each ratio is high enough.</summary>
    public bool Holds => Ratios.Count > 0 && Missing.Count == 0 && Ratios.All(static one => one.Holds);
}

/// <summary>A choice over one of the best of the grid.</summary>
/// <param name="Choice">The choice.</param>
/// <param name="Over">The other.</param>
/// <param name="Ratio">How many times as good it is.</param>
public sealed record CheckedRatio(string Choice, string Over, MedianInterval Ratio)
{
    /// <summary>Whether its lower end is high enough.</summary>
    public bool Holds => Choice == Over || Ratio.Low >= TuneCheck.Bound;
}
