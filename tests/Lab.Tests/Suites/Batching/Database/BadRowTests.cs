using System.Data.Common;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>Rows that violate a constraint, in the middle of batches.</summary>
[Collection(Server.Collection)]
public sealed class BadRowTests
{
    private const int Count = 600;

    // In one batch beside each other, at the ends of batches, in the last one.
    private static readonly long[] s_bad = [0, 70, 71, 127, 128, 300, Count - 1];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Sqlite_BadRows_AreDeadLettered_OthersStoredOnce(bool atCommit) => Check(Way.Sqlite, atCommit, retries: 0);

    [ServerTheory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public Task Postgres_BadRows_AreDeadLettered_OthersStoredOnce(bool copies, bool atCommit) =>
        Check(copies ? Way.Copy : Way.Batch, atCommit, retries: 0);

    [Fact]
    public Task Sqlite_BadRows_AreRetriedFirst_ThenDeadLettered() => Check(Way.Sqlite, atCommit: false, retries: 2);

    [ServerFact]
    public Task Postgres_BadRows_AreRetriedFirst_ThenDeadLettered() => Check(Way.Batch, atCommit: false, retries: 2);

    private static async Task Check(Way way, bool atCommit, int retries)
    {
        List<(long Id, long Sequence, Exception Fault)> letters = [];
        FaultPolicy policy = FaultPolicy.DeadLetter((ref Row row, in FaultContext context) => letters.Add((row.Id, context.Sequence, context.Fault)));
        if (retries > 0) policy = FaultPolicy.Retry(retries, policy);
        using RowTable table = RowTable.Create(way);
        await using Pipeline<Row> pipeline = Storing.Run(table, policy);

        Storing.Publish(
            pipeline.CreateProducer(),
            Storing.Good(Count).Select(row => !s_bad.Contains(row.Id) ? row : atCommit ? row with { Parent = Row.Unknown } : row with { Body = Row.BadBody }));
        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Count).Where(static row => !s_bad.Contains(row.Id))]);

        Assert.Equal(s_bad, letters.Select(static letter => letter.Id));
        Assert.Equal(s_bad, letters.Select(static letter => letter.Sequence));
        Assert.All(letters, static letter => Assert.IsType<DbException>(letter.Fault, exactMatch: false));
        Assert.Equal((s_bad.Length, s_bad.Length), (done.DeadLettered, done.Skipped));
        Assert.True(done.Faults > s_bad.Length, $"{done.Faults} faults");
        Assert.True(done.Retries >= retries * s_bad.Length, $"{done.Retries} retries");
        // Nothing was found to be there: a batch that failed had stored nothing.
        Assert.Equal(Count - s_bad.Length, table.Inserted);
        // They were in the middle of whole batches. Others were stored by whole batches.
        Assert.Contains(table.Calls, static call => call.Count == Storing.BatchSize && Array.Exists(s_bad, id => id > call.First && id < call.First + call.Count - 1));
        Assert.Contains(table.Calls, static call => call.Count == Storing.BatchSize && !Array.Exists(s_bad, id => id >= call.First && id < call.First + call.Count));
    }
}
