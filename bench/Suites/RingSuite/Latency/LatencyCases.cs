using System.Threading.Channels;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>The cases of the ring suite whose figure is a latency: on the way, of a wake-up, of the publishing call.</summary>
/// <remarks>See <see cref="Arrivals"/> for how items arrive, and for the floor of the method.</remarks>
internal static class LatencyCases
{
    // Far longer than any strategy spins, and long enough for a thread to be asleep.
    private static readonly TimeSpan s_sleep = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(1);
    private static readonly RingShape s_one = new(1, 1, 0);
    private static readonly RingShape s_chain = new(1, 3, 1);

    /// <summary>All cases.</summary>
    public static IReadOnlyList<RingCase> All { get; } =
    [
        OneWay("one-way-1e4", 1e4, stretch: 4),
        OneWay("one-way-1e5", 1e5, isQuick: true),
        OneWay("one-way-1e6", 1e6),
        OneWay("one-way-1e7", 1e7),
        HalfSpeed("one-way-half", "latency to the handler at half of each one's own saturation"),
        Chain("one-way-chain-3-1e5", 1e5),
        Chain("one-way-chain-3-1e6", 1e6),
        Case(
            "wake-up", "from the publishing call to the handler of a thread that sleeps", s_one,
            Arrivals.AfterSleep(s_sleep, maxItems: 200), WakeUp(), stretch: 4),
        Case(
            "publish-parked", "the publishing call, each time after 1 ms; it wakes the consumer, unless that one spins", s_one,
            Arrivals.TimedAfter(TimeSpan.FromMilliseconds(1)), Publish(), stretch: 8),
        Case(
            "publish-busy", "the publishing call at 1,000,000 events/s; two readings of the clock are part of it", s_one,
            Arrivals.TimedAt(1e6), Publish()),
    ];

    /// <summary>Disruptor-net in the cases that count the processor time of stages which have next to nothing to do.</summary>
    public static IEnumerable<Func<IContestant>> DisruptorTrickle(RingShape shape, TimeSpan gap, int messages) =>
        With(Arrivals.AfterSleep(gap, messages), DisruptorContestants.Latency(shape, "blocking", "sleeping", "yielding"));

    private static RingCase Case(
        string name, string description, RingShape shape, Arrivals arrivals,
        IEnumerable<Func<Arrivals, IContestant>> contestants, double stretch = 1, bool isQuick = false) =>
        new(name, description, MetricKind.Latency, shape, [.. With(arrivals, contestants)])
        {
            Rounds = RoundPlan.Paced(arrivals.Interval) with { Stretch = stretch },
            InQuick = isQuick,
        };

    private static RingCase OneWay(string name, double rate, double stretch = 1, bool isQuick = false) =>
        Case(name, $"latency to the handler at {rate:N0} events/s", s_one, Arrivals.At(rate), OneWay(), stretch, isQuick)
            with { Load = new OfferedLoad("one-way", rate) };

    private static RingCase Chain(string name, double rate) =>
        Case(name, $"latency to the third stage at {rate:N0} events/s", s_chain, Arrivals.At(rate), Chain())
            with { Load = new OfferedLoad("one-way-chain-3", rate) };

    private static RingCase HalfSpeed(string name, string description) =>
        new(name, description, MetricKind.Latency, s_one, [.. OneWay().Select<Func<Arrivals, IContestant>, Func<IContestant>>(
            create => () => create(Arrivals.AtFullSpeed) is AbsentContestant absent ? absent : new HalfSpeedContestant(create))])
        {
            InQuick = false,
        };

    private static IEnumerable<Func<IContestant>> With(
        Arrivals arrivals, IEnumerable<Func<Arrivals, IContestant>> contestants) =>
        contestants.Select<Func<Arrivals, IContestant>, Func<IContestant>>(create => () => create(arrivals));

    private static IEnumerable<Func<Arrivals, IContestant>> OneWay() =>
    [
        Ours("default", s_one, new()),
        Ours("busy-spin", s_one, new() { Wait = Wait.BusySpin() }),
        Ours("yield", s_one, new() { Wait = Wait.Yield() }),
        Ours("adaptive", s_one, new() { Wait = Wait.Adaptive() }),
        Ours("timed-park", s_one, new() { Wait = Wait.TimedPark(s_period) }),
        Ours("async", s_one, new() { Wait = Wait.Async() }),
        Ours("single", s_one, new() { Dispatch = Dispatch.Single }),
        Ours("latency-layout", RacewayContestants.ForLatency(s_one), RacewayContestants.LatencyLayout),
        static arrivals => new RawLatencyContestant(s_one, arrivals),
        Channels("channel-bounded", s_one, ChannelKinds.Bounded<Number>),
        Channels("channel-unbounded/single-reader", s_one, ChannelKinds.UnboundedSingleReader<Number>),
        .. DisruptorContestants.Latency(s_one, "busy-spin", "yielding", "blocking"),
    ];

    private static IEnumerable<Func<Arrivals, IContestant>> Chain() =>
    [
        Ours("default", s_chain, new()),
        Ours("busy-spin", s_chain, new() { Wait = Wait.BusySpin() }),
        Ours("yield", s_chain, new() { Wait = Wait.Yield() }),
        Ours("fused", s_chain, new() { Plan = Plan.Fused }),
        Channels("channel-bounded", s_chain, ChannelKinds.Bounded<Number>),
        .. DisruptorContestants.Latency(s_chain, "busy-spin", "yielding", "blocking"),
    ];

    private static IEnumerable<Func<Arrivals, IContestant>> WakeUp() =>
    [
        static arrivals => new MonitorLatencyContestant(s_one, arrivals),
        static arrivals => new SemaphoreLatencyContestant(s_one, arrivals),
        Ours("default", s_one, new()),
        Ours("timed-park", s_one, new() { Wait = Wait.TimedPark(s_period) }),
        Ours("async", s_one, new() { Wait = Wait.Async() }),

        // These do not sleep: what the others' sleep costs is the difference.
        Ours("busy-spin", s_one, new() { Wait = Wait.BusySpin() }),
        Ours("yield", s_one, new() { Wait = Wait.Yield() }),
        Ours("adaptive", s_one, new() { Wait = Wait.Adaptive() }),
        Channels("channel-bounded", s_one, ChannelKinds.Bounded<Number>),
        .. DisruptorContestants.Latency(s_one, "blocking"),
    ];

    private static IEnumerable<Func<Arrivals, IContestant>> Publish() =>
    [
        Ours("default", s_one, new()),
        Ours("timed-park", s_one, new() { Wait = Wait.TimedPark(s_period) }),
        Ours("busy-spin", s_one, new() { Wait = Wait.BusySpin() }),
        Channels("channel-bounded", s_one, ChannelKinds.Bounded<Number>),
        .. DisruptorContestants.Latency(s_one, "blocking", "busy-spin"),
    ];

    private static Func<Arrivals, IContestant> Ours(string name, RingShape shape, RacewaySetting setting) =>
        arrivals => new RacewayLatencyContestant("raceway/" + name, shape, arrivals, setting);

    private static Func<Arrivals, IContestant> Channels(string name, RingShape shape, Func<int, Channel<Number>> create) =>
        arrivals => new ChannelLatencyContestant(name, shape, arrivals, create);
}
