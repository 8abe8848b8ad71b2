using System.Globalization;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.RingSuite;

namespace Raceway.Suites.BatchSuite;

/// <summary>The cases of <c>compare --suite batch-curve</c>: one stage with batches of at most 1 to 4,096 items.</summary>
/// <remarks>
/// What a limit from above is worth shows under load; what a limit from below costs, where items come seldom. The producer
/// publishes one item at a time in all of them.
/// </remarks>
public static class BatchCases
{
    /// <summary>The knob that the curves are drawn along.</summary>
    public const string LimitKnob = "batch";

    private const double LowRate = 1e5;

    private static readonly TimeSpan s_age = TimeSpan.FromMilliseconds(1);
    private static readonly int[] s_limits = [1, 4, 16, 64, 256, 1024, 4096];
    private static readonly RingShape s_one = new(1, 1, 0);

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        Of("full-load", "as fast as they are taken, by the most items of a batch", MetricKind.Overhead,
        [
            .. Most("spinning", Wait.BusySpin(), FullLoad),
            .. Most("parking", Wait.Default, FullLoad),
            () => FullLoad("raceway/single", new() { Dispatch = Dispatch.Single }),
            static () => new ChannelContestant<Number>("channel-bounded", s_one, ChannelKinds.Bounded<Number>),
        ]),
        Of("low-rate", "latency at 100,000 items a second: a limit from above, and one from below with an age of 1 ms",
            MetricKind.Latency,
            [
                .. Most("at-most", Wait.BusySpin(), LowLoad),
                .. s_limits.Select<int, Func<IContestant>>(least => () => LowLoad(
                    Name("at-least", least),
                    new()
                    {
                        Wait = Wait.BusySpin(), Handler = HandlerKind.Batch, Dispatch = Dispatch.Batch(min: least, maxAge: least > 1 ? s_age : null),
                    },
                    Knobs("min", least))),
                static () => new ChannelLatencyContestant(
                    "channel-bounded", s_one, Arrivals.At(LowRate), ChannelKinds.Bounded<Number>),
            ]) with { Rounds = RoundPlan.Paced(TimeSpan.FromSeconds(1 / LowRate)) },
    ];

    private delegate IContestant Create(string name, RacewaySetting setting, IReadOnlyDictionary<string, string>? knobs = null);

    private static SuiteCase Of(
        string name, string description, MetricKind metric, IReadOnlyList<Func<IContestant>> contestants) =>
        new(name, description, metric, contestants) { Along = new Axis(LimitKnob, "items") };

    private static IEnumerable<Func<IContestant>> Most(string series, Wait wait, Create create) =>
        s_limits.Select<int, Func<IContestant>>(most => () => create(
            Name(series, most),
            new RacewaySetting { Wait = wait, Handler = HandlerKind.Batch, Dispatch = Dispatch.Batch(max: most) },
            Knobs("max", most)));

    private static RacewayContestant<Number> FullLoad(
        string name, RacewaySetting setting, IReadOnlyDictionary<string, string>? knobs = null) =>
        new(name, s_one, setting) { Knobs = knobs };

    private static RacewayLatencyContestant LowLoad(
        string name, RacewaySetting setting, IReadOnlyDictionary<string, string>? knobs = null) =>
        new(name, s_one, Arrivals.At(LowRate), setting) { Knobs = knobs };

    private static string Name(string series, int limit) =>
        string.Create(CultureInfo.InvariantCulture, $"raceway/{series}/{limit}");

    private static Dictionary<string, string> Knobs(string which, int limit) => new()
    {
        ["dispatch"] = "batch",
        ["limit"] = which,
        [LimitKnob] = limit.ToString(CultureInfo.InvariantCulture),
    };
}
