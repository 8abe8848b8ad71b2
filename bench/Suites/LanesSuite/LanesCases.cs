using System.Threading.Channels;
using Raceway.Measuring;
using Raceway.Pipelines;
using Item = Raceway.Suites.LanesSuite.KeyedItem;

namespace Raceway.Suites.LanesSuite;

/// <summary>The cases of <c>compare --suite lanes</c>: a million keys, in order for each, on several workers.</summary>
public static class LanesCases
{
    private const int Many = 8;

    private static readonly KeySelector<Item, int> s_key = static (ref readonly Item item) => item.Key;

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        Of(KeySpread.Uniform, "cores", Environment.ProcessorCount),
        Of(KeySpread.Uniform, "8", Many),
        Of(KeySpread.Zipf, "cores", Environment.ProcessorCount),
        Of(KeySpread.Zipf, "8", Many),
    ];

    private static SuiteCase Of(KeySpread spread, string name, int workers)
    {
        // Drawn when the first contestant of the case is made.
        var load = new Lazy<KeyLoad>(() => new KeyLoad(spread));
        LanesShape Shape() => new(workers, load.Value);
        string keys = spread == KeySpread.Uniform ? "equally frequent" : "with frequencies after Zipf";
        string count = name == "cores" ? "as many workers as processors" : $"{workers} workers";
        return new SuiteCase(
            $"{(spread == KeySpread.Uniform ? "uniform" : "zipf")}/{name}",
            $"a million keys {keys}, {count}, each key in order", MetricKind.Throughput,
            [
                // What Run() does without being told.
                () => Ours("raceway/default", Shape(), Plan.Auto),
                () => Ours("raceway/shared-ring", Shape(), Plan.SharedRing),
                () => Ours("raceway/fused", Shape(), Plan.Fused),
                () => Ours("raceway/pooled", Shape(), Plan.Pooled),
                () => new RacewayLanes("raceway/class-handler", Shape(), Plan.SharedRing, static (builder, shape, workers) =>
                    builder.Lanes("lanes", shape.Workers, s_key, lane => (Rings.IEventHandler<Item>)workers[lane])),
                () => new RacewayLanes("raceway/same-key-batches", Shape(), Plan.SharedRing, static (builder, shape, workers) =>
                    builder.Lanes("lanes", shape.Workers, s_key, lane => (IKeyHandler<Item, int>)workers[lane])),
                () => new ChannelLanes("channel-bounded", Shape(), Channel.CreateBounded<Item>),
                () => new ChannelLanes("channel-unbounded", Shape(), static _ => Channel.CreateUnbounded<Item>()),
                () => new ChannelLanes("channel-unbounded/single", Shape(), static _ => Channel.CreateUnbounded<Item>(
                    new UnboundedChannelOptions { SingleReader = true, SingleWriter = true })),
                () => new ChannelBatchedLanes("channel-batched", Shape()),
                () => new OneThreadLanes(Shape()),
            ])
        {
            Reference = "channel-bounded",
            InQuick = name == "cores" || spread == KeySpread.Zipf,
        };
    }

    private static RacewayLanes Ours(string name, LanesShape shape, Plan plan) =>
        new(name, shape, plan, static (builder, shape, workers) =>
            builder.Lanes("lanes", shape.Workers, s_key, lane => StageKind<KeyedItem>.Events(workers[lane].AsStruct())));
}
