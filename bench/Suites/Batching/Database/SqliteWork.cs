using Microsoft.Data.Sqlite;

namespace Raceway.Suites.Batching.Database;

/// <summary>Inserts the messages of a call into a file of SQLite, by one transaction: when the call returns, they are on the disk.</summary>
/// <remarks>
/// A write-ahead log, synced at each commit (<c>synchronous=FULL</c>). The file lies in the folder for temporary files, see
/// <see cref="Disk.DiskWork"/>. Each value of a parameter is boxed by ADO.NET's interface: those bytes are the driver's.
/// </remarks>
internal sealed class SqliteWork : IBatchWork
{
    private readonly string _folder = Directory.CreateTempSubdirectory("raceway-").FullName;
    private readonly SqliteConnection _connection;
    private readonly SqliteCommand _insert;
    private readonly SqliteParameter _id = new("$id", SqliteType.Integer);
    private readonly SqliteParameter _body = new("$body", SqliteType.Blob);

    public SqliteWork()
    {
        _connection = Open();
        Execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB NOT NULL)");
        _insert = _connection.CreateCommand();
        _insert.CommandText = "INSERT INTO rows (id, body) VALUES ($id, $body)";
        _insert.Parameters.AddRange(new[] { _id, _body });
    }

    /// <summary>The file.</summary>
    public string File => Path.Combine(_folder, "rows.db");

    private static byte[][] Bodies { get; } = [.. Enumerable.Range(0, Corpus.Count).Select(static i => Corpus.Lines[i].ToArray())];

    public void Begin() => Execute("DELETE FROM rows; PRAGMA wal_checkpoint(TRUNCATE)");

    public void Do(ReadOnlySpan<Job> jobs)
    {
        if (jobs.Length == 1)
        {
            // A statement alone is a transaction by itself.
            Insert(jobs[0]);
            return;
        }

        using SqliteTransaction transaction = _connection.BeginTransaction();
        _insert.Transaction = transaction;
        foreach (ref readonly Job job in jobs) Insert(job);
        transaction.Commit();
        _insert.Transaction = null;
    }

    public void Complete()
    {
    }

    public bool Verify(long jobs)
    {
        // Another connection sees only what is committed.
        using SqliteConnection connection = Open();
        using SqliteCommand query = connection.CreateCommand();
        query.CommandText = "SELECT id, body FROM rows ORDER BY id";
        using SqliteDataReader rows = query.ExecuteReader();
        return StoredRows.AreFirst(rows, Corpus.Lines, jobs);
    }

    public void Dispose()
    {
        _insert.Dispose();
        _connection.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private void Insert(Job job)
    {
        _id.Value = job.Index;
        _body.Value = Bodies[job.Index % Corpus.Count];
        _insert.ExecuteNonQuery();
    }

    private SqliteConnection Open() => SqliteLibrary.Open(File);

    private void Execute(string text)
    {
        using SqliteCommand command = _connection.CreateCommand();
        command.CommandText = text;
        command.ExecuteNonQuery();
    }
}
