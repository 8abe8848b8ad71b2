using Raceway.Measuring;
using Raceway.Suites.MailboxSuite.Actors;

namespace Raceway.Suites.MailboxSuite;

/// <summary>The cases of <c>compare --suite mailbox</c>: the write-up's rows, by its own numbers.</summary>
/// <remarks>
/// <para>A name reads <c>t20/n1000/bytes-100</c>: 20 actors (T), bursts of 1,000 messages to each (N), 100 bytes added up for
/// each (P). The figure is nanoseconds a message over all actors, from the first post until the last message is handled.</para>
/// <para>Those that most is claimed of come first. A round is as many bursts as make a million messages of a sum, four hundred
/// thousand of other work; at most <see cref="MostSum"/> and <see cref="MostWork"/>: of a larger N that part.</para>
/// </remarks>
public static class MailboxCases
{
    private const long LeastSum = 1_000_000;
    private const long LeastWork = 400_000;
    private const long MostSum = 10_000_000;
    private const long MostWork = 400_000;

    // What systems with a thread for each actor are given, that need microseconds for a message when these are many.
    private const long MostSlow = 100_000;
    private const long MostProcessor = 1_000_000;

    private static readonly string[] s_quick =
        ["t1/n100000/sum", "t20/n1000/sum", "t1/n100000/sum/b1024", "t100/n1000/sha512", "probe/t100/sha512"];

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        .. Cross([1, 10, 20, 100], [1_000, 100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sum)),
        Of(new MailboxShape(1, 10_000, ActorWork.Sum)),
        .. Cross([1, 15, 30], [100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sum) { Bound = 1_024 }),
        .. Cross([1, 20, 100], [100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sha512)),
        .. Cross([1, 15, 30], [100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sha512) { Bound = 1_024 }),
        Of(new MailboxShape(100, 1_000, ActorWork.Sha512)),
        Probe(new MailboxShape(100, 100_000, ActorWork.Sha512)),
        Probe(new MailboxShape(100, 100_000, ActorWork.Sha512) { Bound = 1_024 }),
        Probe(new MailboxShape(100, 100_000, ActorWork.Sum)),
        .. new[] { 10, 100, 1_000 }.SelectMany(static bytes => Cross(
            [10, 20, 100], [1_000, 100_000], (t, n) => new MailboxShape(t, n, ActorWork.Bytes) { Bytes = bytes })),
        .. new[] { 10, 100, 1_000 }.SelectMany(static bytes => Cross(
            [1, 10, 100], [1_000],
            (t, n) => new MailboxShape(t, n, ActorWork.Bytes) { Bytes = bytes, Carried = true, Bound = 256 })),
        .. new[] { 64, 16_384 }.SelectMany(static bound => Cross(
            [1, 15, 30], [100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sum) { Bound = bound })),
        .. Cross([1, 20, 100], [1_000, 100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sum) { Posters = PostersKind.OneEach }),
        .. Cross(
            [15], [100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sum) { Posters = PostersKind.OneEach, Bound = 1_024 }),
        .. Cross([1, 20, 100], [1_000], (t, n) => new MailboxShape(t, n, ActorWork.Sum) { StartTimed = true }),
        .. Cross([1, 20, 100], [100_000], (t, n) => new MailboxShape(t, n, ActorWork.Sum) { StartTimed = true }),
    ];

    private static IEnumerable<SuiteCase> Cross(int[] actors, int[] messages, Func<int, int, MailboxShape> shape) =>
        actors.SelectMany(t => messages.Select(n => Of(shape(t, n))));

    private static SuiteCase Of(MailboxShape shape) => new(NameOf(shape), DescriptionOf(shape), MetricKind.Overhead, Contestants(shape))
    {
        Rounds = PlanOf(shape),
        InQuick = s_quick.Contains(NameOf(shape)),
        Reference = shape.Bound is null ? "channel-unbounded" : "channel-bounded",
    };

    private static SuiteCase Probe(MailboxShape shape) => new(
        $"probe/{NameOf(shape).Replace("/n100000", "", StringComparison.Ordinal)}",
        $"how long an unrelated work item of the pool waits, one every millisecond, beside {DescriptionOf(shape)}",
        MetricKind.Latency,
        [
            () => Ours<RacewayBoxes>("raceway/default", shape, probes: true),
            () => Ours<RacewaySliceBoxes<HalfMillisecond>>("raceway/slice-500us", shape, probes: true),
            () => Ours<RacewaySliceBoxes<FiveMilliseconds>>("raceway/slice-5ms", shape, probes: true),
            () => Ours<RacewayThreadBoxes>("raceway/thread", shape, probes: true),
            () => new MailboxContestant<(System.Threading.Channels.Channel<int>, Task), ChannelBoxes>(ChannelName(shape), shape, 2) { Probes = true },
            .. shape.Bound is null ? (Func<IContestant>[])[() => new MailboxContestant<FSharp.ProcessorActor, ProcessorBoxes>("mailbox-processor", shape, 2) { Most = MostProcessor, Probes = true }] : [],
        ])
    {
        Rounds = new RoundPlan { Operations = shape.Work == ActorWork.Sum ? MostSum : 1_000_000 },
        InQuick = s_quick.Contains($"probe/t{shape.Actors}/{WorkOf(shape)}") && shape.Bound is null && shape.Work == ActorWork.Sha512,
        Reference = ChannelName(shape),
    };

    private static List<Func<IContestant>> Contestants(MailboxShape shape) => shape.Carried ? Carrying(shape) : Plain(shape);

    private static List<Func<IContestant>> Carrying(MailboxShape shape) =>
    [
        () => Carried<RentedMaker>("raceway/default", shape),
        () => Carried<NewMaker>("raceway/new-arrays", shape),
        () => new MailboxContestant<SlotBoxes.Box, SlotBoxes>("raceway/slots", shape, 2),
        () => Carrying<RentedMaker>(ChannelName(shape), shape),
        () => Carrying<NewMaker>("channel-new-arrays", shape),
        () => new Floor("hammer", shape, withBody: false),
        () => new Floor("payload", shape, withBody: true),
    ];

    private static MailboxContestant<(Concurrency.Mailbox<CarriedMessage>, int), RacewayCarriedBoxes<TMaker>> Carried<TMaker>(
        string name, MailboxShape shape)
        where TMaker : struct, ICarriedMaker => new(name, shape, 2);

    private static MailboxContestant<ChannelCarriedBoxes<TMaker>.Box, ChannelCarriedBoxes<TMaker>> Carrying<TMaker>(
        string name, MailboxShape shape)
        where TMaker : struct, ICarriedMaker => new(name, shape, 2);

    private static List<Func<IContestant>> Plain(MailboxShape shape)
    {
        List<Func<IContestant>> all =
        [
            () => Ours<RacewayBoxes>("raceway/default", shape),
            () => Ours<RacewayThreadBoxes>("raceway/thread", shape),
            () => new MailboxContestant<(System.Threading.Channels.Channel<int>, Task), ChannelBoxes>(ChannelName(shape), shape, 2),
        ];
        int threads = shape.Actors + 1;
        long slow = shape.Actors == 1 ? long.MaxValue : MostSlow;
        if (shape.Bound is null)
        {
            all.Add(() => new MailboxContestant<ThreadedActor, ThreadedActorBoxes>("threaded-actor", shape, threads) { Most = slow });
            all.Add(() => new MailboxContestant<ThreadedActor3, ThreadedActor3Boxes>("threaded-actor-3", shape, threads) { Most = slow });
            all.Add(() => new MailboxContestant<FSharp.ProcessorActor, ProcessorBoxes>("mailbox-processor", shape, 2) { Most = MostProcessor });
        }
        else
        {
            all.Add(() => new MailboxContestant<ThreadedActor4, ThreadedActor4Boxes>("threaded-actor-4", shape, threads)
            {
                Most = slow, BlocksPoster = true,
            });
        }

        if (shape.StartTimed || shape.Posters == PostersKind.OneEach) return all;
        all.Add(() => new Floor("hammer", shape, withBody: false));
        all.Add(() => new Floor("payload", shape, withBody: true));
        return all;
    }

    private static MailboxContestant<Concurrency.Mailbox<int>, TBoxes> Ours<TBoxes>(string name, MailboxShape shape, bool probes = false)
        where TBoxes : struct, IBoxes<Concurrency.Mailbox<int>> =>
        new(name, shape, typeof(TBoxes) == typeof(RacewayThreadBoxes) ? shape.Actors + 1 : 2) { Probes = probes };

    private static RoundPlan PlanOf(MailboxShape shape)
    {
        long most = shape.Work == ActorWork.Sum ? MostSum : MostWork;
        long bursts = Math.Max(1, (shape.Work == ActorWork.Sum ? LeastSum : LeastWork) / shape.Burst);
        return new RoundPlan { Operations = Math.Min(shape.Burst * bursts, most) };
    }

    private static string NameOf(MailboxShape shape) =>
        $"t{shape.Actors}/n{shape.Messages}/{WorkOf(shape)}{(shape.Bound is { } bound ? $"/b{bound}" : "")}"
        + $"{(shape.Posters == PostersKind.OneEach ? "/own-posters" : "")}{(shape.StartTimed ? "/start-timed" : "")}";

    private static string WorkOf(MailboxShape shape) => shape.Work switch
    {
        ActorWork.Sum => "sum",
        ActorWork.Sha512 => "sha512",
        _ => $"{(shape.Carried ? "carried" : "bytes")}-{shape.Bytes}",
    };

    private static string DescriptionOf(MailboxShape shape) =>
        $"{shape.Actors} actors, {shape.Messages} messages to each, {WorkOf(shape)}"
        + $"{(shape.Bound is { } bound ? $", at most {bound} waiting" : "")}"
        + $"{(shape.Posters == PostersKind.OneEach ? ", a poster for each" : ", one poster round robin")}"
        + $"{(shape.StartTimed ? ", made and ended within the time" : "")}";

    private static string ChannelName(MailboxShape shape) => shape.Bound is null ? "channel-unbounded" : "channel-bounded";
}
