using System.Runtime.CompilerServices;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>Ours in the cases of the ring suite: the default in every case, and variants that differ in one setting.</summary>
internal static class RacewayContestants
{
    /// <summary>Contestants of a throughput case.</summary>
    public static IEnumerable<Func<IContestant>> Throughput<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot>
    {
        RacewaySetting usual = Usual(shape);
        yield return Of<TSlot>("raceway/default", shape, usual);
        yield return Of<TSlot>("raceway/batch-handler", shape, usual with { Handler = HandlerKind.Batch });
        yield return Of<TSlot>("raceway/class-handler", shape, usual with { Handler = HandlerKind.ClassEvent });
        yield return Of<TSlot>("raceway/single", shape, usual with { Dispatch = Dispatch.Single });
        foreach (Wait wait in Wait.All.Where(static wait => wait.Name != Wait.Default.Name))
            yield return Of<TSlot>($"raceway/{wait.Name}", shape, usual with { Wait = wait });
        foreach (Func<IContestant> one in ByProducers<TSlot>(shape)) yield return one;
        foreach (Func<IContestant> one in Fused<TSlot>(shape)) yield return one;
        if (!shape.MultiProducer)
        {
            yield return Of<TSlot>(
                "raceway/publish-256", shape, usual with { Handler = HandlerKind.Batch, PublishGroup = 256 });
        }
    }

    /// <summary>The few of the matrix.</summary>
    public static IEnumerable<Func<IContestant>> Few<TSlot>(RingShape shape, string? note = null)
        where TSlot : struct, ISlot<TSlot> =>
    [
        Of<TSlot>("raceway/default", shape, Usual(shape), note),
        Of<TSlot>("raceway/batch-handler", shape, Usual(shape) with { Handler = HandlerKind.Batch }, note),
        Of<TSlot>("raceway/busy-spin", shape, Usual(shape) with { Wait = Wait.BusySpin() }, note),
        Of<TSlot>("raceway/adaptive", shape, Usual(shape) with { Wait = Wait.Adaptive() }, note),
        .. ByProducers<TSlot>(shape),
        .. Fused<TSlot>(shape),
    ];

    /// <summary>Contestants of the round trip.</summary>
    public static IEnumerable<Func<IContestant>> RoundTrip(RingShape shape)
    {
        yield return () => new RacewayRoundTripContestant("raceway/default", shape, new());
        yield return () => new RacewayRoundTripContestant("raceway/busy-spin", shape, new() { Wait = Wait.BusySpin() });
        yield return () => new RacewayRoundTripContestant(
            "raceway/latency-layout", ForLatency(shape), LatencyLayout)
        {
            Note = "rings of 1,024 lines",
        };
    }

    /// <summary>A ring whose slots of a line each stay in a core's own caches: a larger one comes from memory every lap.</summary>
    public static RingShape ForLatency(RingShape shape) => shape with { Capacity = 1024 };

    /// <summary>Each item in a line of its own, with its stamp.</summary>
    public static RacewaySetting LatencyLayout => new() { SlotStride = 64, Stamps = StampLayout.InSlot };

    private static RacewaySetting Usual(RingShape shape) => new() { PublishGroup = shape.PublishGroup };

    // Where several may publish: a lane for each, and what one pays who publishes alone.
    private static IEnumerable<Func<IContestant>> ByProducers<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot>
    {
        if (!shape.MultiProducer) yield break;
        yield return Of<TSlot>("raceway/sharded", shape, Usual(shape) with { Producers = ProducerKind.Sharded });
        RacewaySetting inSlot = Usual(shape) with { SlotStride = 2 * Unsafe.SizeOf<TSlot>(), Stamps = StampLayout.InSlot };
        yield return Of<TSlot>("raceway/stamps-in-slot", shape, inSlot);
        if (shape.Producers == 1)
        {
            yield return Of<TSlot>(
                "raceway/single-producer", shape, Usual(shape) with { Producers = ProducerKind.Single },
                "a ring for one producer, for comparison");
        }
    }

    private static IEnumerable<Func<IContestant>> Fused<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot>
    {
        if (shape.Stages == 1) yield break;
        RacewaySetting fused = Usual(shape) with { Plan = Plan.Fused };
        yield return Of<TSlot>("raceway/fused", shape, fused with { Handler = HandlerKind.Batch }, "batch handlers");
        yield return Of<TSlot>("raceway/fused-event-handler", shape, fused);
    }

    private static Func<IContestant> Of<TSlot>(string name, RingShape shape, RacewaySetting setting, string? note = null)
        where TSlot : struct, ISlot<TSlot> =>
        () => new RacewayContestant<TSlot>(name, shape, setting) { Note = note };
}
