using Raceway.Measuring;

namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>What is said of the threadpool suite, and checked by every run of it.</summary>
public static class ThreadPoolClaims
{
    // Rows that queue an item for every hop.
    private static readonly string[] s_queuing =
    [
        "quwi-no-queues", "quwi-local-queues", "subtask-chain-return", "subtask-chain-awaited", "subtask-fanout-awaited",
        "continuation-chain", "continuation-fanout", "yield-chain-awaited", "async-chain-awaited",
    ];

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        .. ThreadPoolCases.All.Where(static one => DepthOf(one) >= 16).Select(static one => new Claim
        {
            Number = $"2a-{one.Name}", Text = "a plan that crosses threads, every row that queues an item a hop",
            Case = one.Name, Ours = "raceway/pooled", Bound = 2, Peers = s_queuing,
        }),
        .. ThreadPoolCases.All.Where(static one => DepthOf(one) >= 16).Select(static one => new Claim
        {
            // At most 1.5 times the time is at least two thirds of the rate.
            Number = $"2b-{one.Name}", Text = "stages fused on one thread, plain calls that check a cached task",
            Case = one.Name, Ours = "raceway/fused", Bound = 1 / 1.5, Peers = ["cached-task-check"],
        }),
    ];

    private static int DepthOf(SuiteCase one) =>
        int.Parse(one.Name.Split('/')[0].Split('-')[1], System.Globalization.CultureInfo.InvariantCulture);
}
