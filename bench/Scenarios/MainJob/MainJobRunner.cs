using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.MainJob;

/// <summary>Measures the contestants of the main job: throughput first, then latency at half of each one's own.</summary>
/// <param name="options">How long it may take.</param>
/// <param name="progress">Told before every run.</param>
public sealed class MainJobRunner(MainJobOptions options, IProgress<MeasuringProgress>? progress = null)
{
    /// <summary>The case in the rows.</summary>
    public const string CaseName = "main-job";

    /// <summary>Measures the table. Cancelling ends it soon and keeps what was measured until then.</summary>
    /// <param name="contestants">Who runs.</param>
    /// <param name="input">The lines.</param>
    /// <param name="expected">What they must give.</param>
    /// <param name="cancellation">Ends it early.</param>
    public MainJobTable Run(
        IReadOnlyList<LineContestant> contestants, LoadedInput input, ExpectedTotals expected, CancellationToken cancellation)
    {
        IContestant[] fast = [.. contestants.Select(one => new LineRounds(one, input, expected))];
        CaseResult throughput = new Interleaver(options.Throughput, progress)
            .Run(CaseName, MetricKind.Throughput, fast, cancellation);
        if (cancellation.IsCancellationRequested)
        {
            return new MainJobTable(input, throughput, latency: null);
        }

        // Half of what it can do is a load that every contestant can keep up with, and the same share for each.
        IContestant[] paced =
        [
            .. throughput.Contestants.Where(static one => one.Failure is null && one.Rounds.Count > 0).Select(one =>
                new LineRounds(((LineRounds)one.Contestant).Line, input, expected, HalfOf(one))
                {
                    Longest = 2 * options.Latency.RoundTime,
                }),
        ];
        CaseResult latency = new Interleaver(options.Latency, progress)
            .Run($"{CaseName} at half speed", MetricKind.Latency, paced, cancellation);
        return new MainJobTable(input, throughput, latency);
    }

    private static double HalfOf(ContestantRounds one) =>
        Statistics.Median(one.Rounds.Select(static round => round.Sample.Rate)) / 2;
}
