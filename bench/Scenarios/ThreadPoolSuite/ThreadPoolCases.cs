using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.ThreadPoolSuite;

/// <summary>The cases of <c>compare --suite threadpool</c>: what a hop costs, by the depths and parallelism of the write-up.</summary>
/// <remarks>
/// An operation is a hop. <c>serial</c> is one chain after another; ours is shown twice there, with one item under way and
/// free running, as a queue of independent chains would be. Elsewhere ours has as many items under way as the others have
/// chains.
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
        InQuick = shape is { Depth: 1 or 16, Parallel: 1 or 16 },
    };

    private static IEnumerable<Func<IContestant>> Ours(ChainShape shape)
    {
        int? window = shape.Parallel == 1 ? null : shape.Parallel;
        yield return () => new RacewayChainContestant(
            "raceway/default", shape.Depth, window, Plan.Auto, Dispatch.Batch());
        foreach ((string name, Plan plan) in s_plans)
        {
            yield return () => new RacewayChainContestant($"raceway/{name}", shape.Depth, window, plan, Dispatch.Batch());
            yield return () => new RacewayChainContestant(
                $"raceway/{name}-single", shape.Depth, window, plan, Dispatch.Single);
            if (shape.Parallel > 1) continue;
            yield return () => new RacewayChainContestant(
                $"raceway/{name}-one-in-flight", shape.Depth, 1, plan, Dispatch.Batch());
        }
    }

    private static IEnumerable<Func<IContestant>> Theirs(ChainShape shape) =>
    [
        () => new WorkItemContestant(shape, local: false),
        () => new WorkItemContestant(shape, local: true),
        .. TaskChains.All.Select(row => (Func<IContestant>)(() => new TaskChainContestant(row.Name, shape, row.Run))),
    ];
}
