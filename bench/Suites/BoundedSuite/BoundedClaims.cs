using Raceway.Measuring;

namespace Raceway.Suites.BoundedSuite;

/// <summary>What is said of the bounded suite, and checked by every run of it.</summary>
public static class BoundedClaims
{
    private const string Default = "raceway/default";
    private const string Time = "time";
    private const string Overhead = "overhead";

    // All that are there beside ours; one that has more bodies in flight than allowed does not count.
    private static readonly string[] s_rivals =
    [
        .. Executors.OfWriteUp.Concat(Executors.Others).Select(static one => one.Name),
    ];

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        .. Delays("1a", 20, 4),
        .. Delays("1b", 20, 20),
        .. Delays("1c", 40, 4),
        .. Delays("1d", 40, 20),
        .. Yielding("2a", 4),
        .. Yielding("2b", 20),
        .. Synchronous("3a", 4),
        .. Synchronous("3b", 20),
    ];

    private static Claim[] Delays(string number, int items, int bound)
    {
        string name = BoundedCases.DelayName(items, bound);
        return
        [
            Less(number, "bodies that wait, beside an executor that costs nothing", name, BoundedContestant.ToIdeal, 1.01),
            Less(number, "bodies that wait", name, Time, 1.01, s_rivals),
        ];
    }

    private static Claim[] Yielding(string number, int bound)
    {
        string name = BoundedCases.ShortName("yield", bound);
        return
        [
            Less(number, "short bodies that yield", name, Overhead, 0.75, "parallel-for-each"),
            Less(number, "short bodies that yield", name, Overhead, 1, s_rivals),
        ];
    }

    private static Claim[] Synchronous(string number, int bound)
    {
        string name = BoundedCases.ShortName("sync", bound);
        return
        [
            Less(number, "short bodies that complete at once", name, Overhead, 0.05, "parallel-for-each"),
            Less(number, "short bodies that complete at once", name, Overhead, 0.1, "parallel-for"),
            Less(number, "short bodies that complete at once", name, Overhead, 1, "static-partition"),
            Less(number, "short bodies that complete at once, allocation", name, Figures.Allocated, 0.01),
        ];
    }

    private static Claim Less(
        string number, string text, string name, string metric, double bound, params IReadOnlyList<string> peers) =>
        new() { Number = number, Text = text, Case = name, Ours = Default, Peers = peers, Metric = metric, Bound = bound };
}
