using System.Threading.Channels;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>The cases of <c>compare --suite ring</c> with ours and everybody else's contestants.</summary>
/// <remarks>
/// An item is 8 bytes, every queue or ring holds <see cref="RingShape.DefaultCapacity"/> of them, and items are published
/// one at a time, unless the case says otherwise.
/// </remarks>
public static class RingCases
{
    /// <summary>All cases.</summary>
    public static IReadOnlyList<RingCase> Baselines { get; } =
    [
        Throughput(
            "1p-1c", "one producer, one consumer that sums", new RingShape(1, 1, 0), DisruptorContestants.AllForms<Number>),
        Throughput(
            "mp-1p", "a queue that allows several producers, with one", new RingShape(1, 1, 0, MultiProducer: true)),
        Throughput("3p-1c", "three producers, one consumer that sums", new RingShape(3, 1, 0, MultiProducer: true)),
        Throughput("chain-3", "one producer, three stages that increment, the last one sums", new RingShape(1, 3, 1)),
        Throughput("chain-3-one-handler", "the work of chain-3 in one handler", new RingShape(1, 1, 3)),
        Trickle("trickle-3", "1,000 messages a second through three parked stages", TimeSpan.FromMilliseconds(1), 200),
        Trickle("idle-3", "three parked stages, nothing to do for a quarter of a second", TimeSpan.FromMilliseconds(250), 1,
            Rings.Wait.BusySpin(), Rings.Wait.Yield(), Rings.Wait.Adaptive()),
        RoundTrip("round-trip", "one message to another thread and back over two queues", new RingShape(1, 1, 1)),
        Fair("mp-16-fair", "sixteen producers at a full queue of 1,024: the least share, and the longest publish"),
        .. LatencyCases.All,
        .. RingMatrix.Cases,
        .. RingPaddings.Cases,
    ];

    /// <summary>The case of a name.</summary>
    /// <exception cref="ArgumentException">There is none of that name.</exception>
    public static RingCase Named(string name) =>
        Baselines.FirstOrDefault(c => c.Name == name)
        ?? throw new ArgumentException($"There is no ring case '{name}'.", nameof(name));

    private static RingCase Throughput(
        string name, string description, RingShape shape,
        Func<RingShape, IEnumerable<Func<IContestant>>>? disruptors = null)
    {
        IContestant Channels(string contestant, Func<int, Channel<Number>> create) =>
            new ChannelContestant<Number>(contestant, shape, create);

        return new(name, description, MetricKind.Throughput, shape,
        [
            .. RacewayContestants.Throughput<Number>(shape),
            () => RingMatrix.Raw<Number>(shape),
            () => Channels("channel-bounded", ChannelKinds.Bounded<Number>),
            () => Channels("channel-unbounded", ChannelKinds.Unbounded<Number>),
            () => Channels("channel-unbounded/single-reader", ChannelKinds.UnboundedSingleReader<Number>),
            () => new DataflowContestant(shape),
            () => new BlockingCollectionContestant(shape),
            .. (disruptors ?? DisruptorContestants.Usual<Number>)(shape),
        ]);
    }

    // A second and a half a round: every producer must have had its turn several times.
    private static RingCase Fair(string name, string description)
    {
        var shape = new RingShape(16, 1, 0, MultiProducer: true) { Capacity = 1024 };
        return new(name, description, MetricKind.Overhead, shape, FairContestants.All(shape))
        {
            Rounds = new RoundPlan { Stretch = 10 },
            InQuick = false,
        };
    }

    // Those that never sleep are measured where nothing happens; with messages to hand over they only wait for each other.
    private static RingCase Trickle(
        string name, string description, TimeSpan gap, int messages, params IEnumerable<Rings.Wait> awake)
    {
        var shape = new RingShape(1, 3, 1);
        Func<IContestant> Ours(string wait, Rings.Wait how) =>
            () => new RacewayTrickleContestant("raceway/" + wait, shape, how, gap, messages);

        return new(name, description, MetricKind.CpuShare, shape,
        [
            Ours("default", Rings.Wait.Default),
            Ours("timed-park", Rings.Wait.TimedPark(gap)),
            Ours("async", Rings.Wait.Async()),
            .. awake.Select(wait => Ours(wait.Name, wait)),
            () => new SemaphoreTrickleContestant(shape, gap, messages),
            () => new ChannelTrickleContestant(shape, gap, messages),
            .. LatencyCases.DisruptorTrickle(shape, gap, messages),
        ])
        {
            Rounds = RoundPlan.Paced(gap),
        };
    }

    private static RingCase RoundTrip(string name, string description, RingShape shape)
    {
        IContestant Channels(string contestant, Func<Channel<long>> create) =>
            new ChannelRoundTripContestant(contestant, shape, create);

        return new(name, description, MetricKind.Latency, shape,
        [
            .. RacewayContestants.RoundTrip(shape),
            () => new RawRoundTripContestant(shape),
            () => Channels("channel-bounded", ChannelKinds.Bounded),
            () => Channels("channel-unbounded", ChannelKinds.Unbounded),
            () => Channels("channel-unbounded/single-reader", ChannelKinds.UnboundedSingleReader),
            () => new ChannelPollingRoundTripContestant(shape),
            () => new DataflowRoundTripContestant(shape),
            () => new BlockingCollectionRoundTripContestant(shape),
            .. DisruptorContestants.RoundTrip(shape),
        ]);
    }
}
