using System.Runtime.CompilerServices;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>Ours in the cases of the ring suite: the default in every case, and variants that differ in one setting.</summary>
internal static class RacewayPeers
{
    private const string Family = "raceway/";
    private const string Default = "raceway/default";

    /// <summary>Ours with a setting.</summary>
    public static Peer<TSlot> Of<TSlot>(string name, RacewaySetting setting)
        where TSlot : struct, ISlot<TSlot> =>
        new(name, (load, threads) => new RacewayTransport<TSlot>(load, threads, setting)) { Threads = setting.ThreadsOf };

    /// <summary>The many of a throughput case.</summary>
    public static IEnumerable<Peer<TSlot>> Many<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot>
    {
        RacewaySetting usual = Usual(shape);
        yield return Of<TSlot>(Default, usual);
        yield return Of<TSlot>("raceway/batch-handler", usual with { Handler = HandlerKind.Batch });
        yield return Of<TSlot>("raceway/class-handler", usual with { Handler = HandlerKind.ClassEvent });
        yield return Of<TSlot>("raceway/single", usual with { Dispatch = Dispatch.Single });
        foreach (Wait wait in Wait.All.Where(static wait => wait.Name != Wait.Default.Name))
            yield return Of<TSlot>(Family + wait.Name, usual with { Wait = wait });
        foreach (Peer<TSlot> one in ByProducers<TSlot>(shape)) yield return one;
        foreach (Peer<TSlot> one in ByPlan<TSlot>(shape)) yield return one;
        if (shape.MultiProducer) yield break;
        yield return Of<TSlot>("raceway/handle", usual with { ByHandle = true });
        yield return Of<TSlot>("raceway/publish-256", usual with { Handler = HandlerKind.Batch, PublishGroup = 256 });
    }

    /// <summary>A ring of objects that are made with it and filled anew each lap.</summary>
    public static Peer<TSlot> Objects<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot> =>
        new("raceway/class-event", (load, threads) => new RacewayObjects<TSlot>(load, threads, Usual(shape)));

    /// <summary>The same with a handler of batches, published in the groups of the case.</summary>
    public static Peer<TSlot> BatchesOfObjects<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot> =>
        new("raceway/class-batch", (load, threads) => new RacewayObjects<TSlot>(load, threads, Usual(shape) with { Handler = HandlerKind.Batch }));

    /// <summary>The few of the matrix.</summary>
    public static IEnumerable<Peer<TSlot>> Few<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot> =>
    [
        Of<TSlot>(Default, Usual(shape)),
        Of<TSlot>("raceway/batch-handler", Usual(shape) with { Handler = HandlerKind.Batch }),
        Of<TSlot>("raceway/busy-spin", Usual(shape) with { Wait = Wait.BusySpin() }),
        Of<TSlot>("raceway/adaptive", Usual(shape) with { Wait = Wait.Adaptive() }),
        .. ByProducers<TSlot>(shape),
        .. ByPlan<TSlot>(shape),
    ];

    /// <summary>There and back.</summary>
    public static IEnumerable<Func<IContestant>> RoundTrips(RingShape shape) =>
    [
        () => new RoundTripContestant(Default, shape, RacewayRoundTrip.With(new())),
        () => new RoundTripContestant("raceway/busy-spin", shape, RacewayRoundTrip.With(new() { Wait = Wait.BusySpin() })),
        () => new RoundTripContestant("raceway/latency-layout", shape, RacewayRoundTrip.With(RacewaySetting.LatencyLayout))
        {
            Note = "rings of 1,024 lines",
        },
    ];

    /// <summary>One ring for many producers.</summary>
    public static FairContestant Fair(RingShape shape) => new(Default, shape, static fair =>
    {
        var ring = new RingBuffer<long>(
            fair.Shape.Capacity, new RingOptions<long> { Producers = ProducerKind.Multi, MaxProducers = fair.Shape.Producers });
        ring.Subscribe((ref long item) => fair.Take(item));
        ring.Start();
        return new FairQueue(
            () =>
            {
                MultiProducer<long> producer = ring.CreateMultiProducer();
                return item => producer.Publish(item);
            },
            () =>
            {
                ring.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
                ring.DisposeAsync().AsTask().GetAwaiter().GetResult();
            });
    });

