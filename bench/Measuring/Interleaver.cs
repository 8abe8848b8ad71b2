namespace Raceway.Measuring;

/// <summary>
/// Measures the contestants of a case against each other in one process: all are warmed up, then they run in rounds,
/// one after another, each round begun by the next one, with the line round trip measured between the runs.
/// </summary>
/// <remarks>
/// It ends within its budget, whatever its contestants do: preparation, warming up and calibration have a share of it each, calibration also
/// a number of probes, and rounds are begun as long as they fit. A run that does not return is left behind.
/// </remarks>
/// <param name="options">How to measure.</param>
/// <param name="progress">Told before every run.</param>
public sealed class Interleaver(InterleaverOptions options, IProgress<MeasuringProgress>? progress = null)
{
    /// <summary>Why rounds are missing where the budget was too short for them.</summary>
    public const string TimeWasUp = "time was up";

    private MeasuringSession? _session;

    /// <summary>Measures one case.</summary>
    /// <remarks>
    /// Cancelling ends it soon and keeps the rounds measured until then. A contestant that throws, or twice takes longer
    /// than <see cref="InterleaverOptions.RunLimit"/>, is dropped with a note; the others go on.
    /// </remarks>
    /// <param name="caseName">The case in the rows.</param>
    /// <param name="metric">What its headline figure is.</param>
    /// <param name="contestants">What runs.</param>
    /// <param name="within">The time that it may take; <see cref="InterleaverOptions.Budget"/> may be less.</param>
    /// <param name="cancellation">Ends it early.</param>
    public CaseResult Run(
        string caseName, MetricKind metric, IReadOnlyList<IContestant> contestants,
        TimeBudget? within = null, CancellationToken cancellation = default)
    {
        TimeBudget budget = (within ?? TimeBudget.Endless).AtMost(options.Budget ?? TimeBudget.Endless.Length);
        var session = new MeasuringSession(caseName, metric, options, progress, contestants, budget, cancellation);
        Volatile.Write(ref _session, session);
        session.Prepare();
        session.WarmUp();
        session.Calibrate();
        session.Measure();
        return session.Result(Interleaver.TimeWasUp);
    }

    /// <summary>
    /// What <see cref="Run"/> has measured until now; nothing before it has begun. Any thread may ask while it runs.
    /// </summary>
    /// <param name="ending">Why rounds are missing, for their contestants' notes.</param>
    public CaseResult? SoFar(string ending) => Volatile.Read(ref _session)?.Result(ending);
}
