using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>One case of the ring suite.</summary>
/// <param name="Name">The name in the result rows.</param>
/// <param name="Description">What happens in it, in a sentence.</param>
/// <param name="Metric">What its headline figure is.</param>
/// <param name="Shape">Producers, stages and their work.</param>
/// <param name="Contestants">Makes the contestants; each is made once for a measuring run.</param>
public sealed record RingCase(
    string Name, string Description, MetricKind Metric, RingShape Shape, IReadOnlyList<Func<IContestant>> Contestants)
    : SuiteCase(Name, Description, Metric, Contestants);

/// <summary>The cases of <c>compare --suite ring</c> with our contestants and those of the peers.</summary>
/// <remarks>
/// An item is 8 bytes, every queue or ring holds <see cref="RingShape.DefaultCapacity"/> of them, and items are published
/// one at a time, unless the case says otherwise.
/// </remarks>
public static class RingCases
{
    private static readonly RingShape s_one = new(1, 1, 0);

    // Few contestants run these: one thing differs from a main case.
    private static readonly IReadOnlyList<RingCase> s_matrix =
    [
        Few("1p-1c/64-byte", "1p-1c with slots of 64 bytes, all written and all read", s_one, RawPeers.BodyOf<Numbers64>(s_one)),
        Few("1p-1c/256-byte", "1p-1c with slots of 256 bytes, all written and all read", s_one, RawPeers.BodyOf<Numbers256>(s_one)),
        Payloads("1p-1c/100-byte-payload", "1p-1c with messages of 100 bytes, copied in and all read", s_one),
        Groups(16),
        Groups(256),
        Few<Number>("1p-1c/ring-64", "1p-1c with room for 64 items", s_one with { Capacity = 64 }),
        Few<Number>("1p-1c/ring-1024", "1p-1c with room for 1,024 items", s_one with { Capacity = 1_024 }),
        Few<Number>("1p-1c/ring-1048576", "1p-1c with room for 1,048,576 items: more than a core's own caches hold", s_one with { Capacity = 1_048_576 }),
        Few<Number>("mp-2p", "two producers, one consumer that sums", new RingShape(2, 1, 0, MultiProducer: true)),
        Few<Number>("mp-8p", "eight producers, one consumer that sums", new RingShape(8, 1, 0, MultiProducer: true)),
        Multicast("1p-2c", "one producer, two consumers that each sum all items", 2),
        Multicast("multicast-3", "one producer, three consumers that each sum all items", 3),
        Multicast("1p-8c", "one producer, eight consumers that each sum all items", 8),
        Few<Number>("chain-8", "one producer, eight stages that increment, the last one sums", new RingShape(1, 8, 1)),
        Few<Number>(
            "diamond", "a stage that increments, two that sum beside each other, one that joins them, increments and sums",
            new RingShape(1, 4, 1) { Topology = Topology.Diamond }),
    ];

    /// <summary>All cases.</summary>
    public static IReadOnlyList<RingCase> Baselines { get; } =
    [
        Many(
            "1p-1c", "one producer, one consumer that sums", s_one,
            [RacewayPeers.Objects<Number>(s_one), .. DisruptorPeers.AllForms<Number>()]),
        Many("mp-1p", "a queue that allows several producers, with one", new RingShape(1, 1, 0, MultiProducer: true)),
        Many("3p-1c", "three producers, one consumer that sums", new RingShape(3, 1, 0, MultiProducer: true)),
        Many("chain-3", "one producer, three stages that increment, the last one sums", new RingShape(1, 3, 1)),
        Many("chain-3-one-handler", "the work of chain-3 in one handler", new RingShape(1, 1, 3)),
        LatencyCases.Trickle("trickle-3", "1,000 messages a second through three parked stages", TimeSpan.FromMilliseconds(1), 200),
        LatencyCases.Trickle(
            "idle-3", "three parked stages, nothing to do for a quarter of a second", TimeSpan.FromMilliseconds(250), 1,
            Rings.Wait.BusySpin(), Rings.Wait.Yield(), Rings.Wait.Adaptive()),
        RoundTrips("round-trip", "one message to another thread and back over two queues", new RingShape(1, 1, 1)),
        Fair("mp-16-fair", "sixteen producers at a full queue of 1,024: the least share, and the longest publish"),
        .. LatencyCases.All,
        .. s_matrix,
        .. RingPaddings.Cases,
    ];

