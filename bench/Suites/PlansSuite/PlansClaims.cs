using Raceway.Measuring;

namespace Raceway.Suites.PlansSuite;

/// <summary>What is said of the plans suite, and checked by every run of it.</summary>
public static class PlansClaims
{
    private static readonly string[] s_plans =
        ["raceway/fused", "raceway/shared-ring", "raceway/ring-per-stage", "raceway/pooled"];

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        .. PlansCases.All.Where(static one => one.Name != PlansCases.Idle).Select(static one => new Claim
        {
            Number = $"7a-{one.Name}", Text = "the plan chosen, the best plan", Case = one.Name, Ours = "raceway/default",
            Peers = s_plans,
            Metric = one.Metric == MetricKind.Throughput ? Figures.Throughput : Figures.Heading(one.Metric).Metric,
            Bound = one.Metric == MetricKind.Throughput ? 0.9 : 1.1,
        }),
        .. PlansCases.All.Where(static one => one.Metric == MetricKind.Throughput).Select(static one => new Claim
        {
            Number = $"7b-{one.Name}", Text = "allocation under every plan", Case = one.Name, Ours = "raceway/*",
            Metric = Figures.Allocated, Bound = 0.01, LeastOperations = 10_000,
        }),
        new()
        {
            Number = "7c-cpu", Text = "per cent of a processor for 100 idle pipelines", Case = PlansCases.Idle, Ours = "raceway/default",
            Metric = Figures.Heading(MetricKind.CpuShare).Metric, Bound = 1,
        },
        new()
        {
            Number = "7c-threads", Text = "threads that 100 idle pipelines add", Case = PlansCases.Idle, Ours = "raceway/default",
            Metric = Figures.ThreadsMore, Bound = 8,
        },
    ];
}
