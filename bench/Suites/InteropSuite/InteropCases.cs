using Raceway.Measuring;

namespace Raceway.Suites.InteropSuite;

/// <summary>The cases of <c>compare --suite interop</c>: a program that uses channels, before and after they are replaced.</summary>
/// <remarks>An operation is an order that has come through the whole program.</remarks>
public static class InteropCases
{
    internal const string TwoHops = "channels-replaced";
    internal const string OneHop = "one-channel";

    // What is built once a round, some 50 KB a pipeline, is not to show.
    private static readonly RoundPlan s_rounds = new() { Operations = 4_000_000 };

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        new SuiteCase(
            TwoHops,
            "source, pricing and sum are tasks with a channel between each two; the same tasks whichever channel it is",
            MetricKind.Throughput,
            [
                Of("raceway/default", 3, static (count, sum) => OrderProgram.TwoHopsAsync(OrderProgram.Raceway, count, sum)),
                Of("raceway/stages", 3, OrderProgram.StagesAsync),
                Of("raceway/batches", 3, OrderProgram.BatchesAsync),
                Of("channel-bounded", 3, static (count, sum) => OrderProgram.TwoHopsAsync(OrderProgram.Bounded, count, sum)),
                Of("channel-unbounded", 3, static (count, sum) => OrderProgram.TwoHopsAsync(OrderProgram.Unbounded, count, sum)),
            ])
        {
            Reference = "channel-bounded",
            Rounds = s_rounds,
        },
        new SuiteCase(
            OneHop,
            "a source and a sum with one channel between them",
            MetricKind.Throughput,
            [
                Of("raceway/default", 2, static (count, sum) => OrderProgram.OneHopAsync(OrderProgram.Raceway, count, sum)),
                Of("channel-bounded", 2, static (count, sum) => OrderProgram.OneHopAsync(OrderProgram.Bounded, count, sum)),
                Of("channel-unbounded", 2, static (count, sum) => OrderProgram.OneHopAsync(OrderProgram.Unbounded, count, sum)),
            ])
        {
            Reference = "channel-bounded",
            Rounds = s_rounds,
        },
    ];

    private static Func<IContestant> Of(string name, int threads, Func<long, OrderSum, Task> run) =>
        () => new InteropContestant(name, threads, run);
}
