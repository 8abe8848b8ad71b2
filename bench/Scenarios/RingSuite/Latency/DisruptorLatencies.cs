using Raceway.Scenarios.Measuring;
#if PEER_DISRUPTOR
using Disruptor;
#endif

namespace Raceway.Scenarios.RingSuite;

/// <summary>Disruptor-net in the latency cases; without its package there by name, with the note "not built in".</summary>
internal static class DisruptorLatencies
{
    /// <summary>The contestants with these wait strategies.</summary>
    public static IEnumerable<Func<Arrivals, IContestant>> Of(RingShape shape, params IEnumerable<string> waits) =>
        waits.Select<string, Func<Arrivals, IContestant>>(wait => arrivals => Of(shape, wait, arrivals));

#if PEER_DISRUPTOR
    private static DisruptorLatencyContestant Of(RingShape shape, string wait, Arrivals arrivals) =>
        new("disruptor-net/" + wait, shape, arrivals, () => wait switch
        {
            "busy-spin" => new BusySpinWaitStrategy(),
            "yielding" => new YieldingWaitStrategy(),
            "sleeping" => new SleepingWaitStrategy(),
            "blocking" => new BlockingWaitStrategy(),
            _ => throw new ArgumentException($"There is no wait strategy '{wait}' here.", nameof(wait)),
        });
#else
    private static AbsentContestant Of(RingShape shape, string wait, Arrivals arrivals) => new("disruptor-net/" + wait);
#endif
}
