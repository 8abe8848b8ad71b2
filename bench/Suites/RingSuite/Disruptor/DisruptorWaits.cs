#if PEER_DISRUPTOR
using Disruptor;
#endif

namespace Raceway.Suites.RingSuite;

/// <summary>The wait strategies of Disruptor-net by name.</summary>
internal static class DisruptorWaits
{
    /// <summary>Those that are measured everywhere.</summary>
    public static IReadOnlyList<string> Usual { get; } = ["busy-spin", "yielding", "blocking"];

    /// <summary>All that a handler's thread can wait with.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        .. Usual,
        "spin-wait",
        "hybrid-spin",
        "sleeping",
        "phased-backoff",
        "blocking-spin-wait",
        "timeout-blocking",
        "timeout-yielding",
    ];

#if PEER_DISRUPTOR
    private static readonly TimeSpan s_timeout = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_phase = TimeSpan.FromMilliseconds(1);

    /// <summary>A fresh strategy; with its defaults, where it has any.</summary>
    public static IWaitStrategy Create(string name) => name switch
    {
        "busy-spin" => new BusySpinWaitStrategy(),
        "yielding" => new YieldingWaitStrategy(),
        "blocking" => new BlockingWaitStrategy(),
        "spin-wait" => new SpinWaitWaitStrategy(),
        "hybrid-spin" => new HybridSpinWaitStrategy(),
        "sleeping" => new SleepingWaitStrategy(),
        "phased-backoff" => PhasedBackoffWaitStrategy.WithLock(s_phase, s_phase),
        "blocking-spin-wait" => new BlockingSpinWaitWaitStrategy(),
        "timeout-blocking" => new TimeoutBlockingWaitStrategy(s_timeout),
        "timeout-yielding" => new TimeoutYieldingWaitStrategy(s_timeout),
        _ => throw new ArgumentException($"Disruptor-net has no wait strategy '{name}'.", nameof(name)),
    };
#endif
}
