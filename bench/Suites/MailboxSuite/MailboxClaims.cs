using Raceway.Measuring;

namespace Raceway.Suites.MailboxSuite;

/// <summary>What is said of the mailbox suite, and checked by every run of it.</summary>
public static class MailboxClaims
{
    private const string Default = "raceway/default";
    private const string Slots = "raceway/slots";
    private const string Overhead = "overhead";
    private const string OverFloor = "over-floor";

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        Less("1a", "overhead per message, one actor", "t1/n100000/sum", 0.05, OverFloor, "mailbox-processor"),
        Less("1b", "overhead per message, one actor", "t1/n100000/sum", 1, OverFloor, "threaded-actor-3"),
        .. Each("2", "total time of a sum", 0.5, Overhead, "channel-unbounded",
            "t1/n1000/sum", "t1/n10000/sum", "t1/n100000/sum", "t10/n1000/sum", "t10/n100000/sum", "t20/n1000/sum",
            "t20/n100000/sum", "t100/n1000/sum", "t100/n100000/sum"),
        .. Each("3", "total time of a sum with a bound", 0.5, Overhead, "channel-bounded",
            "t1/n100000/sum/b1024", "t15/n100000/sum/b1024", "t30/n100000/sum/b1024"),
        .. Each("4", "cells that the write-up's actor lost", 1, Overhead, "mailbox-processor",
            "t10/n1000/bytes-100", "t10/n1000/bytes-1000", "t20/n1000/bytes-1000"),
        .. Each("5", "total time of SHA-512", 1.05, Overhead, "channel-unbounded",
            "t1/n100000/sha512", "t20/n100000/sha512", "t100/n100000/sha512"),
        .. Each("6", "total time of SHA-512 with a bound", 1.05, Overhead, "channel-bounded",
            "t1/n100000/sha512/b1024", "t15/n100000/sha512/b1024", "t30/n100000/sha512/b1024"),
        .. Each("7", "ahead of the rebuilt actors", 1, Overhead, "threaded-actor-3",
            "t1/n100000/sum", "t20/n100000/sum", "t100/n1000/sum", "t100/n100000/sha512"),
        .. Each("8", "ahead of the rebuilt bounded actor", 1, Overhead, "threaded-actor-4",
            "t1/n100000/sum/b1024", "t15/n100000/sum/b1024", "t30/n100000/sum/b1024", "t30/n100000/sha512/b1024"),
        Absolute("9a", "half of unrelated pool work waits at most", Figures.LatencyMedian, 200_000),
        Absolute("9b", "of unrelated pool work all but a hundredth waits at most", Figures.Latency99, 2_000_000),
        new()
        {
            Number = "10", Text = "allocation of ours, the poster's included", Ours = Default,
            Case = "t20/n100000/sum", Metric = Figures.Allocated, Bound = 0.05, LeastOperations = 1_000_000,
        },
        .. Each("11", "bytes carried in the slots' own buffers", 1, Overhead, "channel-bounded",
            "t10/n1000/carried-10/b256", "t10/n1000/carried-100/b256", "t10/n1000/carried-1000/b256")
            .Select(static claim => claim with { Ours = Slots }),
        new()
        {
            Number = "12", Text = "allocation with bytes carried in the slots' own buffers", Ours = Slots,
            Case = "t10/n1000/carried-1000/b256", Metric = Figures.Allocated, Bound = 0.1, LeastOperations = 100_000,
        },
    ];

    private static Claim Less(string number, string text, string name, double bound, string metric, string peer) => new()
    {
        Number = number, Text = text, Case = name, Ours = Default, Peers = [peer], Metric = metric, Bound = bound,
    };

    private static IEnumerable<Claim> Each(
        string number, string text, double bound, string metric, string peer, params IReadOnlyList<string> cases) =>
        cases.Select((name, i) => Less($"{number}{(char)('a' + i)}", text, name, bound, metric, peer));

    private static Claim Absolute(string number, string text, string metric, double bound) => new()
    {
        Number = number, Text = text, Case = "probe/t100/sha512", Ours = Default, Metric = metric, Bound = bound,
    };
}
