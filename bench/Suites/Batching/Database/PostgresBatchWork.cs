using Npgsql;

namespace Raceway.Suites.Batching.Database;

/// <summary>A call of several jobs is one <see cref="NpgsqlBatch"/>: an INSERT per row, all sent at once, in one transaction.</summary>
/// <remarks>Npgsql ends a batch by one Sync message, which makes it one transaction without a BEGIN and a COMMIT of its own.</remarks>
internal sealed class PostgresBatchWork : PostgresWork
{
    private readonly NpgsqlBatch _batch;
    private readonly List<(NpgsqlBatchCommand Command, Row Row)> _inserts = [];

    public PostgresBatchWork() => _batch = new NpgsqlBatch(Connection);

    public override void Dispose()
    {
        _batch.Dispose();
        base.Dispose();
    }

    protected override void DoTogether(ReadOnlySpan<Job> jobs)
    {
        SetCount(jobs.Length);
        for (int i = 0; i < jobs.Length; i++) _inserts[i].Row.Set(jobs[i]);
        _batch.ExecuteNonQuery();
    }

    // Commands that have been prepared once stay so: a batch of another size takes some of the same.
    private void SetCount(int count)
    {
        NpgsqlBatchCommandCollection commands = _batch.BatchCommands;
        while (commands.Count > count) commands.RemoveAt(commands.Count - 1);
        bool isNew = _inserts.Count < count;
        while (_inserts.Count < count)
        {
            var row = new Row();
            _inserts.Add((new NpgsqlBatchCommand(InsertText) { Parameters = { row.Id, row.Body } }, row));
        }

        while (commands.Count < count) commands.Add(_inserts[commands.Count].Command);
        if (!isNew) return;
        for (int i = 0; i < count; i++) _inserts[i].Row.Set(default);
        _batch.Prepare();
    }
}
