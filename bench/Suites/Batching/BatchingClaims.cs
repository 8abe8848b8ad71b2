using Raceway.Measuring;

namespace Raceway.Suites.Batching;

/// <summary>What is said of the batching suite, and checked by every run of it.</summary>
public static class BatchingClaims
{
    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        // Disks.
        Over("1a", "records synced 512 at a time, a sync per record", "disk-128", Ours(512), BatchingCases.SingleName, 50),
        Over("1b", "records of 128 bytes, a loop of the same groups", "disk-128-by-hand", Ours(512), "by-hand/512", SameAsByHand),
        Over("1c", "records of 1,024 bytes, a loop of the same groups", "disk-1k-by-hand", Ours(64), "by-hand/64", SameAsByHand),

        // Networks.
        OverSingle("2a", "lines over a connection, a write per line", "network", 5),
        OverSingle("2b", "lines stored by RabbitMQ, a confirm per line", "rabbit", 50),
        OverSingle("2c", "lines stored by RabbitMQ, a message per line and 500 under way", "rabbit-window", 10),
        Over("2d", "lines over a link, a message per line and 500 under way", "rabbit-window", "raceway/link", BatchingCases.SingleName, 10),

        // Databases.
        OverSingle("3a", "rows by binary COPY, an INSERT per row", "postgres-copy", 20),
        OverSingle("3b", "rows by a batch of INSERTs, an INSERT per row", "postgres-batch", 5),
        OverSingle("3c", "rows by a transaction per batch, a transaction per row", "sqlite", 20),

        // Compression.
        OverSingle("4a", "lines compressed, a frame per line", "compress", 1.5),
        OverSingle("4b", "how small lines become, a frame per line", "compress", 2) with { Metric = "ratio", MoreIsBetter = true },
    ];

    // Within 10 %.
    private const double SameAsByHand = 0.9;

    private static string Ours(int size) => $"raceway/batch/{size}";

    // With the default settings: batches of what is there.
    private static Claim OverSingle(string number, string text, string name, double bound) =>
        Over(number, text, name, BatchingCases.DefaultName, BatchingCases.SingleName, bound);

    private static Claim Over(string number, string text, string name, string ours, string peer, double bound) =>
        new() { Number = number, Text = text, Case = name, Ours = ours, Peers = [peer], Bound = bound };
}
