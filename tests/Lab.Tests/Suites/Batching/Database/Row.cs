namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>What the pipelines of these tests store.</summary>
/// <param name="Id">Its key.</param>
/// <param name="Body">Its text. <see cref="BadBody"/> is not allowed.</param>
/// <param name="Parent">A row of another table: <see cref="Known"/> is there. Checked when a transaction is committed.</param>
internal readonly record struct Row(long Id, string Body, int Parent)
{
    public const string BadBody = "bad";
    public const int Known = 1;
    public const int Unknown = 2;

    public static Row Good(long id) => new(id, $"row {id}", Known);
}

/// <summary>How a row is bad.</summary>
internal enum Flaw
{
    /// <summary>Its statement fails.</summary>
    Check,

    /// <summary>Its statement succeeds, and the commit fails.</summary>
    AtCommit,
}

/// <summary>How the rows of a batch are stored.</summary>
internal enum Way
{
    /// <summary>A statement each, in one NpgsqlBatch.</summary>
    Batch,

    /// <summary>By COPY into a staging table, and from there by one statement.</summary>
    Copy,

    /// <summary>By SQLite, a transaction.</summary>
    Sqlite,
}
