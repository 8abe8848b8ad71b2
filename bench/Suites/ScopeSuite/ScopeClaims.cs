using Raceway.Measuring;

namespace Raceway.Suites.ScopeSuite;

/// <summary>What is said of the scope suite, and checked by every run of it.</summary>
public static class ScopeClaims
{
    private const string Default = "raceway/default";
    private const string Spawn = "raceway/spawn";
    private const string Time = "time";
    private const string Overhead = "overhead";

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        .. Both("1a", "every second child waits", ScopeCases.DelayName(100, 2), Default, Time, 1.03, 1),
        .. Both("1b", "every fourth child waits", ScopeCases.DelayName(100, 4), Default, Time, 1.03, 1),
        .. Both("1c", "every second child waits", ScopeCases.DelayName(1000, 2), Default, Time, 1.03, 1),
        .. Both("1d", "every fourth child waits", ScopeCases.DelayName(1000, 4), Default, Time, 1.03, 1),
        .. Both("2a", "children that yield", ScopeCases.YieldName(100), Default, Overhead, 1.3, 1),
        .. Both("2b", "children that yield", ScopeCases.YieldName(1000), Default, Overhead, 1.3, 1),
        .. Both("3a", "children of Task.Run", ScopeCases.PoolName(100), Default, Overhead, 1.1, 1),
        .. Both("3b", "children of Task.Run", ScopeCases.PoolName(1000), Default, Overhead, 1.1, 1),
        .. Both("4a", "spawned work", ScopeCases.PoolName(100), Spawn, Overhead, 1.1, 0.05),
        .. Both("4b", "spawned work", ScopeCases.PoolName(1000), Spawn, Overhead, 1.1, 0.05),
    ];

    private static Claim[] Both(
        string number, string text, string name, string ours, string metric, double time, double bytes) =>
    [
        Less(number, text, name, ours, metric, time),
        Less(number, text + ", allocation", name, ours, Figures.Allocated, bytes),
    ];

    private static Claim Less(string number, string text, string name, string ours, string metric, double bound) =>
        new()
        {
            Number = number, Text = text, Case = name, Ours = ours, Peers = [JoinMethods.WhenAllName], Metric = metric,
            Bound = bound,
        };
}
