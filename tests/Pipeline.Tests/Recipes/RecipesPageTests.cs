using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Recipes;

/// <summary>The code of docs/recipes.md, as it stands there (PageCodeTests).</summary>
public sealed class RecipesPageTests
{
    public record struct Reading(int Sensor, double Value);

    public record struct Message(int Id, byte[] Body);

    private struct Order
    {
        public int Pieces;
        public decimal Price;
        public bool IsValid;
    }

    public sealed class Database
    {
        public List<Reading> Rows { get; } = [];

        public List<int> Statements { get; } = [];

        public int Failures { get; set; }

        // One statement for all rows: all of them, or none.
        public void Insert(Reading[] rows)
        {
            if (Failures > 0)
            {
                Failures--;
                throw new TimeoutException("no connection");
            }

            if (rows.Any(static row => double.IsNaN(row.Value))) throw new ArgumentException("no number", nameof(rows));
            Statements.Add(rows.Length);
            Rows.AddRange(rows);
        }
    }

    public sealed class Store(Database database) : IBatchHandler<Reading>
    {
        public void OnBatch(Batch<Reading> batch) => database.Insert(batch.ToArray());
    }

    private readonly Database _database = new();

    [Fact]
    public async Task Publisher_OfSeveralThreads_TakesAll()
    {
        await using Pipeline<Reading> pipeline = Pipeline.Of<Reading>(1024)
            .MultiProducer()
            .Stage("store", new Store(_database), Dispatch.Batch(max: 256))
            .Run();

        Parallel.For(0, 1_000, n => pipeline.Publisher.Publish(new Reading(n, 1)));

        DrainResult result = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        Assert.Equal(DrainStatus.Drained, result.Status);
        Assert.Equal(Enumerable.Range(0, 1_000), _database.Rows.Select(static row => row.Sensor).Order());
    }

    [Fact]
    public void Conflating_AFullBatch_HandsOverTheLatestOfEachKey()
    {
        List<Reading> shown = [];
        PipelineBuilder<Reading, Reading> definition = Pipeline.Of<Reading>(1024)
            .Stage("show", Overflow.ConflateByKey(static (ref readonly Reading reading) => reading.Sensor, new Show(shown)));
        using PipelineHarness<Reading> harness = PipelineHarness.Run(definition);

        harness.Source.Send([new(1, 1), new(2, 5), new(1, 2), new(1, 3)]);
        harness.Finish();

        Assert.Equal([new(2, 5), new(1, 3)], shown);
    }

    private sealed class Show(List<Reading> shown) : IBatchHandler<Reading>
    {
        public void OnBatch(Batch<Reading> batch) => shown.AddRange(batch.ToArray());
    }

    [Fact]
    public void Database_ThatFails_IsTriedAgainAndGetsWhatItTakes()
    {
        List<string> letters = [];
        FaultPolicy policy = FaultPolicy.Retry(
            attempts: 3,
            backoff: TimeSpan.FromMilliseconds(100),
            then: FaultPolicy.DeadLetter((ref Reading reading, in FaultContext fault) => letters.Add($"{reading.Sensor}: {fault.Fault.Message}")));
        PipelineBuilder<Reading, Reading> definition = Pipeline.Of<Reading>(1024)
            .Stage("store", new Store(_database), new StageOptions
            {
                Dispatch = Dispatch.Batch(max: 256, min: 64, maxAge: TimeSpan.FromMilliseconds(20)),
                OnFault = policy,
            });
        using PipelineHarness<Reading> harness = PipelineHarness.Run(definition);

        _database.Failures = 2;
        harness.Source.Send([new(1, 1), new(2, double.NaN), new(3, 3)]);
        harness.Finish();

        Assert.Equal([1, 3], _database.Rows.Select(static row => row.Sensor));
        Assert.StartsWith("2: no number", Assert.Single(letters));
    }

    [Fact]
    public void Weigher_ABatch_HasAtMostTheBytesThatWereAllowed()
    {
        List<int> sent = [];
        PipelineBuilder<Message, Message> definition = Pipeline.Of<Message>(1024)
            .Stage("send", new Send(sent), new StageOptions
            {
                Dispatch = Dispatch.Batch(max: 256, maxWeight: 64_000),
                Weigher = Weigher.By(static (ref readonly Message message) => message.Body.Length),
            });
        using PipelineHarness<Message> harness = PipelineHarness.Run(definition);

        harness.Source.Send([.. Enumerable.Range(0, 10).Select(static n => new Message(n, new byte[20_000]))]);
        harness.Source.Send([new Message(10, new byte[100_000])]);
        harness.Finish();

        Assert.Equal(300_000, sent.Sum());
        Assert.Equal(100_000, sent[^1]);
        Assert.All(sent.SkipLast(1), static bytes => Assert.InRange(bytes, 1, 64_000));
        Assert.Contains(60_000, sent);
    }

    private sealed class Send(List<int> sent) : IBatchHandler<Message>
    {
        public void OnBatch(Batch<Message> batch) => sent.Add(batch.ToArray().Sum(static message => message.Body.Length));
    }

