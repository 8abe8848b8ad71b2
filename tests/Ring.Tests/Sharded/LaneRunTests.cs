namespace Raceway.Rings.Tests;

/// <summary>The order that lanes are given, over many laps of its own record, read by stages at their own pace.</summary>
public sealed class LaneRunTests
{
    [Theory]
    [InlineData(4, 2, 1)]
    [InlineData(8, 2, 2)]
    [InlineData(8, 4, 3)]
    [InlineData(64, 3, 4)]
    [InlineData(64, 32, 5)]
    public void Stages_ManyShortRuns_SeeOneOrderThatKeepsEachProducers(int capacity, int producers, int seed)
    {
        const int Each = 2_000;
        var ring = Make.Ring(capacity, ProducerKind.Sharded, maxProducers: producers);
        Recorder[] seen = [new(), new(), new()];
        Stage first = ring.Subscribe(seen[0], Make.Stepped());
        Stage beside = ring.Subscribe(seen[1], Make.Stepped());
        Stage behind = ring.Subscribe(seen[2], Make.Stepped(after: [first]));
        var driver = new ManualDriver([first, beside, behind], seed);
        SingleProducer<long>[] handles = [.. Enumerable.Range(0, producers).Select(_ => ring.CreateProducer())];
        long[] next = new long[producers];
        var random = new Random(seed);
        while (next.Sum() < (long)Each * producers)
        {
            int lane = random.Next(producers);
            if (next[lane] < Each && handles[lane].TryPublish(next[lane] * producers + lane) == ClaimStatus.Done) next[lane]++;
            else driver.StepAny(3);
        }

        driver.RunUntilIdle();
        Assert.Equal(Each * producers, seen[0].Items.Count);
        for (int lane = 0; lane < producers; lane++)
            Assert.Equal(Make.Range(0, Each - 1), seen[0].Items.Where(item => item % producers == lane).Select(item => item / producers));
        Assert.Equal(seen[0].Items, seen[1].Items);
        Assert.Equal(seen[0].Items, seen[2].Items);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(5)]
    public async Task Backlog_WhileProducersPublish_LosesNothing(int producers)
    {
        const int Each = 20_000;
        var ring = Make.Ring(64, ProducerKind.Sharded, maxProducers: producers);
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        bool stop = false;
        Task looking = Watchdog.Run(() =>
        {
            while (!Volatile.Read(ref stop)) Assert.InRange(ring.Backlog, 0, ring.Capacity);
        });
        Task publishing = Task.WhenAll(Enumerable.Range(0, producers).Select(lane =>
        {
            SingleProducer<long> producer = ring.CreateProducer();
            return Watchdog.Run(() => Make.PublishRange(producer, 0, Each - 1, i => i * producers + lane));
        }));
        await Watchdog.Await(publishing, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Volatile.Write(ref stop, true);
        await Watchdog.Await(looking, ring);
        for (int lane = 0; lane < producers; lane++)
            Assert.Equal(Make.Range(0, Each - 1), handler.Items.Where(item => item % producers == lane).Select(item => item / producers));
    }
}
