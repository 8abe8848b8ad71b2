using System.Globalization;
using Raceway.Measuring;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>The real ring under each of its paddings: cells, slots and stamps, in the cases that feel them most.</summary>
/// <remarks>Part of the ring suite, and of the false-sharing study.</remarks>
public static class RingPaddings
{
    internal const string OneToOne = "padding/1p-1c";
    internal const string OneOfSeveral = "padding/mp-1p";
    internal const string RoundTrip = "padding/round-trip";
    internal const string Publish = "padding/publish";

    /// <summary>As it comes: cells a line pair apart, slots and stamps side by side.</summary>
    internal const string Default = "raceway/default";
    internal const string BusySpin = "raceway/busy-spin";
    internal const string LatencyLayout = "raceway/latency-layout";

    /// <summary>The end of the name of a contestant with cells a line apart.</summary>
    internal const string Line = "/line";

    /// <summary>The end of the name of a contestant with cells side by side.</summary>
    internal const string Packed = "/none";

    private static readonly RingShape s_one = new(1, 1, 0);
    private static readonly RingShape s_trip = new(1, 1, 1);

    private static readonly Arrivals s_calls = Arrivals.TimedAt(1e6);

    private static readonly RacewaySetting s_usual = new();
    private static readonly RacewaySetting s_spinning = new() { Wait = Wait.BusySpin() };

    private static readonly (string Name, RacewaySetting Setting)[] s_single =
    [
        .. Padded(Default, s_usual), ("raceway/slots-64", s_usual with { SlotStride = 64 }),
        .. Padded(BusySpin, s_spinning), (BusySpin + "/slots-64", s_spinning with { SlotStride = 64 }),
    ];

    private static readonly (string Name, RacewaySetting Setting)[] s_multi =
    [
        .. Padded(Default, s_usual),
        ("raceway/stamps-padded", s_usual with { Stamps = StampLayout.Padded }),
        ("raceway/stamps-in-slot", s_usual with { Stamps = StampLayout.InSlot, SlotStride = 16 }),
        ("raceway/stamps-in-slot/64", s_usual with { Stamps = StampLayout.InSlot, SlotStride = 64 }),
    ];

    /// <summary>Its cases.</summary>
    public static IReadOnlyList<RingCase> Cases { get; } =
    [
        Throughput(OneToOne, "one producer, one consumer that sums, under each padding of cells and slots", s_one, s_single),
        Throughput(
            OneOfSeveral, "a ring for several producers, with one, under each layout of cells and stamps",
            s_one with { MultiProducer = true }, s_multi),
        Throughput(
            "padding/mp-2p", "two producers, one consumer that sums, under each layout of cells and stamps",
            new RingShape(2, 1, 0, MultiProducer: true), s_multi),
        new(
            Publish, "the publishing call at 1,000,000 events/s to a stage that spins, under each padding of the cells",
            MetricKind.Latency, s_one,
            [
                .. Padded(BusySpin, s_spinning).Append((Default, s_usual)).Select(static one => Ours(one.Item1, one.Item2))
                    .Append(ChannelPeers.Bounded<Number>())
                    .Select<Peer<Number>, Func<IContestant>>(static peer => () => peer.At(s_calls, s_one)),
            ])
        {
            Rounds = RoundPlan.Paced(s_calls.Interval),
            InQuick = false,
            Reference = BusySpin,
        },
        new(
            RoundTrip, "one message to another thread and back over two rings, under each padding", MetricKind.Latency, s_trip,
            [
                .. Padded(Default, s_usual).Concat(Padded(LatencyLayout, RacewaySetting.LatencyLayout)).Select(Trip),
                static () => RawPeers.RoundTrip(s_trip),
                static () => ChannelPeers.BoundedRoundTrip(s_trip),
            ])
        {
            InQuick = false,
            Reference = Default,
        },
    ];

    private static RingCase Throughput(
        string name, string description, RingShape shape, IEnumerable<(string Name, RacewaySetting Setting)> settings) =>
        new(name, description, MetricKind.Throughput, shape,
        [
            .. RingCases.AtFullSpeed(
                shape, settings.Select(static one => Ours(one.Name, one.Setting)).Append(ChannelPeers.Bounded<Number>())),
        ])
        {
            InQuick = false,
            Reference = Default,
        };

    private static Peer<Number> Ours(string name, RacewaySetting setting) =>
        RacewayPeers.Of<Number>(name, setting) with { Knobs = KnobsOf(setting) };

    private static Func<IContestant> Trip((string Name, RacewaySetting Setting) one) => () =>
        new RoundTripContestant(one.Name, s_trip, RacewayRoundTrip.With(one.Setting)) { Knobs = KnobsOf(one.Setting) };

    private static IEnumerable<(string Name, RacewaySetting Setting)> Padded(string name, RacewaySetting setting)
    {
        // The default's variants are named after what differs: a reader would not look for them under "default".
        string family = name == Default ? "raceway" : name;
        yield return (name, setting);
        yield return (family + Line, setting with { Padding = CellPadding.Line });
        yield return (family + Packed, setting with { Padding = CellPadding.None });
    }

    private static Dictionary<string, string> KnobsOf(RacewaySetting setting) => new()
    {
        ["padding"] = ((int)setting.Padding).ToString(CultureInfo.InvariantCulture),
        ["slots"] = setting.SlotStride.ToString(CultureInfo.InvariantCulture),
        ["stamps"] = setting.Stamps.ToString(),
        ["wait"] = setting.Wait.Name,
    };
}
