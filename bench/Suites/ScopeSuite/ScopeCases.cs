using Raceway.Measuring;

namespace Raceway.Suites.ScopeSuite;

/// <summary>The cases of <c>compare --suite scope</c>.</summary>
public static class ScopeCases
{
    private static readonly int[] s_sizes = [100, 1000];

    /// <summary>The write-up's sizes and ratios, and children that all do the same.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        .. s_sizes.SelectMany(static size => new[] { Delayed(size, 2), Delayed(size, 4) }),
        .. s_sizes.Select(static size => Short(
            SyncName(size), "children that complete at once", ChildKind.Synchronous, size)),
        .. s_sizes.Select(static size => Short(
            YieldName(size), "children that give their thread up once", ChildKind.Yielding, size)),
        .. s_sizes.Select(static size => Short(
            PoolName(size), "children that are handed to the thread pool", ChildKind.Pool, size)),
    ];

    internal static string DelayName(int size, int asyncRatio) => $"delay-{size}/async-{asyncRatio}";

    internal static string SyncName(int size) => $"sync-{size}";

    internal static string YieldName(int size) => $"yield-{size}";

    internal static string PoolName(int size) => $"pool-{size}";

    private static SuiteCase Delayed(int size, int asyncRatio)
    {
        var bodies = new ScopeBodies(ChildKind.Delayed, size, asyncRatio);
        return new SuiteCase(
            DelayName(size, asyncRatio),
            $"{size} children, every {Ordinal(asyncRatio)} waits 10 ms, the others complete at once; a run is {size} events",
            MetricKind.Time,
            Contestants(bodies))
        {
            Rounds = new RoundPlan { Operations = 20 * size, FirstOperations = size },
            Reference = JoinMethods.WhenAllName,
        };
    }

    private static SuiteCase Short(string name, string children, ChildKind kind, int size) =>
        new(name, $"{size} {children}", MetricKind.Overhead, Contestants(new ScopeBodies(kind, size, 1)))
        {
            Rounds = new RoundPlan { FirstOperations = size },
            Reference = JoinMethods.WhenAllName,
        };

    private static IReadOnlyList<Func<IContestant>> Contestants(ScopeBodies bodies)
    {
        var methods = new List<(string Name, JoinMethod Join)>
        {
            ("raceway/default", JoinMethods.Scope),
            ("raceway/fail-fast", JoinMethods.FailFastScope),
            (JoinMethods.WhenAllName, JoinMethods.WhenAll),
            ("task-scope", JoinMethods.Rebuilt),
        };
        if (bodies.Kind == ChildKind.Pool) methods.Insert(1, ("raceway/spawn", JoinMethods.Spawn));
        return [.. methods.Select(one => (Func<IContestant>)(() => new ScopeContestant(one.Name, one.Join, bodies)))];
    }

    private static string Ordinal(int number) => number == 2 ? "second" : $"{number}th";
}
