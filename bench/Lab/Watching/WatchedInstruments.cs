using System.Numerics;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Watching;

/// <summary>Which instruments are watched, and what they say together: the pipelines of a process, as snapshots.</summary>
internal static class WatchedInstruments
{
    /// <summary>The runtime's own meter.</summary>
    public const string RuntimeMeter = "System.Runtime";

    private const string ProcessorTime = "dotnet.process.cpu.time";
    private const string ProcessorCount = "dotnet.process.cpu.count";
    private const string Paused = "dotnet.gc.pause.time";

    private const string Pipeline = "raceway.pipeline.name";
    private const string Ring = "raceway.ring.index";
    private const string Stage = "raceway.stage.name";

    /// <summary>Of the runtime's meter these.</summary>
    public static IReadOnlyList<string> OfRuntime { get; } = [ProcessorTime, ProcessorCount, Paused];

    /// <summary>Whether an instrument is watched.</summary>
    public static bool IsWatched(string meter, string instrument) =>
        meter == PipelineMeter.MeterName || (meter == RuntimeMeter && OfRuntime.Contains(instrument));

    /// <summary>The tags of a figure as the runtime's event source writes them: <c>key=value,key=value</c>.</summary>
    /// <remarks>A value may hold commas: where no key of ours follows one, it is part of the value.</remarks>
    public static IReadOnlyDictionary<string, string> ParseTags(string text)
    {
        var tags = new Dictionary<string, string>();
        string? last = null;
        foreach (string part in text.Split(','))
        {
            int equals = part.IndexOf('=', StringComparison.Ordinal);
            if (equals > 0 && (last is null || part.StartsWith("raceway.", StringComparison.Ordinal)))
            {
                last = part[..equals];
                tags[last] = part[(equals + 1)..];
            }
            else if (last is not null)
            {
                tags[last] += "," + part;
            }
        }

        return tags;
    }

    /// <summary>The pipelines of a frame by name, their stages in the order of the pipeline.</summary>
    public static IReadOnlyDictionary<string, PipelineSnapshot> PipelinesOf(MeterFrame frame)
    {
        var process = frame.Figures.Where(static figure => !figure.Tags.ContainsKey(Pipeline)).ToLookup(static figure => figure.Instrument);
        double[] cpu = [.. process[ProcessorTime].Select(static figure => figure.Value)];
        double[] count = [.. process[ProcessorCount].Select(static figure => figure.Value)];
        var pipelines = new Dictionary<string, PipelineSnapshot>();
        foreach (var own in frame.Figures.Where(static figure => figure.Tags.ContainsKey(Pipeline)).GroupBy(static figure => figure.Tags[Pipeline]))
        {
            if (HasEnded(own, "raceway.pipeline.plan")) continue;
            RingStatistics[] rings = [.. Group(own, Ring).OrderBy(static ring => ring.Key.Length).ThenBy(static ring => ring.Key, StringComparer.Ordinal)
                .Select(static ring => RingOf(ring))];
            pipelines.Add(own.Key, new PipelineSnapshot
            {
                At = frame.At,
                Plan = Enum.TryParse(TagOf(own, "raceway.plan"), out Plan plan) ? plan : null,
                PlanReason = TagOf(own, "raceway.plan.reason"),
                Rings = rings,
                Stages = [.. Group(own, Stage).Where(static stage => !HasEnded(stage, "raceway.stage.index")).OrderBy(PlaceOf).Select(stage => StageOf(stage, isOnlyRing: rings.Length == 1))],
                Processors = count.Length == 0 ? Environment.ProcessorCount : Math.Max(1, (int)count[0]),
                Processor = cpu.Length == 0 ? null : TimeSpan.FromSeconds(cpu.Sum()),
                Paused = TimeSpan.FromSeconds(process[Paused].Sum(static figure => figure.Value)),
            });
        }

        return pipelines;
    }

    private static string? TagOf(IEnumerable<MeterFigure> figures, string tag) =>
        figures.Select(figure => figure.Tags.GetValueOrDefault(tag)).FirstOrDefault(static value => value is not null);

    private static IEnumerable<IGrouping<string, MeterFigure>> Group(IEnumerable<MeterFigure> figures, string tag) =>
        figures.Where(figure => figure.Tags.ContainsKey(tag)).GroupBy(figure => figure.Tags[tag]);

