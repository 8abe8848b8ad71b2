using Npgsql;
using NpgsqlTypes;

namespace Raceway.Suites.Batching.Database;

/// <summary>A call of several jobs is one binary COPY: the rows as a stream, without a statement each, in one transaction.</summary>
internal sealed class PostgresCopyWork : PostgresWork
{
    private readonly string _text;

    public PostgresCopyWork() => _text = $"COPY {Table} (id, body) FROM STDIN (FORMAT BINARY)";

    protected override void DoTogether(ReadOnlySpan<Job> jobs)
    {
        using NpgsqlBinaryImporter rows = Connection.BeginBinaryImport(_text);
        foreach (ref readonly Job job in jobs)
        {
            rows.StartRow();
            rows.Write(job.Index, NpgsqlDbType.Bigint);
            rows.Write(Corpus.Lines.MemoryOf(job.Index), NpgsqlDbType.Bytea);
        }

        rows.Complete();
    }
}
