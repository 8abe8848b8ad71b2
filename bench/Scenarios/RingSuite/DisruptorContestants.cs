using Raceway.Scenarios.Measuring;
#if PEER_DISRUPTOR
using Disruptor;
#endif

namespace Raceway.Scenarios.RingSuite;

/// <summary>
/// Disruptor-net with each of its usual wait strategies. Its package is part of the build only with
/// <c>-p:PeerPackages=true</c>; without it the contestants are there by name, with the note "not built in".
/// </summary>
internal static class DisruptorContestants
{
#if PEER_DISRUPTOR
    private static readonly (string Name, Func<IWaitStrategy> Create)[] s_waits =
    [
        ("busy-spin", static () => new BusySpinWaitStrategy()),
        ("yielding", static () => new YieldingWaitStrategy()),
        ("blocking", static () => new BlockingWaitStrategy()),
    ];

    public static IEnumerable<Func<IContestant>> Throughput(RingShape shape) =>
        s_waits.Select<(string Name, Func<IWaitStrategy> Create), Func<IContestant>>(
            wait => () => new DisruptorContestant(NameOf(wait.Name), shape, wait.Create));

    /// <summary>Publishes one item, claim and publication in one.</summary>
    public static void Publish(ValueRingBuffer<long> ring, long item)
    {
        long sequence = ring.Next();
        ring[sequence] = item;
        ring.Publish(sequence);
    }

    public static IEnumerable<Func<IContestant>> RoundTrip(RingShape shape) =>
        s_waits.Select<(string Name, Func<IWaitStrategy> Create), Func<IContestant>>(
            wait => () => new DisruptorRoundTripContestant(NameOf(wait.Name), shape, wait.Create));
#else
    private static readonly string[] s_waits = ["busy-spin", "yielding", "blocking"];

    public static IEnumerable<Func<IContestant>> Throughput(RingShape shape) => Absent();

    public static IEnumerable<Func<IContestant>> RoundTrip(RingShape shape) => Absent();

    private static IEnumerable<Func<IContestant>> Absent() =>
        s_waits.Select<string, Func<IContestant>>(static wait => () => new AbsentContestant(NameOf(wait)));
#endif

    private static string NameOf(string wait) => "disruptor-net/" + wait;
}
