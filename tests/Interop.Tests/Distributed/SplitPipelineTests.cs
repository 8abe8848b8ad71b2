using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

public sealed class SplitPipelineTests(ITestOutputHelper output)
{
    private const int Items = 50_000;
    private const int Keys = 500;
    private static readonly string[] s_workers = ["a", "b", "c"];

    [Fact]
    public async Task Run_InOneProcessOrOverFour_ComesToTheSame()
    {
        var together = new Sink(Keys);
        await using (SplitRun<Keyed> run = await Define(together).RunAsync())
        {
            await FeedAsync(run);
            Assert.Single(run.Pipelines);
            Assert.Empty(run.Senders);
        }

        var apart = new Sink(Keys);
        var broker = new InMemoryBroker();
        SplitRun<Keyed>[] workers = await Task.WhenAll(s_workers.Select((_, index) => WorkerAsync(apart, broker, index)));
        await using (SplitRun<Keyed> feed = await Define(apart).RunAsync(
            new SplitOptions { Parts = ["double"], Transport = broker.Connect() }))
        {
            await FeedAsync(feed);
            Assert.Equal(Items, feed.Senders[0].Statistics.Items);
        }

        await Until(() => apart.Problem(Items) is null && broker.Stored == 0);
        Assert.Equal((Items, Items), (together.Writes, apart.Writes));
        Assert.Null(together.Problem(Items));
        Assert.All(workers, worker => Assert.True(worker.Sources[0].Statistics.Items > 0));
        foreach (SplitRun<Keyed> worker in workers)
        {
            Assert.True((await worker.DrainAsync(TimeSpan.FromMinutes(4))).IsDrained);
            await worker.DisposeAsync();
        }
    }

    [Fact]
    public async Task Run_WorkerEndsInTheMiddle_OthersStandInForIt()
    {
        var sink = new Sink(Keys);
        var broker = new InMemoryBroker();
        List<SplitRun<Keyed>> workers = [];
        for (int i = 0; i < s_workers.Length; i++) workers.Add(await WorkerAsync(sink, broker, i, standBy: true));
        await using SplitRun<Keyed> feed = await Define(sink).RunAsync(
            new SplitOptions { Parts = ["double"], Transport = broker.Connect() });
        Task feeding = FeedAsync(feed);
        await Until(() => sink.Writes > Items / 10);
        await workers[1].DisposeAsync();
        await feeding;
        await Until(() => sink.Problem(Items) is null && broker.Stored == 0);
        await workers[0].DisposeAsync();
        await workers[2].DisposeAsync();
    }

    [Fact]
    public async Task Definition_Wrong_SaysWhatToDo()
    {
        SplitPipeline<Keyed> definition = Define(new Sink(Keys));
        Assert.Contains("part='tripel'", (await Refused(new SplitOptions { Parts = ["tripel"] })).Message, StringComparison.Ordinal);
        Assert.Contains("transport=none", (await Refused(new SplitOptions { Parts = ["double"] })).Message, StringComparison.Ordinal);
        Assert.Contains("worker=1", (await Refused(new SplitOptions { Worker = 1 })).Message, StringComparison.Ordinal);
        Assert.Contains("parts=none", (await Refused(new SplitOptions { Parts = [] })).Message, StringComparison.Ordinal);
        Assert.Contains("standbyAfter=-00:00:05", (await Refused(After(-5))).Message, StringComparison.Ordinal);
        Assert.Contains("49 days", (await Refused(After(60 * 24 * 3600))).Message, StringComparison.Ordinal);
        InvalidOperationException place = Assert.Throws<InvalidOperationException>(() => definition.Part("again", static _ => { }));
        Assert.Contains("stands between two parts", place.Message, StringComparison.Ordinal);
        static SplitOptions After(int seconds) => new() { StandbyAfter = TimeSpan.FromSeconds(seconds) };
        async Task<Exception> Refused(SplitOptions options) =>
            await Assert.ThrowsAnyAsync<Exception>(async () => await definition.RunAsync(options));
    }

    [Fact]
    public void Assign_WorkersComeAndGo_MovesLittleAndStaysEven()
    {
        const int partitions = 256;
        string[] names = [.. Enumerable.Range(0, 9).Select(n => $"worker-{n}")];
        for (int count = 3; count < 9; count++)
        {
            int[] before = PartitionPlan.Assign(partitions, names[..count]);
            int[] after = PartitionPlan.Assign(partitions, names[..(count + 1)]);
            int moved = before.Zip(after).Count(pair => pair.First != pair.Second);
            int least = partitions / (count + 1);
            output.WriteLine($"{count} → {count + 1} workers: {moved} of {partitions} partitions move, {least} have to");
            Assert.InRange(after.GroupBy(owner => owner).Max(group => group.Count()), least, least + 1);
            Assert.InRange(moved, least, 2 * least);
        }
    }

