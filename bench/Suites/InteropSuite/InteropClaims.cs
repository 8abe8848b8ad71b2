using Raceway.Measuring;

namespace Raceway.Suites.InteropSuite;

/// <summary>What is said of the interop suite, and checked by every run of it.</summary>
public static class InteropClaims
{
    private const string Bounded = "channel-bounded";

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        Faster("1a", "channels replaced in three lines, the tasks as they were", InteropCases.TwoHops, "raceway/default", 3),
        Faster("1b", "channels and tasks replaced by stages", InteropCases.TwoHops, "raceway/stages", 3),
        Faster("1c", "one channel replaced", InteropCases.OneHop, "raceway/default", 3),
        .. new[] { InteropCases.TwoHops, InteropCases.OneHop }.Select(static (name, index) => new Claim
        {
            Number = $"2{(char)('a' + index)}", Text = "allocation in every form",
            Case = name, Ours = "raceway/*", Metric = Figures.Allocated, Bound = 0.1, LeastOperations = 1_000_000,
        }),
    ];

    private static Claim Faster(string number, string text, string name, string ours, double bound) =>
        new() { Number = number, Text = text, Case = name, Ours = ours, Peers = [Bounded], Bound = bound };
}
