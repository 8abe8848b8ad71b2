using Raceway.Measuring;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>The cases of the parallel executor.</summary>
internal static class ParallelCases
{
    public const int MaxConcurrency = 16;
    public const string Sync = "parallel/sync";
    public const string Async = "parallel/async";
    public const string Waiting = "parallel/async-64-callers";
    public const string Baseline = "semaphore";
    public const string WriteUp = "write-up/parallel";

    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        Case<Order>(
            Sync, "handlers that complete at once, one caller; the write-up's own figure: 15.1 ns and 0 B (Apple M4, 10 cores)", 1),
        Case<Order>("parallel/sync-10-callers", "the same, 10 callers of one executor; the write-up's own: 32 ns a call in bulk", 10)
            with { InQuick = false },
        Case<Hopping>(
            Async,
            "handlers that go through the thread pool, one caller; the write-up's own: 21.4 ns and 72 B, with handlers that complete at once",
            1),
        Case<Hopping>(Waiting, "the same, 64 callers of an executor that runs 16: most calls wait", 64),
        Case<Block8>("parallel/state-8", "parallel/sync with states of 8 bytes", 1) with { InQuick = false },
        Case<Block72>("parallel/state-72", "parallel/sync with states of 72 bytes", 1) with { InQuick = false },
        Case<Block256>("parallel/state-256", "parallel/sync with states of 256 bytes", 1) with { InQuick = false },
    ];

    private static SuiteCase Case<T>(string name, string description, int callers)
        where T : struct, IMessage<T>
    {
        IContestant Make(string contestant, Func<IStream<T>> create) =>
            new ExecutorContestant<T>(contestant, create, Calling.RoundTrip, callers, shared: true);

        List<Func<IContestant>> contestants =
        [
            () => Make("raceway/default", static () => new RacewayCalls<T>()),
            () => Make(Baseline, static () => new SemaphoreCalls<T>(checksState: false)),
            () => Make(WriteUp, static () => new SemaphoreCalls<T>(checksState: true)),
        ];
        if (typeof(T) != typeof(Hopping))
            contestants.Insert(1, () => Make("raceway/by-reference", static () => new RacewayCallsByReference<T>()));
        return new SuiteCase(name, description, MetricKind.Overhead, contestants) { Reference = Baseline };
    }
}
