using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>Measures the contestants of the main job: throughput first, then latency at a rate that is the same for all, and at half
/// of each one's own.</summary>
/// <param name="options">How long it may take.</param>
/// <param name="progress">Told before every run.</param>
public sealed class MainJobRunner(MainJobOptions options, IProgress<MeasuringProgress>? progress = null)
{
    /// <summary>The case in the rows.</summary>
    public const string CaseName = "main-job";

    /// <summary>The case of the latencies that are compared.</summary>
    public const string CommonRateName = $"{CaseName} at a common rate";

    /// <summary>The case of the latencies at half of each one's own speed.</summary>
    public const string HalfSpeedName = $"{CaseName} at half speed";

    /// <summary>The cases in the order in which they are measured.</summary>
    public static IReadOnlyList<string> Cases { get; } = [CaseName, CommonRateName, HalfSpeedName];

    // Of the time that is left: latency is one figure of many, throughput the one that is compared.
    private const double ThroughputShare = 0.7;
    private const double CommonShare = 0.5;

    private readonly Interleaver _fast = new(options.Throughput, progress);
    private readonly Interleaver _common = new(options.Latency, progress);
    private readonly Interleaver _paced = new(options.Latency, progress);

    /// <summary>Measures the table. Cancelling ends it soon and keeps what was measured until then.</summary>
    /// <param name="contestants">What runs.</param>
    /// <param name="input">The lines.</param>
    /// <param name="expected">What they must give.</param>
    /// <param name="within">The time that it may take.</param>
    /// <param name="cancellation">Ends it early.</param>
    public MainJobTable Run(
        IReadOnlyList<LineContestant> contestants, LoadedInput input, ExpectedTotals expected, TimeBudget within,
        CancellationToken cancellation)
    {
        IContestant[] fast = [.. contestants.Select(one => new LineRounds(one, input, expected))];
        CaseResult throughput = _fast.Run(CaseName, MetricKind.Throughput, fast, within.Share(ThroughputShare), cancellation);
        if (cancellation.IsCancellationRequested)
        {
            return new MainJobTable(input, throughput, latency: null);
        }

        ContestantRounds[] measured =
            [.. throughput.Contestants.Where(static one => one.Failure is null && one.Rounds.Count > 0)];
        if (measured.Length == 0) return new MainJobTable(input, throughput, latency: null);
        // What the slowest can keep up with is what all are compared at.
        double slowest = measured.Min(HalfOf);
        CaseResult common = Paced(CommonRateName, _common, _ => slowest, within.Share(CommonShare));
        // And half of what it can do is the same share for each.
        CaseResult latency = Paced(HalfSpeedName, _paced, HalfOf, within);
        return new MainJobTable(input, throughput, latency, common, slowest);

        CaseResult Paced(string name, Interleaver interleaver, Func<ContestantRounds, double> rate, TimeBudget within) =>
            interleaver.Run(
                name, MetricKind.Latency,
                [
                    .. measured.Select(one => new LineRounds(((LineRounds)one.Contestant).Line, input, expected, rate(one))
                    {
                        Longest = 2 * options.Latency.RoundTime,
                    }),
                ],
                within, cancellation);
    }

    /// <summary>What <see cref="Run"/> has measured until now; nothing before it has begun. Any thread may ask while it runs.</summary>
    /// <param name="input">The lines.</param>
    /// <param name="ending">Why rounds are missing, for their contestants' notes.</param>
    public MainJobTable? SoFar(LoadedInput input, string ending) =>
        _fast.SoFar(ending) is { } throughput
            ? new MainJobTable(input, throughput, _paced.SoFar(ending), _common.SoFar(ending))
            : null;

    private static double HalfOf(ContestantRounds one) =>
        Statistics.Median(one.Rounds.Select(static round => round.Sample.Rate)) / 2;
}
