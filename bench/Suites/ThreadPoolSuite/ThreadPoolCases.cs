using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>The cases of <c>compare --suite threadpool</c>: what a hop costs, by the depths and parallelism of the write-up.</summary>
/// <remarks>
/// An operation is a hop. The others have as many chains under way as the case says, and each hop waits for the one before.
/// Ours is shown twice: free running, where the ring alone limits what is under way, as for chains that do not wait for each
/// other; and <c>-in-flight</c>, with as many items under way as the others have chains: that is what the answer compares.
/// </remarks>
public static class ThreadPoolCases
{
    private static readonly (string Name, Plan Plan)[] s_plans =
        [("fused", Plan.Fused), ("pooled", Plan.Pooled), ("ring-per-stage", Plan.RingPerStage)];

    private static readonly int[] s_depths = [1, 2, 16, 64, 512];
    private static readonly int[] s_parallel = [1, 2, 16, 64, 512];

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
        [.. s_parallel.SelectMany(static parallel => s_depths.Select(depth => Of(new ChainShape(depth, parallel))))];

    private static SuiteCase Of(ChainShape shape) => new(
        shape.Name,
        $"chains of {shape.Depth} hops, {(shape.Parallel == 1 ? "one after another" : $"{shape.Parallel} under way")}; a hop adds one",
        MetricKind.Throughput,
        [.. Ours(shape), .. Theirs(shape)])
    {
        Reference = "cached-task-check",
        Compared = "raceway/default-in-flight",
        InQuick = shape is { Depth: 1 or 16, Parallel: 1 or 16 },
    };

    private static IEnumerable<Func<IContestant>> Ours(ChainShape shape)
    {
        Func<IContestant> Of(string name, Plan plan, Dispatch dispatch, int? window = null) =>
            () => new RacewayChainContestant("raceway/" + name, shape.Depth, window, plan, dispatch);

        yield return Of("default", Plan.Auto, Dispatch.Batch());
        yield return Of("default-in-flight", Plan.Auto, Dispatch.Batch(), shape.Parallel);
        foreach ((string name, Plan plan) in s_plans)
        {
            yield return Of(name, plan, Dispatch.Batch());
            yield return Of($"{name}-single", plan, Dispatch.Single);
            yield return Of($"{name}-in-flight", plan, Dispatch.Batch(), shape.Parallel);
        }
    }

    private static IEnumerable<Func<IContestant>> Theirs(ChainShape shape) =>
    [
        () => new WorkItemContestant(shape, local: false),
        () => new WorkItemContestant(shape, local: true),
        .. TaskChains.All.Select(row => (Func<IContestant>)(() => new TaskChainContestant(row.Name, shape, row.Run))),
    ];
}