    private static RacewaySetting Usual(RingShape shape) => new() { PublishGroup = shape.PublishGroup };

    // If several may publish: a lane for each, and what a producer pays that publishes alone.
    private static IEnumerable<Peer<TSlot>> ByProducers<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot>
    {
        if (!shape.MultiProducer) yield break;
        yield return Of<TSlot>("raceway/sharded", Usual(shape) with { Producers = ProducerKind.Sharded });
        yield return Of<TSlot>(
            "raceway/stamps-in-slot", Usual(shape) with { SlotStride = 2 * Unsafe.SizeOf<TSlot>(), Stamps = StampLayout.InSlot });
        if (shape.Producers != 1) yield break;
        yield return Of<TSlot>("raceway/single-producer", Usual(shape) with { Producers = ProducerKind.Single }) with
        {
            Note = "a ring for one producer, for comparison",
        };
    }

    // All other contestants of ours have a thread for each stage.
    private static IEnumerable<Peer<TSlot>> ByPlan<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot>
    {
        if (shape.Stages == 1) yield break;
        yield return Of<TSlot>("raceway/auto", Usual(shape) with { Plan = Plan.Auto }) with { Note = "a pipeline without a plan" };
        RacewaySetting fused = Usual(shape) with { Plan = Plan.Fused };
        yield return Of<TSlot>("raceway/fused", fused with { Handler = HandlerKind.Batch }) with { Note = "batch handlers" };
        yield return Of<TSlot>("raceway/fused-event-handler", fused);
    }
}

/// <summary>There and back over two rings: one stage answers on its own thread, the asker polls the other ring itself.</summary>
internal static class RacewayRoundTrip
{
    /// <summary>The rings of a round, with a setting.</summary>
    public static Action<RingLoad, RoundThreads> With(RacewaySetting setting) => (load, threads) =>
    {
        RingOptions<long> options = setting.Configure(new RingOptions<long>(), load.Shape);
        int capacity = setting.CapacityOf(load.Shape);
        var there = new RingBuffer<long>(capacity, options);
        var back = new RingBuffer<long>(capacity, options);
        var answers = new Answers();
        Stage poller = back.Slots.Subscribe(answers, new StageOptions { Drive = Drive.Caller });
        there.Slots.SubscribeEvents(new Answer(back.CreateProducer(), load.Shape.Increments));
        there.Start();
        threads.OnEnd(() => there.HaltAsync().GetAwaiter().GetResult());
        threads.Add(() => Trip.Ask(new AskingEnd(there.CreateProducer(), poller, answers, threads.Cancellation), load));
    };

    private readonly struct AskingEnd(SingleProducer<long> to, Stage from, Answers answers, CancellationToken cancellation) : IEnd
    {
        public void Send(long item) => to.Publish(item);

        public long Receive()
        {
            for (int polls = 0; from.Step().Kind != StepKind.Progressed; polls++)
            {
                if (polls < 20_000) continue;
                // The partner may need this processor, or be gone.
                cancellation.ThrowIfCancellationRequested();
                Thread.Yield();
            }

            return answers.Last;
        }
    }

    private struct Answer(SingleProducer<long> to, int increments) : IEventHandler<long>, IStageLifetime
    {
        private readonly SingleProducer<long> _to = to;
        private readonly int _increments = increments;

        public readonly void OnStart() => Placement.StartApart(1);

        public readonly void OnStop()
        {
        }

        public readonly void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            Body.Work(ref item, _increments);
            _to.Publish(item);
        }
    }

    private sealed class Answers : IBatchHandler<long>
    {
        public long Last { get; private set; }

        public void OnBatch(Batch<long> batch) => Last = batch[batch.Count - 1];
    }
}
