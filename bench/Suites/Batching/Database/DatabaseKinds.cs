namespace Raceway.Suites.Batching.Database;

/// <summary>Rows stored in a database: what a batch saves is the round trip, the statement and the sync of a commit.</summary>
internal static class DatabaseKinds
{
    // A commit is a sync: one at a time, a disk does some hundreds to some thousands a second.
    private const double Rate = 20_000;

    /// <summary>The kinds.</summary>
    public static IReadOnlyList<BatchingCase> All { get; } =
    [
        Postgres("postgres-batch", "a row of 95 bytes, inserted into PostgreSQL; a batch is one round trip and one commit", static () => new PostgresBatchWork()),
        Postgres("postgres-copy", "a row of 95 bytes, inserted into PostgreSQL; a batch is one binary COPY", static () => new PostgresCopyWork()),
        new("sqlite", "a row of 95 bytes, inserted into SQLite; a batch is one transaction, synced once", Rate, static _ => new SqliteWork())
        {
            Missing = static () => SqliteLibrary.Missing,
        },
    ];

    private static BatchingCase Postgres(string name, string description, Func<IBatchWork> create) =>
        new(name, description, Rate, _ => create())
        {
            InQuick = false,
            Missing = static () => PostgresServer.Missing,
            Servants = 1,
        };
}
