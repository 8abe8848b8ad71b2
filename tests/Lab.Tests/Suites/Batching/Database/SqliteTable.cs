using System.Data.Common;
using Microsoft.Data.Sqlite;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>Rows in a file of SQLite.</summary>
internal sealed class SqliteTable : RowTable
{
    private readonly TempFolder _folder = new();
    private int _mostPages = int.MaxValue;

    public SqliteTable()
    {
        using SqliteConnection connection = Open();
        Execute(
            connection,
            $"""
            PRAGMA journal_mode=WAL;
            CREATE TABLE parents (id INTEGER PRIMARY KEY);
            INSERT INTO parents VALUES ({Row.Known});
            CREATE TABLE rows (
                stored INTEGER PRIMARY KEY,
                id INTEGER NOT NULL UNIQUE,
                body TEXT NOT NULL CHECK (body <> '{Row.BadBody}'),
                parent INTEGER NOT NULL REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
            """);
    }

    /// <summary>The pages that the file may have for the handler: with no more, its disk is full.</summary>
    public int MostPages
    {
        get => Volatile.Read(ref _mostPages);
        set => Volatile.Write(ref _mostPages, value);
    }

    /// <summary>The pages that the file has.</summary>
    public int Pages
    {
        get
        {
            using SqliteConnection connection = Open();
            using SqliteCommand query = connection.CreateCommand();
            query.CommandText = "PRAGMA page_count";
            return (int)(long)query.ExecuteScalar()!;
        }
    }

    protected override string ReadText => "SELECT id, body, parent FROM rows ORDER BY stored";

    /// <summary>A connection that keeps all others from writing until it is closed.</summary>
    public SqliteConnection Lock()
    {
        SqliteConnection connection = Open();
        Execute(connection, "BEGIN IMMEDIATE");
        return connection;
    }

    public override void Dispose() => _folder.Dispose();

    protected override DbConnection Connect() => Open();

    protected override int Store(Batch<Row> batch)
    {
        using SqliteConnection connection = Open();
        Execute(connection, $"PRAGMA synchronous=FULL; PRAGMA max_page_count={MostPages}");
        using SqliteTransaction transaction = connection.BeginTransaction();
        using SqliteCommand insert = connection.CreateCommand();
        insert.Transaction = transaction;
        insert.CommandText = "INSERT INTO rows (id, body, parent) VALUES ($id, $body, $parent) ON CONFLICT (id) DO NOTHING";
        SqliteParameter id = insert.Parameters.Add("$id", SqliteType.Integer);
        SqliteParameter body = insert.Parameters.Add("$body", SqliteType.Text);
        SqliteParameter parent = insert.Parameters.Add("$parent", SqliteType.Integer);
        int inserted = 0;
        foreach (ref Row row in batch)
        {
            (id.Value, body.Value, parent.Value) = (row.Id, row.Body, row.Parent);
            inserted += insert.ExecuteNonQuery();
        }

        transaction.Commit();
        return inserted;
    }

    // A locked file is waited for a second, which is the shortest time that the driver takes.
    private SqliteConnection Open()
    {
        var connection = new SqliteConnection($"Data Source={_folder.File("rows.db")};Pooling=False;Foreign Keys=True;Default Timeout=1");
        connection.Open();
        return connection;
    }

    private static void Execute(SqliteConnection connection, string text)
    {
        using SqliteCommand command = connection.CreateCommand();
        command.CommandText = text;
        command.ExecuteNonQuery();
    }
}
