using Raceway.Measuring;
#if PEER_DISRUPTOR
using Disruptor;
#endif

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Disruptor-net in its forms and with its wait strategies. Its package is part of the build only with
/// <c>-p:PeerPackages=true</c>; without it the contestants are there by name, with the note "not built in".
/// </summary>
internal static class DisruptorPeers
{
    private const string Family = "disruptor-net/";

    // Those that are measured everywhere.
    private static readonly string[] s_usual = ["busy-spin", "yielding", "blocking"];

    // All that a handler's thread can wait with.
    private static readonly string[] s_all =
    [
        .. s_usual,
        "spin-wait",
        "hybrid-spin",
        "sleeping",
        "phased-backoff",
        "blocking-spin-wait",
        "timeout-blocking",
        "timeout-yielding",
    ];

    /// <summary>The value ring with some wait strategies.</summary>
    public static IEnumerable<Peer<TSlot>> Values<TSlot>(params IEnumerable<string> waits)
        where TSlot : struct, ISlot<TSlot> => waits.Select(static wait => new Peer<TSlot>(Family + wait, OpenValues<TSlot>(wait)));

    /// <summary>The value ring with each of its usual wait strategies.</summary>
    public static IEnumerable<Peer<TSlot>> Usual<TSlot>()
        where TSlot : struct, ISlot<TSlot> => Values<TSlot>(s_usual);

    /// <summary>The value ring with all wait strategies, and rings of objects, with handlers of events and of batches.</summary>
    public static IEnumerable<Peer<TSlot>> AllForms<TSlot>()
        where TSlot : struct, ISlot<TSlot> =>
        [.. Values<TSlot>(s_all), .. Objects<TSlot>(Family + "class-event/", batches: false), .. BatchHandlers<TSlot>()];

    /// <summary>Rings of objects with handlers of batches.</summary>
    public static IEnumerable<Peer<TSlot>> BatchHandlers<TSlot>()
        where TSlot : struct, ISlot<TSlot> => Objects<TSlot>(Family + "batch-handler/", batches: true);

    /// <summary>Rings of objects, where the case needs something that only these can hold.</summary>
    public static IEnumerable<Peer<TSlot>> Objects<TSlot>()
        where TSlot : struct, ISlot<TSlot> => Objects<TSlot>(Family, batches: false);

    /// <summary>There and back over two value rings, with each of the usual wait strategies.</summary>
    public static IEnumerable<Func<IContestant>> RoundTrips(RingShape shape) =>
        s_usual.Select<string, Func<IContestant>>(wait => () => OpenRoundTrip(wait) is { } open
            ? new RoundTripContestant(Family + wait, shape, open)
            : new AbsentContestant(Family + wait));

    private static IEnumerable<Peer<TSlot>> Objects<TSlot>(string family, bool batches)
        where TSlot : struct, ISlot<TSlot> =>
        s_usual.Select(wait => new Peer<TSlot>(family + wait, OpenObjects<TSlot>(wait, batches)));

#if PEER_DISRUPTOR
    private static readonly TimeSpan s_timeout = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_phase = TimeSpan.FromMilliseconds(1);

    // A fresh strategy; with its defaults, if it has any.
    private static IWaitStrategy Create(string name) => name switch
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

    private static Func<RingLoad, RoundThreads, Transport<TSlot>>? OpenValues<TSlot>(string wait)
        where TSlot : struct, ISlot<TSlot> => (load, threads) => new DisruptorValueTransport<TSlot>(load, threads, Create(wait));

    private static Func<RingLoad, RoundThreads, Transport<TSlot>>? OpenObjects<TSlot>(string wait, bool batches)
        where TSlot : struct, ISlot<TSlot> =>
        (load, threads) => new DisruptorObjectTransport<TSlot>(load, threads, Create(wait), batches);

    private static Action<RingLoad, RoundThreads>? OpenRoundTrip(string wait) =>
        (load, threads) => DisruptorRoundTrip.Open(load, threads, () => Create(wait));
#else
    private static Func<RingLoad, RoundThreads, Transport<TSlot>>? OpenValues<TSlot>(string wait)
        where TSlot : struct, ISlot<TSlot> => null;

    private static Func<RingLoad, RoundThreads, Transport<TSlot>>? OpenObjects<TSlot>(string wait, bool batches)
        where TSlot : struct, ISlot<TSlot> => null;

    private static Action<RingLoad, RoundThreads>? OpenRoundTrip(string wait) => null;
#endif
}
