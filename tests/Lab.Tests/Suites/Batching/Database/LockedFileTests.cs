using Microsoft.Data.Sqlite;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>SQLite's file is locked by another writer, or its disk is full: for a while, or for good.</summary>
public sealed class LockedFileTests
{
    private const int Count = 1_000;
    private const int Busy = 5;
    private const int Full = 13;

    // The driver waits for a lock itself, for a second each time.
    private static readonly FaultPolicy s_brief = FaultPolicy.Retry(2, TimeSpan.FromMilliseconds(1));

    [Fact]
    public async Task Locked_ForAWhile_StoresAllOnceItIsFree()
    {
        using var table = new SqliteTable();
        SqliteConnection other = table.Lock();
        await using Pipeline<Row> pipeline = Storing.Run(table, Storing.Patient);

        Storing.Publish(pipeline.CreateProducer(), Storing.Good(Count));
        await Watchdog.UntilAsync(() => pipeline[Storing.Stage].GetStatistics().Retries >= 1);
        other.Dispose();
        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Count)]);

        Assert.Equal((done.Faults, 0), (done.Retries, done.Skipped));
        Assert.Equal(Count, table.Inserted);
    }

    [Fact]
    public async Task Full_ForAWhile_StoresAllOnceThereIsRoom()
    {
        using var table = new SqliteTable();
        table.MostPages = table.Pages + 2;
        await using Pipeline<Row> pipeline = Storing.Run(table, Storing.Patient);

        Storing.Publish(pipeline.CreateProducer(), Storing.Good(Count));
        await Watchdog.UntilAsync(() => pipeline[Storing.Stage].GetStatistics().Retries >= 2);
        Assert.Equal(table.Acknowledged, table.Read().Select(static row => row.Id));
        table.MostPages = int.MaxValue;
        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Count)]);

        Assert.Equal((done.Faults, 0), (done.Retries, done.Skipped));
        Assert.Equal(Count, table.Inserted);
    }

    [Fact]
    public async Task Locked_ForGood_ThePipelineFaults_ProducersAreTold()
    {
        using var table = new SqliteTable();
        using SqliteConnection other = table.Lock();

        StageStatistics done = await Faults(table, Busy);

        Assert.Equal(0, done.Items);
    }

    [Fact]
    public async Task Full_ForGood_ThePipelineFaults_ProducersAreTold()
    {
        using var table = new SqliteTable();
        // Room for some batches, not for all.
        table.MostPages = table.Pages + 2;

        StageStatistics done = await Faults(table, Full);

        Assert.InRange(done.Items, Storing.BatchSize, Count - 1);
    }

    private static async Task<StageStatistics> Faults(SqliteTable table, int error)
    {
        await using Pipeline<Row> pipeline = Storing.Run(table, s_brief, capacity: 256);
        SingleProducer<Row> producer = pipeline.CreateProducer();
        // It waits for room in the end, where it is told.
        Task publishing = Watchdog.Run(() => Storing.Publish(producer, Storing.Good(Count)));
        var told = await Assert.ThrowsAsync<RingFaultedException>(() => publishing.OrHang());
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.Equal(Storing.Stage, told.Stage);
        Assert.Equal(error, Assert.IsType<SqliteException>(told.InnerException).SqliteErrorCode);
        Assert.Contains(told.InnerException.Message, told.Message, StringComparison.Ordinal);
        Assert.Equal((RingState.Faulted, DrainStatus.Faulted), (pipeline.State, result.Status));
        StageStatistics done = pipeline[Storing.Stage].GetStatistics();
        Assert.Equal((2, 3, 0), (done.Retries, done.Faults, done.Skipped));
        Assert.Equal(result.Target + 1 - done.Items, pipeline.Unprocessed);
        // What was acknowledged is there, and nothing of the batch that failed.
        Assert.Equal(Storing.Good((int)done.Items), table.Read());
        Assert.Equal(done.Items, table.AcknowledgedCount);
        return done;
    }
}