    [Fact]
    public async Task Rebalance_PartitionsMoveWhileItemsCome_LosesNothingAndKeepsOrder()
    {
        const int partitions = 64;
        var sink = new Sink(Keys);
        var broker = new InMemoryBroker();
        var link = new LinkAddress("test.rebalance", partitions);
        LinkSender<Keyed> sender = await LinkSender<Keyed>.OpenAsync<int>(
            broker.Connect(), link, Keyed.Codec, Keyed.KeyOf, new LinkOptions { FrameLength = 512 });
        await using Pipeline<Keyed> sending = Pipeline.Of<Keyed>(1024).Stage("send", sender, Dispatch.Batch(max: 1024)).Run();
        Task feeding = Task.Run(async () =>
        {
            using SingleProducer<Keyed> producer = sending.CreateProducer();
            for (int i = 0; i < Items; i++) await producer.PublishAsync(Keyed.At(i, Keys));
        });

        string[] names = ["a", "b", "c", "d"];
        List<(LinkSource<Keyed> Source, Pipeline<Keyed> Pipeline)> workers = [];
        foreach (string _ in names) workers.Add(await ReceiveAsync(broker, link, sink));
        var owners = new int[partitions];
        Array.Fill(owners, -1);
        int moves = 0;
        // Three workers, then four, then two, then all again: a partition is given up before another takes it.
        foreach (int count in new[] { 3, 4, 2, 4 })
        {
            int[] next = PartitionPlan.Assign(partitions, names[..count]);
            foreach (int partition in Enumerable.Range(0, partitions).Where(one => next[one] != owners[one]))
            {
                if (owners[partition] >= 0) await workers[owners[partition]].Source.ReleaseAsync([partition]);
                await workers[next[partition]].Source.SubscribeAsync([partition]);
                moves += owners[partition] >= 0 ? 1 : 0;
            }

            owners = next;
        }

        await feeding;
        await Until(() => sink.Problem(Items) is null && broker.Stored == 0);
        output.WriteLine($"{moves} partitions moved under load");
        Assert.Equal(Items, sink.Writes);
        Assert.Equal(0, sink.Repeated());
        foreach ((LinkSource<Keyed> source, Pipeline<Keyed> pipeline) in workers)
        {
            await source.DisposeAsync();
            await pipeline.DisposeAsync();
        }

        await sender.DisposeAsync();
    }

    private static async Task<(LinkSource<Keyed> Source, Pipeline<Keyed> Pipeline)> ReceiveAsync(
        InMemoryBroker broker, LinkAddress link, Sink sink)
    {
        var source = new LinkSource<Keyed>(link, Keyed.Codec);
        Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(1024)
            .Stage("write", new WriteToSink(sink, () => null)).Stage("ack", source.Acknowledger).Run(Plan.Fused);
        await source.StartAsync(broker.Connect(), pipeline);
        return (source, pipeline);
    }

    private static SplitPipeline<Keyed> Define(Sink sink) => new SplitPipeline<Keyed>("test", capacity: 1024)
        .Part("double", static part => part.Stage("double", static (ref Keyed item) => item.Number *= 2))
        .Link("by-key", Keyed.Codec, Keyed.KeyOf, partitions: 12)
        .Part("write", part => part
            .Stage("halve", static (ref Keyed item) => item.Number /= 2)
            .Stage("write", new WriteToSink(sink, static () => null)));

    private static Task<SplitRun<Keyed>> WorkerAsync(Sink sink, InMemoryBroker broker, int index, bool standBy = false) =>
        Define(sink).RunAsync(new SplitOptions
        {
            Parts = ["write"], Transport = broker.Connect(), Workers = s_workers, Worker = index, Plan = Plan.Fused,
            StandbyAfter = standBy ? TimeSpan.FromMilliseconds(1) : Timeout.InfiniteTimeSpan,
        });

    private static async Task FeedAsync(SplitRun<Keyed> run)
    {
        SingleProducer<Keyed> producer = run.CreateProducer();
        for (int i = 0; i < Items; i++) await producer.PublishAsync(Keyed.At(i, Keys));
        Assert.True((await run.DrainAsync(TimeSpan.FromMinutes(4))).IsDrained);
    }

    private static Task Until(Func<bool> condition) => Watchdog.UntilAsync(condition, "all items");
}
