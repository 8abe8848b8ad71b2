using Npgsql;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>PostgreSQL is down, or ends in the middle of a batch: what is acknowledged is stored, what is not comes again, nothing twice.</summary>
[Collection(Server.Collection)]
public sealed class OutageTests : IDisposable
{
    private const int Count = 1_000;

    public void Dispose()
    {
        if (Server.Missing is null) Server.Restore();
    }

    [ServerTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task DownAtTheStart_StoresAllOnceItIsThere(bool copies)
    {
        using RowTable table = Create(copies);
        Server.Stop();
        await using Pipeline<Row> pipeline = Storing.Run(table, Storing.Patient);

        Storing.Publish(pipeline.CreateProducer(), Storing.Good(Count));
        await Watchdog.UntilAsync(() => pipeline[Storing.Stage].GetStatistics().Retries >= 2);
        Server.Start();
        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Count)]);

        Assert.Equal((done.Faults, 0), (done.Retries, done.Skipped));
        Assert.Equal(Count, table.Inserted);
    }

    [ServerTheory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task EndsInABatch_BeforeTheCommit_TheBatchComesAgain(bool copies, bool kills)
    {
        using RowTable table = Create(copies);
        await using Pipeline<Row> pipeline = Storing.Run(table, Storing.Patient);
        SingleProducer<Row> producer = pipeline.CreateProducer();
        Storing.Publish(producer, Storing.Good(Storing.BatchSize));
        await Watchdog.UntilAsync(() => table.AcknowledgedCount == Storing.BatchSize);

        // The next batch stands still in its transaction.
        await using (NpgsqlConnection holder = Server.Open())
        {
            await using var command = new NpgsqlCommand($"BEGIN; LOCK TABLE {((PostgresTable)table).Name}", holder);
            command.ExecuteNonQuery();
            Storing.Publish(producer, Storing.Good(Count - Storing.BatchSize, Storing.BatchSize));
            await Watchdog.UntilAsync(static () => Server.Waiting("relation").Count == 1);
            if (kills) Server.Kill();
            else Server.Terminate(Server.Waiting("relation").Single());
        }

        if (kills)
        {
            Server.Start();
            Assert.Equal(Storing.Good(Storing.BatchSize), table.Read().Take(Storing.BatchSize));
        }

        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Count)]);

        Assert.True(done.Faults >= 1);
        Assert.Equal((done.Faults, 0), (done.Retries, done.Skipped));
        // All that is there was stored by calls that returned.
        Assert.Equal(Count, table.Inserted);
    }

    [ServerTheory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task EndsInABatch_AfterTheCommit_NothingIsStoredTwice(bool copies, bool kills)
    {
        using RowTable table = Create(copies);
        // The server commits, then waits for a standby before it says so.
        Server.SetStandbys("absent");
        await using Pipeline<Row> pipeline = Storing.Run(table, Storing.Patient);
        Storing.Publish(pipeline.CreateProducer(), Storing.Good(Count));
        await Watchdog.UntilAsync(static () => Server.Waiting("SyncRep").Count == 1);

        if (kills)
        {
            Server.Kill();
            Server.Start();
        }
        else
        {
            Server.Terminate(Server.Waiting("SyncRep").Single());
        }

        // The rows of the call that threw are there.
        Assert.Equal(Storing.Good(Storing.BatchSize), table.Read());
        Server.SetStandbys(null);
        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Count)]);

        Assert.True(done.Faults >= 1);
        Assert.Equal((done.Faults, 0), (done.Retries, done.Skipped));
        // No call that returned has added them.
        Assert.Equal(Count - Storing.BatchSize, table.Inserted);
    }

    [ServerTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task EndsAgainAndAgain_UnderLoad_AllIsStoredOnce(bool copies)
    {
        const int Many = 10_000;
        const int Ends = 4;
        using RowTable table = Create(copies);
        await using Pipeline<Row> pipeline = Storing.Run(table, Storing.Patient, capacity: 256);
        SingleProducer<Row> producer = pipeline.CreateProducer();
        Task publishing = Watchdog.Run(() => Storing.Publish(producer, Storing.Good(Many)));

        for (int end = 1; end <= Ends; end++)
        {
            int through = Many * end / (Ends + 1);
            await Watchdog.UntilAsync(() => table.AcknowledgedCount >= through);
            Server.Kill();
            IReadOnlyList<long> acknowledged = table.Acknowledged;
            Server.Start();
            Assert.Empty(acknowledged.Except(table.Read().Select(static row => row.Id)));
        }

        await publishing.OrHang();
        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Many)]);
        Assert.True(done.Faults >= 1);
        Assert.Equal((done.Faults, 0), (done.Retries, done.Skipped));
    }

    [ServerTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task StaysAway_ThePipelineFaults_ProducersAreTold(bool copies)
    {
        const int Retries = 3;
        using RowTable table = Create(copies);
        await using Pipeline<Row> pipeline = Storing.Run(table, FaultPolicy.Retry(Retries, TimeSpan.FromMilliseconds(1)), capacity: 256);
        SingleProducer<Row> producer = pipeline.CreateProducer();
        Storing.Publish(producer, Storing.Good(Storing.BatchSize));
        await Watchdog.UntilAsync(() => table.AcknowledgedCount == Storing.BatchSize);
        Server.Stop();

        // It waits for room in the end, where it is told.
        Task publishing = Watchdog.Run(() => Storing.Publish(producer, Storing.Good(Count, Storing.BatchSize)));
        var told = await Assert.ThrowsAsync<RingFaultedException>(() => publishing.OrHang());
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        Assert.Equal(Storing.Stage, told.Stage);
        Assert.IsType<NpgsqlException>(told.InnerException, exactMatch: false);
        Assert.Contains($"'{Storing.Stage}'", told.Message, StringComparison.Ordinal);
        Assert.Contains(told.InnerException.Message, told.Message, StringComparison.Ordinal);
        Assert.Equal((RingState.Faulted, DrainStatus.Faulted), (pipeline.State, result.Status));
        Assert.Equal(result.Target + 1 - Storing.BatchSize, pipeline.Unprocessed);
        StageStatistics done = pipeline[Storing.Stage].GetStatistics();
        Assert.Equal((Storing.BatchSize, Retries, Retries + 1, 0), (done.Items, done.Retries, done.Faults, done.Skipped));
        Server.Start();
        Assert.Equal(Storing.Good(Storing.BatchSize), table.Read());
    }

    [ServerFact]
    public async Task EndsWhileABadRowIsLookedFor_ThatRowAloneIsDeadLettered()
    {
        long[] bad = [70, 500];
        List<long> letters = [];
        using RowTable table = Create(copies: false);
        using var isUp = new SemaphoreSlim(1);
        FaultPolicy policy = FaultPolicy.DeadLetter((ref Row row, in FaultContext _) =>
        {
            letters.Add(row.Id);
            // The server serves before the script that starts it returns, and the script must not find it killed.
            Watchdog.Until(() => isUp.Wait(0), "the server's start");
            // The server is away for the rows behind, some of which were in the same batch.
            Server.Kill();
        });
        await using Pipeline<Row> pipeline = Storing.Define(policy).Stage(Storing.Stage, new TellingHandler(table), Storing.Dispatch).Run();

        Storing.Publish(
            pipeline.CreateProducer(), Storing.Good(Count).Select(row => bad.Contains(row.Id) ? row with { Body = Row.BadBody } : row));
        for (int found = 1; found <= bad.Length; found++)
        {
            await Watchdog.UntilAsync(() => pipeline[Storing.Stage].GetStatistics().DeadLettered == found);
            long retries = pipeline[Storing.Stage].GetStatistics().Retries;
            await Watchdog.UntilAsync(() => pipeline[Storing.Stage].GetStatistics().Retries > retries);
            Server.Start();
            isUp.Release();
        }

        StageStatistics done = await Storing.DrainAsync(pipeline, table, [.. Storing.Good(Count).Where(row => !bad.Contains(row.Id))]);

        Assert.Equal(bad, letters);
        Assert.Equal((bad.Length, bad.Length), (done.DeadLettered, done.Skipped));
        Assert.True(done.Retries >= bad.Length);
        Assert.Equal(Count - bad.Length, table.Inserted);
    }

    private static RowTable Create(bool copies) => RowTable.Create(copies ? Way.Copy : Way.Batch);
}
