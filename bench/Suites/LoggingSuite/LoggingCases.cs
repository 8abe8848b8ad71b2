using Raceway.Measuring;

namespace Raceway.Suites.LoggingSuite;

/// <summary>The cases of <c>compare --suite logging</c>: entries into a file, by ours and by others.</summary>
/// <remarks>An operation is an entry: logged, formatted and in the file. All write the same bytes, and block while their buffer is full.</remarks>
public static class LoggingCases
{
    /// <summary>Entries that wait in memory at most, of every contestant.</summary>
    internal const int Capacity = 4096;

    internal const string Call = "call-1e4";

    // Of the call: ten thousand a second.
    private static readonly TimeSpan s_interval = TimeSpan.FromMicroseconds(100);

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        Throughput(1),
        Throughput(2),
        Throughput(8),
        new SuiteCase(
            Call, "one thread logs 10,000 entries per second: what the call takes", MetricKind.Latency,
            [.. LogTargets.All.Select(static target => (Func<IContestant>)(() => new LogCallContestant(target, s_interval)))])
        {
            Reference = "serilog-async",
            Rounds = RoundPlan.Paced(s_interval),
        },
    ];

    internal static string NameOf(int threads) => $"threads-{threads}";

    private static SuiteCase Throughput(int threads) => new(
        NameOf(threads),
        $"{threads} thread{(threads == 1 ? " logs" : "s log")} as fast as the file takes it; all is in the file at the end",
        MetricKind.Throughput,
        [.. LogTargets.All.Select(target => (Func<IContestant>)(() => new LoggingContestant(target, threads)))])
    {
        Reference = "serilog-async",
        // What a logger costs that is opened and closed is not to show.
        Rounds = new RoundPlan { Stretch = 3, FirstOperations = 10_000 },
        InQuick = threads == 2,
    };
}
