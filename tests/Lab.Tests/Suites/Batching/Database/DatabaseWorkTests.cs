using System.Data.Common;
using Microsoft.Data.Sqlite;
using Raceway.Suites.Batching;
using Raceway.Suites.Batching.Database;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>The works of the batching suite that store rows: what they verify, by rows that are spoilt behind their back.</summary>
[Collection(Server.Collection)]
public sealed class DatabaseWorkTests
{
    private const int Jobs = 200;

    public static TheoryData<string> Spoils =>
    [
        "DELETE FROM {0} WHERE id = 7",
        "DELETE FROM {0} WHERE id = 0",
        "DELETE FROM {0} WHERE id = 199",
        "INSERT INTO {0} SELECT 200, body FROM {0} WHERE id = 199",
        "INSERT INTO {0} SELECT -1, body FROM {0} WHERE id = 199",
        // One row in the place of another; and two that have changed places.
        "UPDATE {0} SET body = (SELECT body FROM {0} WHERE id = 8) WHERE id = 7",
        "UPDATE {0} SET id = -1 WHERE id = 7; UPDATE {0} SET id = 7 WHERE id = 8; UPDATE {0} SET id = 8 WHERE id = -1",
        // The same rows, and a gap.
        "UPDATE {0} SET id = 1000 WHERE id = 199",
    ];

    [Theory]
    [MemberData(nameof(Spoils))]
    public void Sqlite_SpoiltRows_AreNotVerified(string spoil) => Check(new SqliteWork(), spoil);

    [Fact]
    public void Sqlite_ChangedByte_IsNotVerified() => Check(new SqliteWork(), "UPDATE {0} SET body = CAST('x' || substr(body, 2) AS BLOB) WHERE id = 7");

    [ServerTheory]
    [MemberData(nameof(Spoils))]
    public void PostgresBatch_SpoiltRows_AreNotVerified(string spoil) => Check(new PostgresBatchWork(), spoil);

    [ServerTheory]
    [MemberData(nameof(Spoils))]
    public void PostgresCopy_SpoiltRows_AreNotVerified(string spoil) => Check(new PostgresCopyWork(), spoil);

    [ServerFact]
    public void PostgresBatch_ChangedByte_IsNotVerified() => Check(new PostgresBatchWork(), "UPDATE {0} SET body = set_byte(body, 0, 0) WHERE id = 7");

    [ServerFact]
    public void PostgresCopy_ChangedByte_IsNotVerified() => Check(new PostgresCopyWork(), "UPDATE {0} SET body = set_byte(body, 0, 0) WHERE id = 7");

    private static void Check(IBatchWork work, string spoil)
    {
        using (work)
        {
            // Twice: what a round leaves is not in the next.
            for (int round = 0; round < 2; round++)
            {
                work.Begin();
                Do(work);
                Assert.True(work.Verify(Jobs));
                Assert.False(work.Verify(Jobs - 1));
                Assert.False(work.Verify(Jobs + 1));
            }

            Spoil(work, spoil);
            Assert.False(work.Verify(Jobs));
            work.Begin();
            Assert.True(work.Verify(0));
        }
    }

    // Calls of one job, of few, and of many: larger and smaller ones in turn.
    private static void Do(IBatchWork work)
    {
        int[] sizes = [1, 5, 64, 2, 1, 100];
        long next = 0;
        for (int call = 0; next < Jobs; call++)
        {
            int size = (int)Math.Min(sizes[call % sizes.Length], Jobs - next);
            work.Do([.. Enumerable.Range(0, size).Select(i => new Job(next + i, 0))]);
            next += size;
        }

        work.Complete();
    }

    private static void Spoil(IBatchWork work, string spoil)
    {
        using DbConnection connection = work is SqliteWork file ? new SqliteConnection($"Data Source={file.File};Pooling=False") : Server.Open();
        if (work is SqliteWork) connection.Open();
        using DbCommand command = connection.CreateCommand();
        command.CommandText = string.Format(null, spoil, work is PostgresWork rows ? rows.Table : "rows");
        Assert.True(command.ExecuteNonQuery() > 0);
    }
}
