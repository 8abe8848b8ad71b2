using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Disruptor-net in its forms and with its wait strategies. Its package is part of the build only with
/// <c>-p:PeerPackages=true</c>; without it the contestants are there by name, with the note "not built in".
/// </summary>
internal static class DisruptorContestants
{
    private const string Family = "disruptor-net/";

    /// <summary>The value ring with each of its usual wait strategies.</summary>
    public static IEnumerable<Func<IContestant>> Usual<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot> =>
        DisruptorWaits.Usual.Select(wait => Value<TSlot>(Family + wait, shape, wait));

    /// <summary>The value ring with all wait strategies, and rings of objects, with handlers of events and of batches.</summary>
    public static IEnumerable<Func<IContestant>> AllForms<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot> =>
    [
        .. DisruptorWaits.All.Select(wait => Value<TSlot>(Family + wait, shape, wait)),
        .. DisruptorWaits.Usual.Select(wait => Object<TSlot>($"{Family}class-event/{wait}", shape, wait, batches: false)),
        .. BatchHandlers<TSlot>(shape),
    ];

    /// <summary>Rings of objects with handlers of batches, with each of the usual wait strategies.</summary>
    public static IEnumerable<Func<IContestant>> BatchHandlers<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot> =>
        DisruptorWaits.Usual.Select(wait => Object<TSlot>($"{Family}batch-handler/{wait}", shape, wait, batches: true));

    /// <summary>Rings of objects, where the case needs something that only these can hold.</summary>
    public static IEnumerable<Func<IContestant>> Objects<TSlot>(RingShape shape)
        where TSlot : struct, ISlot<TSlot> =>
        DisruptorWaits.Usual.Select(wait => Object<TSlot>(Family + wait, shape, wait, batches: false));

#if PEER_DISRUPTOR
    /// <summary>Two value rings with each of the usual wait strategies.</summary>
    public static IEnumerable<Func<IContestant>> RoundTrip(RingShape shape) =>
        DisruptorWaits.Usual.Select<string, Func<IContestant>>(
            wait => () => new DisruptorRoundTripContestant(Family + wait, shape, () => DisruptorWaits.Create(wait)));

    /// <summary>The value ring in a latency case.</summary>
    public static IEnumerable<Func<Arrivals, IContestant>> Latency(RingShape shape, params IEnumerable<string> waits) =>
        waits.Select<string, Func<Arrivals, IContestant>>(wait => arrivals =>
            new DisruptorLatencyContestant(Family + wait, shape, arrivals, () => DisruptorWaits.Create(wait)));

    private static Func<IContestant> Value<TSlot>(string name, RingShape shape, string wait)
        where TSlot : struct, ISlot<TSlot> =>
        () => new DisruptorValueContestant<TSlot>(name, shape, () => DisruptorWaits.Create(wait));

    private static Func<IContestant> Object<TSlot>(string name, RingShape shape, string wait, bool batches)
        where TSlot : struct, ISlot<TSlot> =>
        () => new DisruptorObjectContestant<TSlot>(name, shape, () => DisruptorWaits.Create(wait), batches);
#else
    /// <summary>Two value rings with each of the usual wait strategies.</summary>
    public static IEnumerable<Func<IContestant>> RoundTrip(RingShape shape) =>
        DisruptorWaits.Usual.Select(wait => Value<Number>(Family + wait, shape, wait));

    /// <summary>The value ring in a latency case.</summary>
    public static IEnumerable<Func<Arrivals, IContestant>> Latency(RingShape shape, params IEnumerable<string> waits) =>
        waits.Select<string, Func<Arrivals, IContestant>>(wait => arrivals => new AbsentContestant(Family + wait));

    private static Func<IContestant> Value<TSlot>(string name, RingShape shape, string wait)
        where TSlot : struct, ISlot<TSlot> => () => new AbsentContestant(name);

    private static Func<IContestant> Object<TSlot>(string name, RingShape shape, string wait, bool batches)
        where TSlot : struct, ISlot<TSlot> => () => new AbsentContestant(name);
#endif
}