    /// <summary>The case of a name.</summary>
    /// <exception cref="ArgumentException">There is none of that name.</exception>
    public static RingCase Named(string name) =>
        Baselines.FirstOrDefault(c => c.Name == name)
        ?? throw new ArgumentException($"There is no ring case '{name}'.", nameof(name));

    /// <summary>Peers that are given items as fast as they take them.</summary>
    internal static IEnumerable<Func<IContestant>> AtFullSpeed<TSlot>(RingShape shape, params IEnumerable<Peer<TSlot>> peers)
        where TSlot : struct, ISlot<TSlot> =>
        peers.Select<Peer<TSlot>, Func<IContestant>>(peer => () => peer.AtFullSpeed(shape));

    private static RingCase Many(
        string name, string description, RingShape shape, IEnumerable<Peer<Number>>? allForms = null) =>
        new(name, description, MetricKind.Throughput, shape,
        [
            .. AtFullSpeed(
                shape,
                [
                    .. RacewayPeers.Many<Number>(shape),
                    RawPeers.For<Number>(shape),
                    .. RawPeers.BodyOf<Number>(shape),
                    ChannelPeers.Bounded<Number>(),
                    ChannelPeers.Unbounded<Number>(),
                    ChannelPeers.SingleReader<Number>(),
                    DataflowBlocks.Peer,
                    BlockingCollections.Peer,
                    .. allForms ?? DisruptorPeers.Usual<Number>(),
                ]),
        ]);

    private static RingCase Few<TSlot>(string name, string description, RingShape shape, params IEnumerable<Peer<TSlot>> further)
        where TSlot : unmanaged, ISlot<TSlot> =>
        new(name, description, MetricKind.Throughput, shape,
        [
            .. AtFullSpeed(
                shape,
                [
                    .. RacewayPeers.Few<TSlot>(shape),
                    RawPeers.For<TSlot>(shape),
                    ChannelPeers.Bounded<TSlot>() with { Note = shape.PublishGroup > 1 ? "writes one at a time" : null },
                    .. DisruptorPeers.Usual<TSlot>(),
                    .. further,
                ]),
        ])
        {
            InQuick = false,
        };

    private static RingCase Multicast(string name, string description, int consumers) =>
        Few<Number>(name, description, new RingShape(1, consumers, 0) { Topology = Topology.Multicast });

    private static RingCase Groups(int group) => Few(
        $"1p-1c/publish-{group}", $"1p-1c published by {group}", s_one with { PublishGroup = group },
        [RacewayPeers.BatchesOfObjects<Number>(s_one with { PublishGroup = group }), .. DisruptorPeers.BatchHandlers<Number>()]);

    // Each peer keeps the bytes where it keeps them best.
    private static RingCase Payloads(string name, string description, RingShape shape) =>
        new(name, description, MetricKind.Throughput, shape,
        [
            .. AtFullSpeed(shape, RacewayPeers.Few<PooledBytes>(shape).Select(static peer => peer with
            {
                Note = "first lap not timed: it allocates 40 B a slot beside the buffer",
            })),
            .. AtFullSpeed(shape, RawPeers.For<InlineBytes>(shape)),
            .. AtFullSpeed(shape, ChannelPeers.Bounded<RentedBytes>()),
            .. AtFullSpeed(shape, DisruptorPeers.Objects<OwnBytes>()),
        ])
        {
            InQuick = false,
        };

    // A second and a half a round: every producer must have had its turn several times.
    private static RingCase Fair(string name, string description)
    {
        var shape = new RingShape(16, 1, 0, MultiProducer: true) { Capacity = 1024 };
        return new(
            name, description, MetricKind.Overhead, shape,
            [() => RacewayPeers.Fair(shape), () => ChannelPeers.Fair(shape), () => BlockingCollections.Fair(shape)])
        {
            Rounds = new RoundPlan { Stretch = 10 },
            InQuick = false,
        };
    }

    private static RingCase RoundTrips(string name, string description, RingShape shape) =>
        new(name, description, MetricKind.Latency, shape,
        [
            .. RacewayPeers.RoundTrips(shape),
            () => RawPeers.RoundTrip(shape),
            .. ChannelPeers.RoundTrips(shape),
            () => DataflowBlocks.RoundTrip(shape),
            () => BlockingCollections.RoundTrip(shape),
            .. DisruptorPeers.RoundTrips(shape),
        ]);
}
