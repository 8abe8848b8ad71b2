using Raceway.Measuring;

namespace Raceway.Suites.LanesSuite;

/// <summary>What is said of the lanes suite, and checked by every run of it.</summary>
public static class LanesClaims
{
    private const string Default = "raceway/default";

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        .. Of("a", "uniform keys, a worker a processor", "uniform/cores"),
        .. Of("b", "uniform keys, eight workers", "uniform/8"),
        .. Of("c", "keys after Zipf, a worker a processor", "zipf/cores"),
        .. Of("d", "keys after Zipf, eight workers", "zipf/8"),
        new()
        {
            Number = "6e", Text = "allocation of ours, the harness's threads included", Ours = "raceway/**",
            Metric = Figures.Allocated, Bound = 0.01, LeastOperations = 1_000_000,
        },
    ];

    private static IEnumerable<Claim> Of(string letter, string text, string name) =>
    [
        new() { Number = $"6{letter}", Text = text, Case = name, Ours = Default, Peers = ["channel-bounded"], Bound = 5 },
        new()
        {
            Number = $"6{letter}-memory", Text = $"{text}: what the heap grows by", Case = name, Ours = Default,
            Metric = "heap-growth", Bound = 1_000_000,
        },
    ];
}
