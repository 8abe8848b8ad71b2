using System.Globalization;
using Raceway.Measuring;
using Raceway.Rings;
using Raceway.Suites.Batching.Compress;
using Raceway.Suites.Batching.Database;
using Raceway.Suites.Batching.Disk;
using Raceway.Suites.Batching.Hash;
using Raceway.Suites.Batching.Network;
using Raceway.Suites.Batching.Parse;
using Raceway.Suites.Batching.Rabbit;
using Raceway.Suites.MainJob.Hashing;

namespace Raceway.Suites.Batching;

/// <summary>The cases of <c>compare --suite batching</c>: what a batch buys in real work, and what it costs in latency.</summary>
/// <remarks>
/// Each kind of work is measured three times: as fast as jobs are taken, at half of each one's own speed, and at a rate that is the
/// same for all. A contestant is <c>raceway/batch/N</c> (at most N jobs per call), the default, the two ways of calling job by job, a
/// Channel with batches (of as many jobs as the default may take) and without, and a loop without any hand-over. Where jobs come at a rate there is also
/// <c>raceway/min/N</c> (a call waits for N jobs, for 1 ms at the most), and the largest of these with other ages.
/// </remarks>
public static class BatchingCases
{
    /// <summary>The knob that the curves are drawn along.</summary>
    public const string SizeKnob = "batch";

    /// <summary>The unit of their values.</summary>
    public const string SizeUnit = "jobs";

    /// <summary>The row of the default settings.</summary>
    public const string DefaultName = "raceway/default";

    /// <summary>The row of per-message dispatch.</summary>
    public const string SingleName = "raceway/single";

    /// <summary>The most time that a quick run takes: a part of the work, three sizes, and a loop by hand of the largest alone.</summary>
    public static readonly TimeSpan MostQuick = TimeSpan.FromSeconds(45);

    private const int RoundsBesideByHand = 100;

    // The broker's, and the one that reads the queue.
    private const int BrokerThreads = 2;

    // As many as a call of the default may have.
    private static readonly int s_channelMost = Dispatch.Batch().MaxIn(RacewayBatching.Capacity);

    private static readonly int[] s_quickSizes = [1, 64, 1_024];
    private static readonly int[] s_mins = [4, 64, 1_024];
    private static readonly double[] s_otherAges = [0.1, 10];

    /// <summary>The kinds of work.</summary>
    internal static IReadOnlyList<BatchingCase> Kinds { get; } =
    [
        new("hash", "SHA-512 of a line of 87 bytes; a batch fills the lanes of vectors", 500_000, static _ => new HashWork())
        {
            Width = Sha512Batch.Lanes,
        },
        new("light", "CRC-32C of a line of 87 bytes; a batch saves hand-overs alone", 100_000, static _ => new ChecksumWork()),
        new("disk-128", "a record of 128 bytes, appended to a file; a batch is synced once", 20_000, static name => new DiskWork(name, Corpus.Records))
        {
            Sizes = [1, 4, 16, 64, 256, 512, 1_024],
        },
        new("disk-1k", "a record of 1,024 bytes, appended to a file; a batch is synced once", 20_000, static name => new DiskWork(name, Corpus.LargeRecords))
        {
            InQuick = false,
        },
        .. DatabaseKinds.All,
        new("compress", "a line of 87 bytes, compressed by Brotli; a batch is one frame", 400_000, static _ => new CompressWork()),
        new("network", "a line of 87 bytes, sent over a loopback connection; a batch is one write", 2_000_000, static _ => new NetworkWork())
        {
            Servants = 1,
        },
        new("rabbit", "a line of 87 bytes, stored by RabbitMQ; a batch is one message and one confirm", 10_000, static _ => new RabbitWork(window: 1))
        {
            InQuick = false, Missing = RabbitNode.Missing, Servants = BrokerThreads,
        },
        new("rabbit-window", "a line of 87 bytes, stored by RabbitMQ, 500 calls under way; a batch is one message", null, static _ => new RabbitWork(window: 500))
        {
            InQuick = false, Missing = RabbitNode.Missing, Servants = BrokerThreads,
            Beside = [("raceway/link", static () => new LinkContestant("raceway/link"))],
        },
        new("parse", "an event of 160 bytes, parsed as JSON; a batch is parsed event by event", 500_000, static _ => new ParseWork()),
    ];

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
        [.. Kinds.SelectMany(Of), BesideByHand("disk-128", "512 records", 512), BesideByHand("disk-1k", "64 records", 64)];

    // Many rounds of two contestants: how far ours is from a loop of the same groups is a matter of a few percent.
    private static SuiteCase BesideByHand(string kind, string group, int size)
    {
        string[] names = [$"raceway/batch/{size}", $"by-hand/{size}"];
        BatchingCase one = Kinds.Single(one => one.Name == kind);
        return new SuiteCase(
            $"{kind}-by-hand", $"{one.Description}; {group} at a time, beside a loop of the same groups", MetricKind.Throughput,
            [.. Made(one, Arrival.AtOnce, [size]).Where(made => names.Contains(made.Name)).Select(static made => made.Make)])
        {
            InQuick = false,
            Reference = names[1],
            Finding = result => Paired(result, names[0], names[1]),
            Rounds = new RoundPlan { FirstOperations = 16, Rounds = RoundsBesideByHand },
        };
    }