    [Fact]
    public async Task Lanes_OfAKey_KeepItsOrder()
    {
        var last = new double[8];
        int wrong = 0;
        await using Pipeline<Reading> pipeline = Pipeline.Of<Reading>(1024)
            .Lanes("apply", lanes: 4, static (ref readonly Reading reading) => reading.Sensor, (ref Reading reading) =>
            {
                // Readings of one sensor come one at a time, in order; those of other sensors meanwhile.
                if (reading.Value <= last[reading.Sensor]) Interlocked.Increment(ref wrong);
                last[reading.Sensor] = reading.Value;
            })
            .Run();

        SingleProducer<Reading> producer = pipeline.CreateProducer();
        for (int n = 0; n < 8_000; n++) producer.Publish(new Reading(n % 8, n + 1));
        await pipeline.DrainAsync(TimeSpan.FromSeconds(30)).OrHang();

        Assert.Equal(0, wrong);
        Assert.Equal([.. Enumerable.Range(7_993, 8)], last.Select(static value => (int)value));
    }

    [Fact]
    public void Fork_TwoBranches_AreBothDoneBehindIt()
    {
        decimal total = 0;
        PipelineBuilder<Order, Order> definition = Pipeline.Of<Order>(1024)
            .Fork(
                static one => one.Stage("price", static (ref Order order) => order.Price = order.Pieces * 0.25m),
                static two => two.Stage("check", static (ref Order order) => order.IsValid = order.Pieces > 0))
            .Stage("book", (ref Order order) => total += order.IsValid ? order.Price : 0);
        using PipelineHarness<Order> harness = PipelineHarness.Run(definition);

        harness.Source.Send([new Order { Pieces = 4 }, new Order { Pieces = -8 }, new Order { Pieces = 8 }]);
        harness.Finish();

        Assert.Equal(3, total);
    }

    private static async Task<bool> TryAcceptAsync(Pipeline<Reading> pipeline, Reading reading, TimeSpan patience, CancellationToken aborted)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(aborted);
        limit.CancelAfter(patience);
        try
        {
            await pipeline.Publisher.PublishAsync(reading, limit.Token);
            return true;
        }
        catch (OperationCanceledException) when (!aborted.IsCancellationRequested)
        {
            return false;    // tell the client to come again later
        }
    }

    [Fact]
    public async Task TryAccept_AFullRing_SaysSoWhenTheTimeIsUp()
    {
        await using Pipeline<Reading> pipeline = Pipeline.Of<Reading>(2).Stage("store", new Store(_database)).Run(Plan.Manual);
        for (int n = 0; n < 2; n++) Assert.True(await TryAcceptAsync(pipeline, new Reading(n, 1), TimeSpan.FromSeconds(30), default));

        Assert.False(await TryAcceptAsync(pipeline, new Reading(2, 1), TimeSpan.FromMilliseconds(20), default));
        Assert.Equal(ClaimStatus.TimedOut, pipeline.Publisher.TryPublish(new Reading(2, 1), TimeSpan.FromMilliseconds(20)));

        using var aborted = new CancellationTokenSource();
        await aborted.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => TryAcceptAsync(pipeline, new Reading(2, 1), TimeSpan.FromSeconds(30), aborted.Token));
    }

    private static IEnumerable<string> Late(Pipeline<Reading> pipeline, double share) =>
        from stage in pipeline.Stages
        where stage.Lag > share * stage.Ring.Capacity
        select $"{stage.Name} is {stage.Lag} items behind, of {stage.Ring.Capacity} slots";

    [Fact]
    public async Task Late_AStageThatDoesNotMove_IsNamed()
    {
        await using Pipeline<Reading> pipeline = Pipeline.Of<Reading>(4).Stage("store", new Store(_database)).Run(Plan.Manual);
        for (int n = 0; n < 3; n++) pipeline.Publisher.Publish(new Reading(n, 1));
        Assert.Empty(Late(pipeline, 0.8));

        pipeline.Publisher.Publish(new Reading(3, 1));
        Assert.Equal(["store is 4 items behind, of 4 slots"], Late(pipeline, 0.8));
    }

    [Fact]
    public void Store_FewReadings_AreWrittenWhenTheirAgeIsUp()
    {
        using PipelineHarness<Reading> harness = PipelineHarness.Run(Pipeline.Of<Reading>(64)
            .Stage("store", new Store(_database), Dispatch.Batch(min: 10, maxAge: TimeSpan.FromMinutes(5))));

        harness.Source.Send([new(1, 20.5), new(2, 21.5)]);
        harness.Advance(TimeSpan.FromMinutes(4));
        Assert.Empty(_database.Rows);

        harness.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(2, _database.Rows.Count);
        harness.Finish();
    }

    [Fact]
    public async Task Dispatch_SetWhileItRuns_CountsFromTheNextBatchOn()
    {
        await using Pipeline<Reading> pipeline = Pipeline.Of<Reading>(1024)
            .Stage("store", new Store(_database), Dispatch.Batch(max: 256))
            .Run(Plan.Manual);
        for (int n = 0; n < 512; n++) pipeline.Publisher.Publish(new Reading(n, 1));
        pipeline["store"].Step();

        pipeline["store"].Dispatch = Dispatch.Batch(max: 16);    // by hand, from any thread
        pipeline["store"].Step();

        Assert.Equal([256, 16], _database.Statements);
    }

    [Fact]
    public async Task Controller_BesideARunningStage_LosesNothing()
    {
        await using Pipeline<Reading> pipeline = Pipeline.Of<Reading>(1024)
            .Stage("store", new Store(_database), Dispatch.Batch(max: 256))
            .Run();

        // Until it is disposed of, or the pipeline ends.
        using BatchController controller = BatchController.Start(pipeline["store"], BatchGoal.Latency(TimeSpan.FromMilliseconds(2)));

        pipeline.Publisher.Publish(new Reading(1, 1));
        Assert.True((await pipeline.DrainAsync(TimeSpan.FromSeconds(30)).OrHang()).IsDrained);
        Assert.Single(_database.Rows);
    }
}
