using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>The wide part of the ring suite: one thing differs from a main case, and few contestants run it.</summary>
public static class RingMatrix
{
    private const string OneAtATime = "writes one at a time";

    private static readonly RingShape s_one = new(1, 1, 0);

    /// <summary>Its cases.</summary>
    public static IReadOnlyList<RingCase> Cases { get; } =
    [
        Of<Numbers64>("1p-1c/64-byte", "1p-1c with slots of 64 bytes, all written and all read", s_one),
        Of<Numbers256>("1p-1c/256-byte", "1p-1c with slots of 256 bytes, all written and all read", s_one),
        Payloads("1p-1c/100-byte-payload", "1p-1c with messages of 100 bytes, copied in and all read", s_one),
        Groups(16),
        Groups(256),
        Of<Number>("1p-1c/ring-64", "1p-1c with room for 64 items", s_one with { Capacity = 64 }),
        Of<Number>("1p-1c/ring-1024", "1p-1c with room for 1,024 items", s_one with { Capacity = 1_024 }),
        Of<Number>("mp-2p", "two producers, one consumer that sums", new RingShape(2, 1, 0, MultiProducer: true)),
        Of<Number>("mp-8p", "eight producers, one consumer that sums", new RingShape(8, 1, 0, MultiProducer: true)),
        Multicast("1p-2c", "one producer, two consumers that each sum all items", 2),
        Multicast("multicast-3", "one producer, three consumers that each sum all items", 3),
        Multicast("1p-8c", "one producer, eight consumers that each sum all items", 8),
        Of<Number>("chain-8", "one producer, eight stages that increment, the last one sums", new RingShape(1, 8, 1)),
        Of<Number>(
            "diamond", "a stage that increments, two that sum beside each other, one that joins them, increments and sums",
            new RingShape(1, 4, 1) { Topology = Topology.Diamond }),
    ];

    private static RingCase Of<TSlot>(string name, string description, RingShape shape)
        where TSlot : unmanaged, ISlot<TSlot> => new(name, description, MetricKind.Throughput, shape,
        [
            .. RacewayContestants.Few<TSlot>(shape),
            () => Raw<TSlot>(shape),
            () => new ChannelContestant<TSlot>("channel-bounded", shape, ChannelKinds.Bounded<TSlot>),
            .. DisruptorContestants.Usual<TSlot>(shape),
        ])
        {
            InQuick = false,
        };

    private static RingCase Multicast(string name, string description, int consumers) =>
        Of<Number>(name, description, new RingShape(1, consumers, 0) { Topology = Topology.Multicast });

    private static RingCase Groups(int group)
    {
        RingShape shape = s_one with { PublishGroup = group };
        return new($"1p-1c/publish-{group}", $"1p-1c published by {group}", MetricKind.Throughput, shape,
        [
            .. RacewayContestants.Few<Number>(shape),
            () => Raw<Number>(shape),
            () => new ChannelContestant<Number>("channel-bounded", shape, ChannelKinds.Bounded<Number>) { Note = OneAtATime },
            .. DisruptorContestants.Usual<Number>(shape),
            .. DisruptorContestants.BatchHandlers<Number>(shape),
        ])
        {
            InQuick = false,
        };
    }

    private static RingCase Payloads(string name, string description, RingShape shape) =>
        new(name, description, MetricKind.Throughput, shape,
        [
            .. RacewayContestants.Few<PooledBytes>(shape, "first lap not timed: it allocates 40 B a slot beside the buffer"),
            () => Raw<InlineBytes>(shape),
            () => new ChannelContestant<RentedBytes>("channel-bounded", shape, ChannelKinds.Bounded<RentedBytes>),
            .. DisruptorContestants.Objects<OwnBytes>(shape),
        ])
        {
            InQuick = false,
        };

    /// <summary>The hand-written contestant of a shape.</summary>
    internal static RingContestant Raw<TSlot>(RingShape shape)
        where TSlot : unmanaged, ISlot<TSlot> =>
        shape.MultiProducer ? new RawMultiContestant(shape)
        : shape.Stages > 1 ? new RawStagesContestant<TSlot>(shape)
        : new RawSingleContestant<TSlot>(shape);
}