    // Of rounds that ran next to each other: two medians apart say less.
    private static CaseFinding? Paired(CaseResult result, string ours, string byHand) => result.Ratio(ours, byHand) is not { } ratio ? null : new CaseFinding(
        string.Create(CultureInfo.InvariantCulture, $"{result.Name}: {ours} has {ratio.Median:0.000} [{ratio.Low:0.000}–{ratio.High:0.000}] of the speed of {byHand}."),
        [
            new ResultRow
            {
                Case = $"{result.Name} ratios", Contestant = $"{ours} over {byHand}", Metric = "ratio", Unit = "x",
                Median = ratio.Median, Low = ratio.Low, High = ratio.High, Min = ratio.Min, Max = ratio.Max, Rounds = ratio.Rounds, Verified = true,
            },
        ],
        []);

    private static IEnumerable<SuiteCase> Of(BatchingCase kind)
    {
        yield return Of(kind, "", kind.Description, MetricKind.Throughput, Arrival.AtOnce);
        if (kind.Rate is not { } rate) yield break;
        yield return Of(kind, " at half speed", $"{kind.Description}; at half of each one's own speed", MetricKind.Latency, Arrival.HalfSpeed) with { Compared = null };
        string atRate = string.Create(CultureInfo.InvariantCulture, $"{kind.Description}; {rate:N0} jobs/s for each");
        yield return Of(kind, " at a fixed rate", atRate, MetricKind.Latency, Arrival.FixedRate) with
        {
            Rounds = RoundPlan.Paced(TimeSpan.FromSeconds(1 / rate)),
        };
    }

    private static SuiteCase Of(BatchingCase kind, string behind, string description, MetricKind metric, Arrival arrival) =>
        new(kind.Name + behind, description, metric, [.. Contestants(kind, arrival, kind.Sizes, kind.Sizes)])
        {
            QuickContestants = [.. Contestants(kind, arrival, s_quickSizes, s_quickSizes[^1..])],
            Along = new Axis(SizeKnob, SizeUnit),
            Reference = SingleName,
            Finding = result => arrival == Arrival.AtOnce ? CallCost.Of(result, kind.Width) : null,
            InQuick = kind.InQuick && arrival == Arrival.AtOnce,
            Rounds = new RoundPlan { FirstOperations = 16, Preparation = arrival == Arrival.HalfSpeed ? HalfSpeed.Usual : TimeSpan.Zero },
        };

    // What a kind of work needs is looked for when a contestant is made: commands that measure nothing of it do not wait for that.
    private static IEnumerable<Func<IContestant>> Contestants(
        BatchingCase kind, Arrival arrival, IReadOnlyList<int> sizes, IReadOnlyList<int> byHand) =>
        Made(kind, arrival, sizes, byHand).Select<(string Name, Func<IContestant> Make), Func<IContestant>>(
            one => () => kind.Missing() is { } reason ? new AbsentContestant(one.Name, reason) : one.Make());

    /// <summary>The contestants of a kind, by name, with loops by hand of the same sizes.</summary>
    internal static IEnumerable<(string Name, Func<IContestant> Make)> Made(BatchingCase kind, Arrival arrival, IReadOnlyList<int> sizes) =>
        Made(kind, arrival, sizes, sizes);

    private static IEnumerable<(string Name, Func<IContestant> Make)> Made(
        BatchingCase kind, Arrival arrival, IReadOnlyList<int> sizes, IReadOnlyList<int> byHand)
    {
        foreach (int size in sizes) yield return Ours($"batch/{size}", Dispatch.Batch(max: size), Knob(size));
        yield return Ours("default", Dispatch.Batch());
        yield return Ours("single", Dispatch.Single);
        yield return Ours("each", Dispatch.Each());
        if (arrival != Arrival.AtOnce)
        {
            foreach (int min in s_mins) yield return Ours($"min/{min}", Aged(min, 1), Knob(min));
            foreach (double age in s_otherAges)
                yield return Ours(string.Create(CultureInfo.InvariantCulture, $"min-{s_mins[^1]}-age-{age}ms"), Aged(s_mins[^1], age));
        }

        yield return ("channel", () => new ChannelBatching("channel", kind, arrival, 1));
        yield return ("channel-batched", () => new ChannelBatching("channel-batched", kind, arrival, s_channelMost));
        if (arrival != Arrival.AtOnce) yield break;
        foreach (int size in byHand)
        {
            string name = $"by-hand/{size}";
            yield return (name, () => new ByHand(name, kind, arrival, size) { Knobs = Knob(size) });
        }

        foreach ((string Name, Func<IContestant> Make) beside in kind.Beside) yield return beside;

        (string, Func<IContestant>) Ours(string name, Dispatch dispatch, IReadOnlyDictionary<string, string>? knobs = null) =>
            ($"raceway/{name}", () => new RacewayBatching($"raceway/{name}", kind, arrival, dispatch) { Knobs = knobs });
    }

    private static Dispatch Aged(int min, double milliseconds) => Dispatch.Batch(min: min, maxAge: TimeSpan.FromMilliseconds(milliseconds));

    private static Dictionary<string, string> Knob(int size) =>
        new() { [SizeKnob] = size.ToString(CultureInfo.InvariantCulture) };
}
