using System.Data.Common;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>A table for rows, and the handler that stores a batch in it as a user would write it: one transaction, committed when it returns.</summary>
/// <remarks>
/// A batch that comes again may have been committed before: the connection may end between a commit and its answer. So rows that are
/// there are left as they are. A handler keeps nothing from one call to the next; connections are the driver's pool's business.
/// </remarks>
internal abstract class RowTable : IBatchHandler<Row>, IDisposable
{
    private readonly object _gate = new();
    private readonly List<long> _acknowledged = [];
    private readonly List<(long First, int Count)> _calls = [];
    private long _inserted;

    /// <summary>Each call: its first row, and how many.</summary>
    public IReadOnlyList<(long First, int Count)> Calls => Copied(_calls);

    /// <summary>The rows of the calls that have returned, in their order.</summary>
    public IReadOnlyList<long> Acknowledged => Copied(_acknowledged);

    /// <summary>How many there are.</summary>
    public int AcknowledgedCount
    {
        get
        {
            lock (_gate) return _acknowledged.Count;
        }
    }

    /// <summary>Rows that calls which returned have added. What they found to be there is not among them.</summary>
    public long Inserted => Volatile.Read(ref _inserted);

    public static RowTable Create(Way way) => way == Way.Sqlite ? new SqliteTable() : new PostgresTable(way);

    public void OnBatch(Batch<Row> batch)
    {
        lock (_gate) _calls.Add((batch[0].Id, batch.Count));
        int inserted = Store(batch);
        lock (_gate)
        {
            foreach (ref Row row in batch) _acknowledged.Add(row.Id);
            _inserted += inserted;
        }
    }

    /// <summary>The rows that are committed, in the order in which they were stored.</summary>
    public IReadOnlyList<Row> Read()
    {
        using DbConnection connection = Connect();
        using DbCommand query = connection.CreateCommand();
        query.CommandText = ReadText;
        using DbDataReader rows = query.ExecuteReader();
        List<Row> all = [];
        while (rows.Read()) all.Add(new Row(rows.GetInt64(0), rows.GetString(1), rows.GetInt32(2)));
        return all;
    }

    public abstract void Dispose();

    protected abstract string ReadText { get; }

    /// <summary>A new connection of a reader, open.</summary>
    protected abstract DbConnection Connect();

    /// <summary>Stores the rows, all or none. Returns how many were not there before.</summary>
    protected abstract int Store(Batch<Row> batch);

    private List<T> Copied<T>(List<T> list)
    {
        lock (_gate) return [.. list];
    }
}
