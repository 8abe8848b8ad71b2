using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>Measures the cases of a suite one after another, each in its share of the time.</summary>
/// <param name="cases">The cases.</param>
/// <param name="options">Those of the run.</param>
/// <param name="time">How long a case lasts that fills the time.</param>
/// <param name="around">What is put around each contestant, if anything.</param>
internal sealed class SuiteMeasuring(
    IReadOnlyList<SuiteCase> cases, Func<SuiteCase, InterleaverOptions> options, TimeSpan time, Func<IContestant, IContestant>? around = null)
{
    private readonly Lock _lock = new();
    private readonly List<CaseResult> _done = [];
    private Interleaver? _current;

    /// <summary>Measures. When it is cancelled, what was measured until then is kept.</summary>
    /// <param name="console">Where progress goes.</param>
    /// <param name="within">The time that it may take; cases that have none left are marked.</param>
    /// <param name="cancellation">Ends it early.</param>
    public SuiteRun Run(ToolConsole console, TimeBudget within, CancellationToken cancellation)
    {
        using var progress = new ProgressLine(console);
        for (int i = 0; i < cases.Count && !cancellation.IsCancellationRequested; i++)
        {
            // What a case leaves of its share is for all that follow.
            double left = cases.Skip(i).Sum(one => Weight(one));
            CaseResult result = Measure(cases[i], progress, within.Share(Weight(cases[i]) / left), cancellation);
            lock (_lock) _done.Add(result);
        }

        return Of(cases.Take(_done.Count).Zip(_done));
    }

    /// <summary>What was measured until now. Any thread may ask while it runs.</summary>
    /// <param name="ending">Why rounds are missing.</param>
    public SuiteRun SoFar(string ending)
    {
        List<CaseResult> known;
        lock (_lock)
        {
            known = [.. _done];
            if (known.Count < cases.Count && _current?.SoFar(ending) is { } current && current.Name == cases[known.Count].Name)
                known.Add(current);
        }

        // Those that never began have their rows as well.
        var over = new TimeBudget(TimeProvider.System, TimeSpan.Zero);
        while (known.Count < cases.Count) known.Add(Measure(cases[known.Count], progress: null, over, CancellationToken.None));
        return Of(cases.Zip(known));
    }

    private double Weight(SuiteCase one) => SuiteList.Estimate(one, options(one), time).TotalSeconds + 1e-3;

    private CaseResult Measure(SuiteCase one, ProgressLine? progress, TimeBudget within, CancellationToken cancellation)
    {
        IReadOnlyList<IContestant> contestants = one.Create();
        var interleaver = new Interleaver(one.Rounds.Apply(options(one), time), progress);
        if (!within.IsOver) lock (_lock) _current = interleaver;
        CaseResult result = interleaver.Run(
            one.Name, one.Metric,
            around is null ? contestants : [.. contestants.Select(contestant => contestant is AbsentContestant ? contestant : around(contestant))],
            within, cancellation);
        // What still runs must not lose what it stands on.
        IEnumerable<IContestant> returned = contestants.Where(
            contestant => !result.Contestants.Any(rounds => rounds.IsAbandoned && rounds.Contestant.Name == contestant.Name));
        foreach (IDisposable keeper in returned.OfType<IDisposable>()) keeper.Dispose();
        return result;
    }

    // Where one case saw slow lines, fast ones of another are near.
    private static SuiteRun Of(IEnumerable<(SuiteCase Case, CaseResult Result)> measured)
    {
        (SuiteCase Case, CaseResult Result)[] all = [.. measured];
        double?[] readings = [.. all.SelectMany(static one => one.Result.LineReadings)];
        return new SuiteRun([.. all.Select(one => (one.Case, one.Result.Among(readings)))]);
    }
}
