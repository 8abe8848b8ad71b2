using System.Data.Common;
using Npgsql;
using NpgsqlTypes;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>Rows in PostgreSQL.</summary>
internal sealed class PostgresTable : RowTable
{
    private readonly string _name = $"rows_{Guid.NewGuid():N}";
    private readonly NpgsqlDataSource _source;
    private readonly bool _copies;

    public PostgresTable(Way way)
    {
        _copies = way == Way.Copy;
        Server.Execute(
            $"""
            CREATE TABLE {_name}_parents (id integer PRIMARY KEY);
            INSERT INTO {_name}_parents VALUES ({Row.Known});
            CREATE TABLE {_name} (
                id bigint PRIMARY KEY,
                body text NOT NULL CHECK (body <> '{Row.BadBody}'),
                parent integer NOT NULL REFERENCES {_name}_parents DEFERRABLE INITIALLY DEFERRED,
                stored bigint GENERATED ALWAYS AS IDENTITY);
            """);
        _source = NpgsqlDataSource.Create(Server.ConnectionString);
    }

    public string Name => _name;

    protected override string ReadText => $"SELECT id, body, parent FROM {_name} ORDER BY stored";

    public override void Dispose()
    {
        _source.Dispose();
        Server.Execute($"DROP TABLE {_name}, {_name}_parents");
    }

    protected override DbConnection Connect() => Server.Open();

    protected override int Store(Batch<Row> batch)
    {
        using NpgsqlConnection connection = _source.OpenConnection();
        return _copies ? Copy(connection, batch) : Insert(connection, batch);
    }

    private int Insert(NpgsqlConnection connection, Batch<Row> batch)
    {
        using NpgsqlBatch inserts = connection.CreateBatch();
        foreach (ref Row row in batch)
        {
            inserts.BatchCommands.Add(
                new NpgsqlBatchCommand($"INSERT INTO {_name} (id, body, parent) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING")
                {
                    Parameters = { new() { Value = row.Id }, new() { Value = row.Body }, new() { Value = row.Parent } },
                });
        }

        return inserts.ExecuteNonQuery();
    }

    private int Copy(NpgsqlConnection connection, Batch<Row> batch)
    {
        using NpgsqlTransaction transaction = connection.BeginTransaction();
        Execute($"CREATE TEMPORARY TABLE staged (id bigint, body text, parent integer) ON COMMIT DROP");
        using (NpgsqlBinaryImporter rows = connection.BeginBinaryImport("COPY staged (id, body, parent) FROM STDIN (FORMAT BINARY)"))
        {
            foreach (ref Row row in batch)
            {
                rows.StartRow();
                rows.Write(row.Id, NpgsqlDbType.Bigint);
                rows.Write(row.Body, NpgsqlDbType.Text);
                rows.Write(row.Parent, NpgsqlDbType.Integer);
            }

            rows.Complete();
        }

        int inserted = Execute($"INSERT INTO {_name} (id, body, parent) SELECT id, body, parent FROM staged ORDER BY id ON CONFLICT (id) DO NOTHING");
        transaction.Commit();
        return inserted;

        int Execute(string text)
        {
            using var command = new NpgsqlCommand(text, connection, transaction);
            return command.ExecuteNonQuery();
        }
    }
}
