using System.Globalization;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Suites.Batching.Database;
using Raceway.Suites.JournalSuite.Logs;
using Raceway.Suites.JournalSuite.Replays;

namespace Raceway.Suites.JournalSuite;

/// <summary>The cases of <c>compare --suite journal</c>: items that are durable before they are acknowledged.</summary>
/// <remarks>
/// An operation is an item that was acknowledged, and is read back after the round. <c>raceway/default</c> acknowledges by a stage
/// behind the journal, <c>raceway/publisher</c> by a durable publish of each item. <c>by-hand</c> is a group commit without a ring,
/// <c>sync-per-item</c> the same with groups of one, <c>sqlite</c> the same with a transaction for each group, <c>raw</c> a bare sync
/// between two bare wake-ups.
/// </remarks>
public static class JournalCases
{
    internal const string ByHand = "by-hand";

    private const string Sqlite = "sqlite";

    private const long BufferBytes = 16 << 20;
    private const int MostItems = 16_384;
    private const int ItemsOfSyncs = 64;
    private const double MostBytesOfRate = 150e6;

    // Long enough for segments to be made in it.
    private const double SustainedRound = 8;
    private const int SustainedRounds = 6;

    // In a second there are few: rounds last longer, for the sake of the last percentile.
    private const double FewOfSecond = 10_000;
    private const double LongRound = 4;