    // The runtime repeats the last figure of a counter for as long as it is watched, and that of a gauge never: without its
    // gauge, a pipeline is not there any more, or a stage.
    private static bool HasEnded(IEnumerable<MeterFigure> figures, string gauge) => !figures.Any(figure => figure.Instrument == gauge);

    // Another process says its series in any order.
    private static double PlaceOf(IEnumerable<MeterFigure> stage) =>
        stage.First(static figure => figure.Instrument == "raceway.stage.index").Value;

    private static RingStatistics RingOf(IEnumerable<MeterFigure> figures)
    {
        var of = new Figures(figures);
        return new RingStatistics
        {
            Capacity = (int)of["raceway.ring.capacity"],
            Backlog = (long)of["raceway.ring.backlog"],
            Waits = (long)of["raceway.ring.producer.waits"],
            Parks = (long)of["raceway.ring.producer.parks"],
            Blocked = of.Time("raceway.ring.producer.blocked"),
            Waking = of.Time("raceway.ring.producer.waking"),
        };
    }

    private static StageSnapshot StageOf(IGrouping<string, MeterFigure> figures, bool isOnlyRing)
    {
        var of = new Figures(figures);
        TimeSpan? Thread(string state) => of.Find("raceway.stage.thread.time", "raceway.thread.state", state) is { } seconds ? TimeSpan.FromSeconds(seconds) : null;
        return new StageSnapshot
        {
            Ring = isOnlyRing ? 0 : null,
            Processor = Thread("running"),
            Ready = Thread("ready"),
            Done = new StageStatistics
            {
                Name = figures.Key,
                Width = Math.Max(1, (int)of["raceway.stage.width"]),
                Lag = (long)of["raceway.stage.lag"],
                Items = (long)of["raceway.stage.items"],
                Batches = (long)figures.Where(static figure => figure.Instrument == "raceway.stage.batches").Sum(static figure => figure.Value),
                Faults = (long)of["raceway.stage.faults"],
                Skipped = (long)of["raceway.stage.skipped"],
                Dropped = (long)of["raceway.stage.dropped"],
                DeadLettered = (long)of["raceway.stage.dead_lettered"],
                Retries = (long)of["raceway.stage.retries"],
                Tombstones = (long)of["raceway.stage.tombstones"],
                Split = (long)of["raceway.stage.split"],
                Parts = (long)of["raceway.stage.parts"],
                Waits = (long)of["raceway.stage.waits"],
                Parks = (long)of["raceway.stage.parks"],
                Working = of.Time("raceway.stage.time", "working"),
                Starved = of.Time("raceway.stage.time", "starved"),
                Blocked = of.Time("raceway.stage.time", "blocked"),
                Waking = of.Time("raceway.stage.time", "waking"),
                CloseReasons =
                [
                    .. Enum.GetNames<CloseReason>().Select(reason =>
                        (long)(of.Find("raceway.stage.batches", "raceway.batch.close_reason", reason.ToLowerInvariant()) ?? 0)),
                ],
                BatchSizes = SizesOf(figures),
            },
        };
    }

    // By the smallest size of each class, a power of two.
    private static long[] SizesOf(IEnumerable<MeterFigure> figures)
    {
        var sizes = new long[32];
        foreach (MeterFigure figure in figures)
        {
            if (figure.Instrument == "raceway.stage.batch.sizes"
                && figure.Tags.TryGetValue("raceway.batch.size", out string? size)
                && uint.TryParse(size.Split('-')[0], out uint least) && least > 0)
            {
                sizes[BitOperations.Log2(least)] = (long)figure.Value;
            }
        }

        return sizes;
    }

    private readonly struct Figures(IEnumerable<MeterFigure> figures)
    {
        private readonly ILookup<string, MeterFigure> _all = figures.ToLookup(static figure => figure.Instrument);

        public double this[string instrument] => _all[instrument].Select(static figure => figure.Value).FirstOrDefault();

        public TimeSpan Time(string instrument) => TimeSpan.FromSeconds(this[instrument]);

        public TimeSpan Time(string instrument, string state) =>
            TimeSpan.FromSeconds(Find(instrument, "raceway.stage.state", state) ?? 0);

        public double? Find(string instrument, string tag, string value)
        {
            foreach (MeterFigure figure in _all[instrument])
            {
                if (figure.Tags.GetValueOrDefault(tag) == value) return figure.Value;
            }

            return null;
        }
    }
}
