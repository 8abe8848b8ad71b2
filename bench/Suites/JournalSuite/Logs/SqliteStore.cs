using Microsoft.Data.Sqlite;
using Raceway.Suites.Batching.Database;

namespace Raceway.Suites.JournalSuite.Logs;

/// <summary>A table of SQLite with a write-ahead log that is synced at each commit (<c>synchronous=FULL</c>): a group is a transaction.</summary>
internal sealed class SqliteStore : IGroupStore
{
    private readonly string _file;
    private readonly int _length;
    private readonly SqliteConnection _connection;
    private readonly SqliteCommand _insert;
    private readonly SqliteParameter _id = new("$id", SqliteType.Integer);
    private readonly SqliteParameter _body;

    public SqliteStore(string folder, int length)
    {
        _file = Path.Combine(folder, "items.db");
        _length = length;
        _connection = Open();
        Execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE items (id INTEGER PRIMARY KEY, body BLOB NOT NULL)");
        // Its bytes are copied when they are bound, so one array serves all items.
        _body = new SqliteParameter("$body", SqliteType.Blob) { Value = new byte[length] };
        _insert = _connection.CreateCommand();
        _insert.CommandText = "INSERT INTO items (id, body) VALUES ($id, $body)";
        _insert.Parameters.AddRange(new[] { _id, _body });
    }

    public void Begin() => Execute("DROP TABLE items; CREATE TABLE items (id INTEGER PRIMARY KEY, body BLOB NOT NULL); PRAGMA wal_checkpoint(TRUNCATE)");

    public void Append(Span<byte> items, long first, int count)
    {
        using SqliteTransaction transaction = _connection.BeginTransaction();
        _insert.Transaction = transaction;
        int at = GroupCommit.Room;
        for (int i = 0; i < count; i++, at += GroupCommit.Room + _length)
        {
            items.Slice(at, _length).CopyTo((byte[])_body.Value!);
            _id.Value = first + i;
            _insert.ExecuteNonQuery();
        }

        transaction.Commit();
        _insert.Transaction = null;
    }

    public void ReadBack(long count, StoredReader item)
    {
        // Another connection sees only what is committed.
        using SqliteConnection connection = Open();
        using SqliteCommand query = connection.CreateCommand();
        query.CommandText = "SELECT body FROM items ORDER BY id LIMIT $count";
        query.Parameters.AddWithValue("$count", count);
        using SqliteDataReader rows = query.ExecuteReader();
        byte[] body = new byte[_length];
        while (rows.Read()) item(body.AsSpan(0, (int)rows.GetBytes(0, 0, body, 0, body.Length)));
    }

    public void Dispose()
    {
        _insert.Dispose();
        _connection.Dispose();
    }

    private SqliteConnection Open() => SqliteLibrary.Open(_file);

    private void Execute(string text)
    {
        using SqliteCommand command = _connection.CreateCommand();
        command.CommandText = text;
        command.ExecuteNonQuery();
    }
}
