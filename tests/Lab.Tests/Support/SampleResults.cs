using Raceway.Measuring;

namespace Raceway.Lab.Tests.Support;

/// <summary>Result files made of given figures: what the commands would write, without measuring.</summary>
internal static class SampleResults
{
    private static readonly string[] s_waits = ["busy-spin", "yield", "park"];
    private static readonly int[] s_batches = [1, 16, 64, 256, 1024];

    public static MachineCard Machine { get; } = new()
    {
        Cpu = "Test CPU", LogicalCores = 8, UsableCores = 4, LineSize = 64, Os = "Test OS", Architecture = "X64",
        Runtime = ".NET 10", VectorBits = 256, Tiering = "default", LineRoundTripNs = 95,
    };

    public static ResultFile File(params IEnumerable<ResultRow> rows) => new()
    {
        Version = "0.1.0", Machine = Machine, Suite = "sample", Rows = [.. rows],
        Options = new Dictionary<string, string> { ["command"] = "raceway compare --suite ring --quick", ["quick"] = "true" },
    };

    public static ResultRow Row(
        string name, string contestant, string metric, double? median, string unit = "ns", string? note = null) => new()
    {
        Case = name, Contestant = contestant, Metric = metric, Unit = unit, Median = median, Low = median * 0.95,
        High = median * 1.05, Min = median, Max = median, Rounds = median is null ? 0 : 9,
            Verified = median is not null, Note = note,
    };

    /// <summary>A file that has something for every kind of chart.</summary>
    public static ResultFile Everything() => File(
        [.. Rates(), .. Sweep(), Aim("holds", "1a"), Aim("does not hold", "1b")]) with
    {
        Curves = [.. Percentiles(), .. AgainstLoad(), .. Strides()],
        Timelines = [.. Timelines()],
    };

    /// <summary>Throughput and latency of a case by wait and batch; the best throughput is that of busy-spin at 256.</summary>
    public static IEnumerable<ResultRow> Sweep() =>
        from wait in s_waits.Index()
        from batch in s_batches.Index()
        let rate = 9e6 * (batch.Item / (batch.Item + 4.0)) / (wait.Index + 1) * (batch.Item > 256 ? 0.9 : 1)
        from row in new[]
        {
            Row("sweep", "raceway/sweep", "throughput", rate, "events/s"),
            Row("sweep", "raceway/sweep", "latency-p99", 900 * (wait.Index + 1) + (batch.Item * 11)),
        }
        select row with { Knobs = new Dictionary<string, string> { ["wait"] = wait.Item, ["batch"] = $"{batch.Item}" } };

    public static ResultTimeline Timeline(string stage, double working, double starved, double blocked, int samples = 60) => new()
    {
        Case = "watched", Contestant = "raceway/default", Stage = stage,
        Samples = [.. Enumerable.Range(1, samples).Select(at => new TimelineSample(
            at * 0.1, working * 0.1, starved * 0.1, blocked * 0.1, 0.1 * Math.Max(0, 1 - working - starved - blocked),
            Items: 6_400, Batches: 100, Lag: at % 7))],
    };

    private static IEnumerable<ResultRow> Rates() =>
    [
        Row("1p-1c", "raceway/default", "throughput", 4e8, "events/s"),
        Row("1p-1c", "channel-bounded", "throughput", 5.2e7, "events/s"),
        Row("1p-1c", "channel-unbounded/single-reader", "throughput", 8.1e7, "events/s"),
        Row("1p-1c", "disruptor-net/yielding", "throughput", null, "events/s", "not built in"),
        Row("main-job", "raceway/default", "throughput", 9e6, "events/s"),
        Row("main-job", "channel", "throughput", 2e6, "events/s"),
        Row("main-job", "channel-batched", "throughput", 6e6, "events/s"),
        Row("main-job at half speed", "raceway/default", "latency-p99", 9_000),
        Row("main-job at half speed", "channel", "latency-p99", 21_000),
        Row("main-job at half speed", "channel-batched", "latency-p99", 7_000),
    ];

    private static ResultRow Aim(string verdict, string number) =>
        Row("1p-1c", "raceway/default over channel-bounded", "ratio", 7.7, "x",
            $"aim {number}: at least 4, {verdict}; one to one");

    private static IEnumerable<ResultCurve> Percentiles() =>
        new[] { "raceway/default", "raceway/park", "channel-bounded" }.Index()
        .Select(one => Curve("one-way", one.Item, CurveKind.Percentiles, "percentile", "ns", Enumerable.Range(0, 51).Select(at =>
            (100 * (1 - Math.Pow(10, -at / 10.0)), 120.0 * (one.Index + 1) * Math.Pow(1.12, at)
                * (at > 25 + (4 * one.Index) ? 12 : 1)))));

    private static IEnumerable<ResultCurve> AgainstLoad() => new[] { "raceway/default", "channel-bounded" }.Index()
        .Select(one => Curve("one-way", one.Item, CurveKind.LatencyAgainstLoad, "events/s", "ns, p99",
            new[] { 1e4, 1e5, 1e6, 1e7 }
            .Index().Select(load => (load.Item, 800.0 * (one.Index + 1) * Math.Pow(3, load.Index)))));

    private static IEnumerable<ResultCurve> Strides() => new[] { "two threads, locked increments", "one thread" }.Index()
        .Select(one => Curve("counters", one.Item, CurveKind.Stride, "bytes", "ns/increment",
            new[] { 0.0, 8, 16, 32, 64, 128, 192 }
            .Select(stride => (stride, one.Index == 0 && stride < 64 ? 41.0 - (stride / 8) : 6.1))));

    private static IEnumerable<ResultTimeline> Timelines() =>
        [Timeline("parse", 0.3, 0.05, 0.6), Timeline("hash", 0.95, 0.02, 0.01), Timeline("aggregate", 0.2, 0.7, 0)];

    private static ResultCurve Curve(
        string name, string contestant, string kind, string x, string y, IEnumerable<(double X, double Y)> points) => new()
    {
        Case = name, Contestant = contestant, Kind = kind, X = x, Y = y,
            Points = [.. points.Select(one => new[] { one.X, one.Y })],
    };
}
