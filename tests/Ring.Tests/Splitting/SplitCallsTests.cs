namespace Raceway.Rings.Tests;

/// <summary>Calls of a stateless stage that several threads work on. That they do is seen by meeting, never by time.</summary>
public sealed partial class SplitCallsTests
{
    public static TheoryData<string> Levels => ["single", "each", "batch"];

    private static Dispatch Level(string name) => name switch
    {
        "single" => Dispatch.Single,
        "each" => Dispatch.Each(),
        _ => Dispatch.Batch(),
    };

    // Two calls wait for each other: one thread alone would hang.
    [Theory]
    [MemberData(nameof(Levels))]
    public async Task Calls_AreDear_SeveralThreadsAreInsideAtOnce(string level)
    {
        using var met = new Barrier(2);
        int inside = 0;
        await using var crowd = new Crowd(
            crowd => new BatchLambda<long>(batch =>
            {
                Crowd.Begin(batch[0]);
                if (batch[0] > 0 && Interlocked.Increment(ref inside) <= 2) met.SignalAndWait();
                foreach (ref long item in batch) crowd.End(item);
            }),
            Level(level));
        Assert.True((await crowd.Run(30)).IsDrained);
        Assert.All(crowd.Done.Take(31), done => Assert.Equal(1, done));
        Assert.Equal(Make.Range(0, 30), crowd.Behind.Items);
        StageStatistics seen = crowd.Stage.GetStatistics();
        Assert.Equal(31, seen.Items);
        Assert.InRange(seen.Split, 1, long.MaxValue);
        Assert.InRange(seen.Parts, 2 * seen.Split, 30);
    }

    [Fact]
    public async Task Events_AreDear_SeveralThreadsAreInsideAtOnce()
    {
        using var met = new Barrier(2);
        int inside = 0;
        await using var crowd = new Crowd(
            crowd => new EventLambda<long>((ref long item, long sequence, bool _) =>
            {
                Assert.Equal(sequence, item);
                Crowd.Begin(item);
                if (item > 0 && Interlocked.Increment(ref inside) <= 2) met.SignalAndWait();
                crowd.End(item);
            }),
            Dispatch.Batch());
        Assert.True((await crowd.Run(30)).IsDrained);
        Assert.All(crowd.Done.Take(31), done => Assert.Equal(1, done));
        Assert.Equal(Make.Range(0, 30), crowd.Behind.Items);
    }

    // The first part ends behind a later one, which must not be seen before it.
    [Fact]
    public async Task LaterPartsAreDoneFirst_StagesBehindSeeNothingBeforeTheFirst()
    {
        using var later = new ManualResetEventSlim();
        bool early = false;
        await using var crowd = new Crowd(
            crowd => new BatchLambda<long>(batch =>
            {
                Crowd.Begin(batch[0]);
                if (batch[0] == 1)
                {
                    later.Wait();
                    early = crowd.Stage.Position > 0 || crowd.Behind.Items.Count > 1;
                }

                foreach (ref long item in batch) crowd.End(item);
                if (batch[0] > 1) later.Set();
            }),
            Dispatch.Batch());
        Assert.True((await crowd.Run(30)).IsDrained);
        Assert.False(early);
        Assert.Equal(Make.Range(0, 30), crowd.Behind.Items);
    }

    // The last part waits until the stage behind has seen all before it.
    [Fact]
    public async Task FirstPartsAreDone_StagesBehindSeeThemWhileOthersAreUnderWay()
    {
        await using var crowd = new Crowd(
            crowd => new BatchLambda<long>(batch =>
            {
                Crowd.Begin(batch[0]);
                long before = batch.Sequence - 1;
                if (batch[^1] == 30) Watchdog.Until(() => crowd.Ring.Stages[1].Position >= before, "the stage behind");
                foreach (ref long item in batch) crowd.End(item);
            }),
            Dispatch.Batch());
        Assert.True((await crowd.Run(30)).IsDrained);
        Assert.Equal(Make.Range(0, 30), crowd.Behind.Items);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(4, 1)]
    [InlineData(8, 3)]
    public async Task Parts_AreNeighbours_WithinTheDispatch(int max, int min)
    {
        var sizes = new List<int>();
        await using var crowd = new Crowd(
            crowd => new BatchLambda<long>(batch =>
            {
                Crowd.Begin(batch[0]);
                for (int i = 0; i < batch.Count; i++) Assert.Equal(batch.Sequence + i, batch[i]);
                foreach (ref long item in batch) crowd.End(item);
                lock (sizes) sizes.Add(batch.Count);
            }),
            Dispatch.Batch(max, min, maxAge: min == 1 ? null : TimeSpan.FromMilliseconds(1)));
        Assert.True((await crowd.Run(60)).IsDrained);
        Assert.All(crowd.Done.Take(61), done => Assert.Equal(1, done));
        Assert.All(sizes, size => Assert.InRange(size, 1, max));
        StageStatistics seen = crowd.Stage.GetStatistics();
        Assert.InRange(seen.Split, 1, long.MaxValue);
        // The end of a batch may be smaller, as the batch itself where no more comes.
        Assert.InRange(sizes.Count(size => size < min), 0, seen.Batches);
    }

