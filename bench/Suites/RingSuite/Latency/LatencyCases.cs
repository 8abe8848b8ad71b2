using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>The cases of the ring suite that measure a latency: on the way, of a wake-up, of the publishing call.</summary>
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

    /// <summary>Stages that have next to nothing to do: what counts is the processor time.</summary>
    /// <param name="name">The name in the result rows.</param>
    /// <param name="description">What happens in it, in a sentence.</param>
    /// <param name="gap">The time before each message; the producer sleeps for it.</param>
    /// <param name="messages">Messages of a round.</param>
    /// <param name="awake">Waits that never sleep. They are measured when nothing happens: if messages come, they only wait for each other.</param>
    public static RingCase Trickle(
        string name, string description, TimeSpan gap, int messages, params IEnumerable<Wait> awake) =>
        Case(
            name, description, s_chain, Arrivals.AfterSleep(gap, messages),
            [
                Ours("default", new()),
                Ours("timed-park", new() { Wait = Wait.TimedPark(gap) }),
                Ours("async", new() { Wait = Wait.Async() }),
                .. awake.Select(static wait => Ours(wait.Name, new() { Wait = wait })),
                Signals.Semaphores("semaphores"),
                ChannelPeers.Bounded<Number>(),
                .. DisruptorPeers.Values<Number>("blocking", "sleeping", "yielding"),
            ],
            isQuick: true) with { Metric = MetricKind.CpuShare };

    private static RingCase Case(
        string name, string description, RingShape shape, Arrivals arrivals,
        IEnumerable<Peer<Number>> peers, double stretch = 1, bool isQuick = false) =>
        new(name, description, MetricKind.Latency, shape,
            [.. peers.Select<Peer<Number>, Func<IContestant>>(peer => () => peer.At(arrivals, shape))])
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
        new(name, description, MetricKind.Latency, s_one,
            [.. OneWay().Select<Peer<Number>, Func<IContestant>>(static peer => () => peer.AtHalfSpeed(s_one))])
        {
            Rounds = new RoundPlan { Preparation = HalfSpeedContestant.Longest },
            InQuick = false,
            Compared = null,
        };

    private static IEnumerable<Peer<Number>> OneWay() =>
    [
        Ours("default", new()),
        Ours("busy-spin", new() { Wait = Wait.BusySpin() }),
        Ours("yield", new() { Wait = Wait.Yield() }),
        Ours("adaptive", new() { Wait = Wait.Adaptive() }),
        Ours("timed-park", new() { Wait = Wait.TimedPark(s_period) }),
        Ours("async", new() { Wait = Wait.Async() }),
        Ours("single", new() { Dispatch = Dispatch.Single }),
        Ours("latency-layout", RacewaySetting.LatencyLayout),
        RawPeers.Polling,
        ChannelPeers.Bounded<Number>(),
        ChannelPeers.SingleReader<Number>(),
        .. DisruptorPeers.Usual<Number>(),
    ];

    private static IEnumerable<Peer<Number>> Chain() =>
    [
        Ours("default", new()),
        Ours("busy-spin", new() { Wait = Wait.BusySpin() }),
        Ours("yield", new() { Wait = Wait.Yield() }),
        Ours("fused", new() { Plan = Plan.Fused }),
        ChannelPeers.Bounded<Number>(),
        .. DisruptorPeers.Usual<Number>(),
    ];

    private static IEnumerable<Peer<Number>> WakeUp() =>
    [
        Signals.Monitors,
        Signals.Semaphores("semaphore-slim"),
        Ours("default", new()),
        Ours("timed-park", new() { Wait = Wait.TimedPark(s_period) }),
        Ours("async", new() { Wait = Wait.Async() }),

        // These do not sleep: what the others' sleep costs is the difference.
        Ours("busy-spin", new() { Wait = Wait.BusySpin() }),
        Ours("yield", new() { Wait = Wait.Yield() }),
        Ours("adaptive", new() { Wait = Wait.Adaptive() }),
        ChannelPeers.Bounded<Number>(),
        .. DisruptorPeers.Values<Number>("blocking"),
    ];

    private static IEnumerable<Peer<Number>> Publish() =>
    [
        Ours("default", new()),
        Ours("timed-park", new() { Wait = Wait.TimedPark(s_period) }),
        Ours("busy-spin", new() { Wait = Wait.BusySpin() }),
        ChannelPeers.Bounded<Number>(),
        .. DisruptorPeers.Values<Number>("blocking", "busy-spin"),
    ];

    private static Peer<Number> Ours(string name, RacewaySetting setting) => RacewayPeers.Of<Number>("raceway/" + name, setting);
}
