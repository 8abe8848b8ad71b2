using Raceway.Measuring;

namespace Raceway.Suites.BoundedSuite;

/// <summary>The cases of <c>compare --suite bounded</c>.</summary>
public static class BoundedCases
{
    private const int ManyItems = 100_000;

    /// <summary>The write-up's numbers of items and bounds on bodies that wait, and many short bodies.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        Delays(20, 4),
        Delays(20, 20) with { InQuick = true },
        Delays(40, 4),
        Delays(40, 20),
        Short("sync", "bodies that complete at once", static items => new SynchronousWork(items), 4),
        Short("sync", "bodies that complete at once", static items => new SynchronousWork(items), 20),
        Short("yield", "bodies that give their thread up once", static items => new YieldingWork(items), 4),
        Short("yield", "bodies that give their thread up once", static items => new YieldingWork(items), 20),
    ];

    internal static string DelayName(int items, int bound) => $"delay-{items}/p{bound}";

    internal static string ShortName(string kind, int bound) => $"{kind}-100k/p{bound}";

    private static SuiteCase Delays(int items, int bound)
    {
        var work = new DelayedWork(items);
        string delays = string.Join(", ", work.Delays);
        return new SuiteCase(
            DelayName(items, bound),
            $"{items} bodies, {bound} in flight, each waits: {delays} ms; ideal {work.MakespanAt(bound)} ms",
            MetricKind.Time,
            [.. Executors.Ours.Concat(Executors.OfWriteUp).Select(one => Make(one, work, bound))])
        {
            Rounds = new RoundPlan { Operations = items, FirstOperations = items },
            InQuick = false,
            Reference = "parallel-for-each",
        };
    }

    private static SuiteCase Short(string kind, string bodies, Func<int, BoundedWork> create, int bound)
    {
        BoundedWork work = create(ManyItems);
        return new SuiteCase(
            ShortName(kind, bound),
            $"100,000 {bodies}, {bound} in flight",
            MetricKind.Overhead,
            [.. Executors.Ours.Concat(Executors.OfWriteUp).Concat(Executors.Others).Select(one => Make(one, work, bound))])
        {
            Rounds = new RoundPlan { FirstOperations = ManyItems },
            Reference = "parallel-for-each",
        };
    }

    private static Func<IContestant> Make((string Name, Executor Run) executor, BoundedWork work, int bound) =>
        () => new BoundedContestant(executor.Name, executor.Run, work, bound);
}