    [Fact]
    public async Task Drop_InAPart_CountsThoseItems()
    {
        await using var crowd = new Crowd(
            crowd => new BatchLambda<long>(batch =>
            {
                Crowd.Begin(batch[0]);
                if (batch[0] % 2 == 1) batch.Drop(1);
                foreach (ref long item in batch) crowd.End(item);
            }),
            Dispatch.Batch(max: 1));
        Assert.True((await crowd.Run(30)).IsDrained);
        StageStatistics seen = crowd.Stage.GetStatistics();
        Assert.Equal((16, 15, 15), (seen.Items, seen.Skipped, seen.Dropped));
        Assert.InRange(seen.Split, 1, long.MaxValue);
        Assert.Equal(Make.Range(0, 30), crowd.Behind.Items);
    }

    [Fact]
    public async Task StructHandler_IsCopiedForEachThreadBehindItsStartHook()
    {
        var ring = new RingBuffer<long>(64, new RingOptions<long> { Wait = Wait.Async() });
        var log = new List<(int Started, long Item)>();
        Stage stage = ring.Slots.SubscribeBatches(
            new Started(log), new StageOptions { IsStateless = true, MostThreads = 3, Dispatch = Dispatch.Batch(max: 2) });
        await ring.StartAsync();
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(0L);
        producer.ReleaseThread();
        await Watchdog.UntilAsync(() => stage.Position == 0, ring);
        using (Claim<long> claim = producer.Claim(39))
        {
            for (int i = 0; i < claim.Count; i++) claim[i] = i + 1;
            claim.Commit();
        }

        await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
        Assert.All(log, one => Assert.Equal(1, one.Started));
        Assert.Equal(Make.Range(0, 39), log.Select(one => one.Item).Order());
        Assert.InRange(stage.GetStatistics().Split, 1, long.MaxValue);
    }

    [Fact]
    public async Task Halt_PartsAreUnderWay_WaitsForThemAndTakesNoMore()
    {
        using var inside = new CountdownEvent(2);
        using var go = new ManualResetEventSlim();
        int calls = 0;
        await using var crowd = new Crowd(
            crowd => new BatchLambda<long>(batch =>
            {
                Crowd.Begin(batch[0]);
                if (batch[0] > 0)
                {
                    if (Interlocked.Increment(ref calls) <= 2) inside.Signal();
                    go.Wait();
                }

                foreach (ref long item in batch) crowd.End(item);
            }),
            Dispatch.Batch());
        await crowd.Publish(60);
        await Watchdog.Run(() => inside.Wait()).OrHang();
        Task halted = crowd.Ring.HaltAsync();
        Assert.False(halted.IsCompleted);
        go.Set();
        await Watchdog.Await(halted, crowd.Ring);
        long done = crowd.Done.Sum();
        Assert.InRange(done, 3, 59);
        Assert.All(crowd.Done, count => Assert.InRange(count, 0, 1));
        // Parts are taken in order, so what was begun has no gap.
        Assert.Equal(done - 1, crowd.Stage.Position);
        Assert.Equal(61, crowd.Behind.Items.Count + crowd.Unprocessed.Count);
        Assert.True(crowd.Stage.Split!.HasEnded);
    }

    [Fact]
    public async Task ItemsAreCheap_NothingIsSplit()
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { Wait = Wait.Async() });
        Stage stage = ring.Subscribe(new Recorder(), new StageOptions { IsStateless = true, MostThreads = 3, Dispatch = Dispatch.Batch(max: 1) });
        await ring.StartAsync();
        SingleProducer<long> producer = ring.CreateProducer();
        for (int i = 0; i < 100; i++)
        {
            producer.Publish((long)i);
            producer.ReleaseThread();
            await Watchdog.UntilAsync(() => stage.Position == i, ring);
        }

        await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
        Assert.Equal((0, 0), (stage.GetStatistics().Split, stage.GetStatistics().Parts));
    }

    [Fact]
    public void OneThread_ThreadOfItsOwn_Caller_NothingToSplitWith()
    {
        RingBuffer<long> pooled = Make.Ring(wait: Wait.Async());
        RingBuffer<long> threads = Make.Ring(wait: Wait.Park());
        var options = new StageOptions { IsStateless = true, MostThreads = 3 };
        Assert.NotNull(pooled.Subscribe(new Recorder(), options).Split);
        Assert.Null(pooled.Subscribe(new Recorder(), options with { MostThreads = 1 }).Split);
        Assert.Null(pooled.Subscribe(new Recorder(), options with { Drive = Drive.Caller }).Split);
        Assert.Null(pooled.Subscribe(new Recorder(), options with { IsStateless = false }).Split);
        Assert.Null(threads.Subscribe(new Recorder(), options).Split);
    }

    [Fact]
    public void HandlerAwaitsOrReturnsOutcomes_IsRefused()
    {
        RingBuffer<long> ring = Make.Ring(wait: Wait.Async());
        var options = new StageOptions { Name = "mine", IsStateless = true };
        string awaits = Assert.Throws<ArgumentException>(
            () => ring.Subscribe(new AsyncLambda<long>((_, _) => ValueTask.CompletedTask), options)).Message;
        Assert.Contains("stage='mine'", awaits, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => ring.Subscribe(new OutcomeLambda<long>(_ => BatchOutcome.Done), options));
        Assert.Empty(ring.Stages);
    }

    private struct Started(List<(int, long)> log) : IBatchHandler<long>, IStageLifetime
    {
        private int _starts;

        public void OnStart() => _starts++;

        public readonly void OnBatch(Batch<long> batch)
        {
            if (batch[0] == 0) Crowd.TakeLong();
            lock (log)
                foreach (ref long item in batch) log.Add((_starts, item));
        }

        public readonly void OnStop()
        {
        }
    }
}
