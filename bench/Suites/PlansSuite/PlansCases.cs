using Raceway.Measuring;
using Raceway.Pipelines;

namespace Raceway.Suites.PlansSuite;

/// <summary>The cases of <c>compare --suite plans</c>: one definition of five stages and four types under every plan.</summary>
public static class PlansCases
{
    private const int Many = 16;
    private const int None = 0;
    private const int Third = 1 << 2;
    private const int EveryStage = (1 << ReadingWork.Stages) - 1;

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        Of("small", "five stages that compute a little", None),
        Of("uneven", "five stages, the third one hashes 100 bytes by SHA-512 as well", Third),
        Of("heavy", "five stages that each hash 100 bytes by SHA-512 as well", EveryStage),
        Of("small-one-in-flight", "five stages that compute a little, one item after another", None, window: 1),
        Of("heavy-one-in-flight", "five stages that each hash 100 bytes, one item after another", EveryStage, window: 1),
        Busy(),
        // To wake up from a pause has a price, too: a program that has nothing else to do must not pause often.
        Quiet(
            "idle-100", "100 pipelines of five stages that wait for items; their processor time, and the threads that they add",
            new QuietLoad(Pipelines: 100, Pause: TimeSpan.FromMilliseconds(50), ItemsAPause: 0)),
        Quiet(
            "trickle-100", "100 pipelines of five stages that get ten items a second each; their processor time, and the threads that they add",
            new QuietLoad(Pipelines: 100, Pause: TimeSpan.FromMilliseconds(10), ItemsAPause: 10)),
    ];

    // More threads than most machines have processors, where each stage has one.
    private static SuiteCase Busy()
    {
        Func<IContestant> Ours(string contestant, Plan plan) =>
            () => new ManyContestant($"raceway/{contestant}", [.. Parts(() => new RacewayPlanContestant($"raceway/{contestant}", None, plan))]);

        return new(
            $"busy-{Many}", $"{Many} pipelines of five stages that compute a little, each with a producer of its own", MetricKind.Throughput,
            [
                Ours("default", Plan.Auto),
                Ours("fused", Plan.Fused),
                Ours("shared-ring", Plan.SharedRing),
                Ours("ring-per-stage", Plan.RingPerStage),
                Ours("pooled", Plan.Pooled),
                () => new ManyContestant("channel-bounded", [.. Parts(() => new ChannelPlanContestant(None))]),
            ])
        {
            Reference = "raceway/default",
            InQuick = false,
        };

        static IEnumerable<PlanContestant> Parts(Func<PlanContestant> part) => Enumerable.Range(0, Many).Select(_ => part());
    }

    private static SuiteCase Quiet(string name, string description, QuietLoad load) => new(
        name, description, MetricKind.CpuShare,
        [
            () => new QuietPipelines("raceway/default", load),
            () => new QuietChannels(load),
            () => new QuietPipelines("raw", load with { Pipelines = 0, ItemsAPause = 0 }),
        ])
    {
        // A second and a half a round: what costs a per cent must show.
        Rounds = RoundPlan.Paced(load.Pause) with { Stretch = 10 },
        InQuick = false,
    };

    private static SuiteCase Of(string name, string description, int heavy, int? window = null)
    {
        Func<IContestant> Ours(string contestant, Plan plan) =>
            () => new RacewayPlanContestant($"raceway/{contestant}", heavy, plan, window);

        return new(name, description, window is null ? MetricKind.Throughput : MetricKind.Overhead,
        [
            Ours("default", Plan.Auto),
            Ours("fused", Plan.Fused),
            Ours("shared-ring", Plan.SharedRing),
            Ours("ring-per-stage", Plan.RingPerStage),
            Ours("pooled", Plan.Pooled),
            () => new LoopContestant(heavy),
            () => new ChannelPlanContestant(heavy, window),
        ])
        {
            Reference = "raceway/default",
        };
    }
}
