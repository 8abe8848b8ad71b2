using System.Data;
using System.Globalization;
using Npgsql;

namespace Raceway.Suites.Batching.Database;

/// <summary>Inserts messages into a table of PostgreSQL. When a call returns, its rows are committed, and the server has synced them.</summary>
/// <remarks>A call of one job is one prepared INSERT, as in a program without batches. What a call of several is, differs.</remarks>
internal abstract class PostgresWork : IBatchWork
{
    private static int s_tables;

    private readonly NpgsqlCommand _insert;
    private readonly Row _row = new();

    /// <summary>Creates the table, and a connection that stays.</summary>
    protected PostgresWork()
    {
        Table = string.Create(CultureInfo.InvariantCulture, $"raceway_{Environment.ProcessId}_{Interlocked.Increment(ref s_tables)}");
        Connection = new NpgsqlConnection(PostgresServer.ConnectionString);
        Connection.Open();
        Execute($"CREATE TABLE {Table} (id bigint PRIMARY KEY, body bytea NOT NULL)");
        _insert = new NpgsqlCommand(InsertText, Connection) { Parameters = { _row.Id, _row.Body } };
        _insert.Prepare();
    }

    /// <summary>The table. No other contestant has it.</summary>
    public string Table { get; }

    /// <summary>The connection that writes.</summary>
    protected NpgsqlConnection Connection { get; }

    /// <summary>The statement that inserts a row, with its id and its body as parameters.</summary>
    protected string InsertText => $"INSERT INTO {Table} (id, body) VALUES ($1, $2)";

    /// <inheritdoc/>
    public void Begin() => Execute($"TRUNCATE {Table}");

    /// <inheritdoc/>
    public void Do(ReadOnlySpan<Job> jobs)
    {
        if (jobs.Length > 1)
        {
            DoTogether(jobs);
            return;
        }

        _row.Set(jobs[0]);
        _insert.ExecuteNonQuery();
    }

    /// <inheritdoc/>
    public void Complete()
    {
    }

    /// <inheritdoc/>
    public bool Verify(long jobs)
    {
        // Another connection sees only what is committed.
        using var connection = new NpgsqlConnection(PostgresServer.ConnectionString);
        connection.Open();
        using var query = new NpgsqlCommand($"SELECT id, body FROM {Table} ORDER BY id", connection);
        using NpgsqlDataReader rows = query.ExecuteReader(CommandBehavior.SequentialAccess);
        return StoredRows.AreFirst(rows, Corpus.Lines, jobs);
    }

    /// <inheritdoc/>
    public virtual void Dispose()
    {
        try
        {
            if (Connection.State == ConnectionState.Open) Execute($"DROP TABLE {Table}");
        }
        catch (NpgsqlException)
        {
            // The server has ended. There is nothing left to clean up by way of this connection.
        }

        _insert.Dispose();
        Connection.Dispose();
    }

    /// <summary>Inserts the messages of several jobs in one transaction.</summary>
    protected abstract void DoTogether(ReadOnlySpan<Job> jobs);

    private void Execute(string text)
    {
        using var command = new NpgsqlCommand(text, Connection);
        command.ExecuteNonQuery();
    }

    /// <summary>The parameters of one INSERT, used again for each job.</summary>
    protected sealed class Row
    {
        /// <summary>The id: the job's index.</summary>
        public NpgsqlParameter<long> Id { get; } = new();

        /// <summary>The body: the job's message, which is not copied.</summary>
        public NpgsqlParameter<ReadOnlyMemory<byte>> Body { get; } = new();

        /// <summary>Takes the values of a job.</summary>
        public void Set(Job job)
        {
            Id.TypedValue = job.Index;
            Body.TypedValue = Corpus.Lines.MemoryOf(job.Index);
        }
    }
}