    private static readonly (string Name, int Length)[] s_sizes = [("128", 128), ("1k", 1_024), ("64k", 64 << 10)];
    private static readonly (string Name, int Length)[] s_groups = [("4k", 4 << 10), ("64k", 64 << 10), ("1m", 1 << 20)];
    private static readonly (string Name, double Rate)[] s_rates = [("1e3", 1e3), ("1e4", 1e4), ("1e5", 1e5), ("1e6", 1e6)];

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } = [.. Stored(), .. Sustained(), .. AtRates(), Idle(), Replayed(), .. OfBlocks()];

    /// <summary>The ways to make items of a size durable, by name.</summary>
    internal static IEnumerable<(string Name, Func<string, DurableLog> Open)> Logs(int length)
    {
        int capacity = (int)Math.Min(BufferBytes / length, MostItems);
        // The loop by hand has two buffers of that size: one is filled while the other is stored. A ring holds both parts.
        int ring = 2 * capacity;
        yield return ("raceway/default", folder => length switch
        {
            128 => new StageLog<Bytes128, StructForm<Bytes128>>(folder, ring),
            1_024 => new StageLog<Bytes1K, StructForm<Bytes1K>>(folder, ring),
            _ => new StageLog<byte[], ArrayForm>(folder, ring),
        });
        yield return ("raceway/publisher", folder => length switch
        {
            128 => new PublisherLog<Bytes128, StructForm<Bytes128>>(folder, capacity),
            1_024 => new PublisherLog<Bytes1K, StructForm<Bytes1K>>(folder, capacity),
            _ => new PublisherLog<byte[], ArrayForm>(folder, capacity),
        });
        yield return (ByHand, folder => new GroupCommit(new FileStore(folder, length), length, capacity));
        yield return ("sync-per-item", folder => new GroupCommit(new FileStore(folder, length), length, ItemsOfSyncs, most: 1));
        yield return ("fasterlog", folder => new FasterPeer(folder, length, isFast: false));
        yield return ("fasterlog/fast-commit", folder => new FasterPeer(folder, length, isFast: true));
        yield return (Sqlite, folder => new GroupCommit(new SqliteStore(folder, length), length, capacity));
    }

    private static IEnumerable<SuiteCase> Stored() => s_sizes.Select(static size => new SuiteCase(
        $"store-{size.Name}", $"items of {size.Length:N0} bytes, as fast as they become durable", MetricKind.Throughput, [.. Contestants(size.Length)])
    {
        Reference = ByHand,
        InQuick = size.Name == "128",
        Rounds = new RoundPlan { FirstOperations = 16 },
    });

    private static IEnumerable<SuiteCase> Sustained() => s_sizes.Where(static size => size.Name != "1k").Select(static size => new SuiteCase(
        $"sustained-{size.Name}", $"items of {size.Length:N0} bytes for longer, so that segments are made meanwhile: what is written for a byte",
        MetricKind.Throughput, [.. Contestants(size.Length, names: ["raceway/default", "raceway/publisher", ByHand, "fasterlog", "fasterlog/fast-commit", "sqlite"])])
    {
        Reference = ByHand,
        InQuick = false,
        Rounds = new RoundPlan { FirstOperations = 16, Stretch = SustainedRound, Rounds = SustainedRounds },
    });

    private static IEnumerable<SuiteCase> AtRates() =>
        from size in s_sizes
        from rate in s_rates
        where size.Length * rate.Rate <= MostBytesOfRate
        select new SuiteCase(
            $"ack-{size.Name}-{rate.Name}",
            string.Create(CultureInfo.InvariantCulture, $"{rate.Rate:N0} items/s of {size.Length:N0} bytes, from when each is due until it is acknowledged"),
            MetricKind.Latency, [.. Contestants(size.Length, new Pace(rate.Rate))])
        {
            Reference = ByHand,
            InQuick = size.Name == "128" && rate.Name == "1e4",
            QuickContestants = [.. Contestants(size.Length, new Pace(rate.Rate), ["raceway/default", "raceway/publisher", ByHand, "fasterlog/fast-commit", "sqlite"])],
            Load = new OfferedLoad($"ack-{size.Name}", rate.Rate),
            Rounds = RoundPlan.Paced(TimeSpan.FromSeconds(1 / rate.Rate)) with { Stretch = rate.Rate <= FewOfSecond ? LongRound : 1 },
        };

    private static SuiteCase Idle() => new(
        "ack-idle", "one item of 128 bytes at a time, after a pause of 1 ms: from publishing until its publisher goes on", MetricKind.Latency,
        [
            .. Contestants(128, new Pace(IsOneByOne: true), ["raceway/default", "raceway/publisher", ByHand, "fasterlog", "fasterlog/fast-commit", "sqlite"]),
            static () => new JournalContestant("raw", 128, new Pace(IsOneByOne: true), static folder => new BareSync(folder, 128)),
        ])
    {
        Reference = "raw",
        Rounds = new RoundPlan { FirstOperations = 4, Stretch = LongRound },
    };

    private static SuiteCase Replayed() => new(
        "replay-128", "items of 128 bytes, read from files that memory holds, into a state that is compared", MetricKind.Throughput,
        [
            Replay("raceway/default", Plan.Auto),
            Replay("raceway/shared-ring", Plan.SharedRing),
            Replay("raceway/fused", Plan.Fused),
            Replay("raceway/ring-per-stage", Plan.RingPerStage),
            Replay("raceway/pooled", Plan.Pooled),
            .. Replays([ByHand, "fasterlog", "sqlite"]),
        ])
    {
        Reference = ByHand,
        QuickContestants =
        [
            Replay("raceway/default", Plan.Auto),
            Replay("raceway/ring-per-stage", Plan.RingPerStage),
            .. Replays([ByHand, "fasterlog"]),
        ],
        // Storing the items first takes its time, too.
        Rounds = new RoundPlan { FirstOperations = 1_000, Stretch = LongRound },
    };

    private static IEnumerable<SuiteCase> OfBlocks() => s_groups.Select(static group => new SuiteCase(
        $"blocks-{group.Name}", $"a write of {group.Length:N0} bytes and its sync, by what the file has at the place", MetricKind.Latency,
        [
            () => new BlockContestant("blocks-written", group.Length, Blocks.Written),
            () => new BlockContestant("blocks-reserved", group.Length, Blocks.Reserved),
            () => new BlockContestant("blocks-none", group.Length, Blocks.None),
        ])
    {
        Reference = "blocks-written",
        InQuick = false,
        Rounds = new RoundPlan { FirstOperations = 4 },
    });

    private static Func<IContestant> Replay(string name, Plan plan) =>
        () => new ReplayContestant(name, (folder, state) => new PipelineReplay(folder, state, plan));

    private static IEnumerable<Func<IContestant>> Replays(string[] names) =>
        Logs(128).Where(log => names.Contains(log.Name)).Select<(string Name, Func<string, DurableLog> Open), Func<IContestant>>(
            static log => () => Made(log.Name, () => new ReplayContestant(log.Name, (folder, _) => new LogReplay(log.Open(folder)))));

    private static IEnumerable<Func<IContestant>> Contestants(int length, Pace pace = default, IReadOnlyList<string>? names = null) =>
        Logs(length).Where(log => names?.Contains(log.Name) ?? true)
            .Select<(string Name, Func<string, DurableLog> Open), Func<IContestant>>(log => () => Made(log.Name, () => new JournalContestant(log.Name, length, pace, log.Open)));

    // What a log needs is looked for when a contestant is made: commands that measure nothing of it do not wait for that.
    private static IContestant Made(string name, Func<IContestant> make) =>
        name == Sqlite && SqliteLibrary.Missing is { } reason ? new AbsentContestant(name, reason) : make();
}
