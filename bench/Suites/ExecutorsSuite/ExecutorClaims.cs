using Raceway.Measuring;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>What is said of the executors suite, and checked by every run of it.</summary>
public static class ExecutorClaims
{
    private const string Default = "raceway/default";
    private const string Inline = "raceway/inline";
    private const string Direct = "raceway/direct";
    private const string Overhead = "overhead";

    // Beginning and end of a round are a few kB, whatever its length.
    private const long LeastOperations = 500_000;

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        Less("1a", "parallel, handlers that complete at once", ParallelCases.Sync, Default, 0.7, ParallelCases.Baseline),
        Less("1b", "parallel, handlers that suspend", ParallelCases.Async, Default, 1, ParallelCases.Baseline),
        Less("1c", "parallel, calls that wait", ParallelCases.Waiting, Default, 1, ParallelCases.Baseline),
        Less("2a", "serial, there and back", SerialCases.RoundTrip, Default, 0.5, SerialCases.Baseline),
        Less("2b", "serial, there and back, 10 streams", SerialCases.Streams10, Default, 0.5, SerialCases.Baseline),
        Less("2c", "serial, 1,024 calls under way", SerialCases.Window, Default, 0.6, SerialCases.Baseline),
        Less("2d", "serial, 100 calls at a time", SerialCases.Burst, Default, 0.6, SerialCases.Baseline),
        Less("2e", "serial, there and back, the write-up's executor", SerialCases.RoundTrip, Default, 0.5, SerialCases.WriteUp),
        Less("3", "serial, 100 calls in one", SerialCases.Many, Default, 0.1, SerialCases.Baseline),
        Less("4a", "serial, callers that go on inside", SerialCases.RoundTrip, Inline, 0.15, SerialCases.Baseline),
        Less("4b", "serial, run directly when idle", SerialCases.RoundTrip, Direct, 0.15, SerialCases.Baseline),
        .. ParallelCases.All.Concat(SerialCases.All).Select(static one => Nothing("5", one.Name)),
    ];

    private static Claim Less(string number, string text, string name, string ours, double bound, string peer) =>
        new() { Number = number, Text = text, Case = name, Ours = ours, Peers = [peer], Metric = Overhead, Bound = bound };

    private static Claim Nothing(string number, string name) => new()
    {
        Number = number, Text = "bytes a call", Case = name, Ours = "raceway/**", Metric = Figures.Allocated, Bound = 0.05,
        LeastOperations = LeastOperations,
    };
}
