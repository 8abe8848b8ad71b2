using Raceway.Measuring;

namespace Raceway.Suites.Batching;

/// <summary>What is said of the batching suite, and checked by every run of it.</summary>
public static class BatchingClaims
{
    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        // Databases.
        OverSingle("3a", "rows by binary COPY, an INSERT per row", "postgres-copy", 20),
        OverSingle("3b", "rows by a batch of INSERTs, an INSERT per row", "postgres-batch", 5),
        OverSingle("3c", "rows by a transaction per batch, a transaction per row", "sqlite", 20),
    ];

    // The default settings: batches of what is there.
    private static Claim OverSingle(string number, string text, string name, double bound) => new()
    {
        Number = number, Text = text, Case = name, Ours = BatchingCases.DefaultName, Peers = [BatchingCases.SingleName], Bound = bound,
    };
}
