using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>Ours in the cases of the ring suite: the default in every case, and variants that differ in one setting.</summary>
internal static class RacewayContestants
{
    private static readonly RacewaySetting s_default = new();

    /// <summary>Contestants of a throughput case.</summary>
    public static IEnumerable<Func<IContestant>> Throughput(RingShape shape)
    {
        yield return Of("raceway/default", shape, s_default);
        yield return Of("raceway/batch-handler", shape, s_default with { BatchHandler = true });
        yield return Of("raceway/single", shape, s_default with { Dispatch = Dispatch.Single });
        foreach (Wait wait in Wait.All.Where(static wait => wait.Name != Wait.Default.Name))
            yield return Of($"raceway/{wait.Name}", shape, s_default with { Wait = wait });
        if (shape.Stages > 1)
            yield return Of("raceway/fused", shape, s_default with { Plan = Plan.Fused, BatchHandler = true });
        if (!shape.MultiProducer)
            yield return Of("raceway/publish-256", shape, s_default with { BatchHandler = true, PublishGroup = 256 });
    }

    /// <summary>Contestants of the round trip.</summary>
    public static IEnumerable<Func<IContestant>> RoundTrip(RingShape shape)
    {
        yield return () => new RacewayRoundTripContestant("raceway/default", shape, Wait.Default);
        yield return () => new RacewayRoundTripContestant("raceway/busy-spin", shape, Wait.BusySpin());
    }

    private static Func<IContestant> Of(string name, RingShape shape, RacewaySetting setting) =>
        () => new RacewayContestant(name, shape, setting);
}
