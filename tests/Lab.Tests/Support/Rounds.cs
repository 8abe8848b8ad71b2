using Raceway.Measuring;

namespace Raceway.Lab.Tests.Support;

/// <summary>Cases made of given figures instead of measured ones.</summary>
internal static class Rounds
{
    public const double NearLine = 90, FarLine = 310;

    public static CaseResult Case(string name, params IEnumerable<ContestantRounds> contestants) =>
        new(name, MetricKind.Throughput, [.. contestants], note: null);

    public static CaseResult LatencyCase(string name, params IEnumerable<ContestantRounds> contestants) =>
        new(name, MetricKind.Latency, [.. contestants], note: null);

    /// <summary>One that did so many operations in a second, round by round.</summary>
    public static ContestantRounds Rates(string name, params IEnumerable<double> rates) =>
        Of(name, rates.Select(static rate => (new Sample((long)rate, 1, Verified: true), (double?)null)));

    /// <summary>The same, each round with the line around it.</summary>
    public static ContestantRounds Rates(string name, params IEnumerable<(double Rate, double Line)> rounds) =>
        Of(name, rounds.Select(static one => (new Sample((long)one.Rate, 1, Verified: true), (double?)one.Line)));

    /// <summary>One whose every message took so many nanoseconds, round by round.</summary>
    public static ContestantRounds Latencies(string name, params IEnumerable<long> latencies) =>
        Of(name, latencies.Select(static latency =>
        {
            var histogram = new LatencyHistogram();
            histogram.Record(latency);
            return (new Sample(1, 1, Verified: true) { Latency = histogram }, (double?)null);
        }));

    /// <summary>One that counted so many of something, round by round.</summary>
    public static ContestantRounds Counting(string name, string metric, params IEnumerable<double> counts) =>
        Of(name, counts.Select(count => (new Sample(1, 1, Verified: true) { Counts = [new Count(metric, "count", count)] }, (double?)null)));

    /// <summary>One whose calls had so many messages, and took so many seconds each; three rounds of a thousand calls.</summary>
    public static ContestantRounds Batches(string name, double items, double seconds) => Of(
        name, Enumerable.Repeat((new Sample((long)(1_000 * items), 1_000 * seconds, Verified: true) { MeanBatch = items }, (double?)null), 3));

    /// <summary>The same, a round for each line: what a call took there.</summary>
    public static ContestantRounds Batches(string name, double items, params IEnumerable<(double Seconds, double Line)> rounds) => Of(
        name,
        rounds.Select(one => (new Sample((long)(1_000 * items), 1_000 * one.Seconds, Verified: true) { MeanBatch = items }, (double?)one.Line)));

    /// <summary>One that allocated so many bytes for 1,000 messages, round by round.</summary>
    public static ContestantRounds Allocating(string name, params IEnumerable<long> bytes) =>
        Allocating(name, note: null, operations: 1_000, bytes);

    /// <summary>The same for rounds of another length, and a contestant that says something of itself.</summary>
    public static ContestantRounds Allocating(string name, string? note, int operations, params IEnumerable<long> bytes) =>
        Of(new Contestant(name, note), bytes.Select(count => (new Sample(operations, 1, true, AllocatedBytes: count), (double?)null)));

    /// <summary>One that did or did not fall behind its rate, round by round.</summary>
    public static ContestantRounds Behind(string name, params IEnumerable<bool> rounds) => Of(name, rounds.Select(static behind =>
    {
        var histogram = new LatencyHistogram();
        histogram.Record(1);
        return (new Sample(1, 1, Verified: true) { Latency = histogram, FellBehind = behind }, (double?)null);
    }));

    public static ContestantRounds Wrong(string name) =>
        Of(name, [(new Sample(1, 1, Verified: false), null)]);

    public static ContestantRounds Absent(string name) =>
        new(new AbsentContestant(name)) { Failure = AbsentContestant.NotBuiltIn };

    private static ContestantRounds Of(string name, IEnumerable<(Sample Sample, double? Line)> rounds) =>
        Of(new Contestant(name, Note: null), rounds);

    private static ContestantRounds Of(IContestant contestant, IEnumerable<(Sample Sample, double? Line)> rounds)
    {
        var all = new ContestantRounds(contestant);
        foreach ((Sample sample, double? line) in rounds)
        {
            all.Add(new Round(all.Rounds.Count, sample, line, line));
        }

        return all;
    }

    private sealed record Contestant(string Name, string? Note) : IContestant
    {
        public int BusyThreads => 1;

        public Sample Run(long operations, CancellationToken cancellation) => throw new NotSupportedException();
    }
}
