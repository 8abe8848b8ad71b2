using Raceway.Rings;

namespace Raceway.Pipelines.Tests.OverflowOf;

/// <summary>A stage that handles the latest of each key only. Here the key of an item is its last digit.</summary>
public sealed class ConflateTests
{
    private readonly Keeper _keeper = new();
    private readonly List<long> _dropped = [];

    private static long Digit(ref readonly long item) => item % 10;

    private IBatchHandler<long> Conflating(KeySelector<long, long>? key = null, Keeper? keeper = null) =>
        Overflow.ConflateByKey(key ?? Digit, keeper ?? _keeper, (ref long item) => _dropped.Add(item));

    [Fact]
    public async Task Conflate_SameKeys_HandlesTheLatestInTheirOrder()
    {
        await using Pipeline<long> pipeline = await One.StageOf(Conflating(), [11, 12, 21, 13, 31, 14, 22, 15]);
        pipeline.StepAll();

        Assert.Equal([11, 12, 21], _dropped);
        // In runs of neighbours.
        Assert.Equal([[13, 31, 14, 22, 15]], _keeper.Calls);
        StageStatistics done = pipeline.Only();
        Assert.Equal((5, 3, 3), (done.Items, done.Skipped, done.Dropped));
        Assert.Equal(7, pipeline.Stages[0].Position);
    }

    [Fact]
    public async Task Conflate_SurvivorsApart_ComeInRuns()
    {
        await using Pipeline<long> pipeline = await One.StageOf(Conflating(), [1, 2, 11, 3, 12, 4, 5]);
        pipeline.StepAll();
        Assert.Equal([1, 2], _dropped);
        Assert.Equal([[11, 3, 12, 4, 5]], _keeper.Calls);

        Keeper other = new();
        await using Pipeline<long> apart = await One.StageOf(Conflating(keeper: other), [7, 1, 11, 2, 12, 22]);
        apart.StepAll();
        Assert.Equal([[7], [11], [22]], other.Calls);
        Assert.Equal((3, 1), (apart.Only().Items, apart.Only().Batches));
    }

    [Fact]
    public async Task Conflate_AcrossTheWrapAndManyWords_IsThatOfAModel()
    {
        var random = new Random(5);
        for (int round = 0; round < 40; round++)
        {
            Keeper keeper = new();
            _dropped.Clear();
            int keys = 1 + random.Next(9);
            await using Pipeline<long> pipeline = Pipeline.Of<long>(256).HaltOnDispose()
                .Stage("only", Conflating(keeper: keeper), Dispatch.Batch(max: 256))
                .Build(Plan.Manual);
            await pipeline.StartAsync();
            SingleProducer<long> producer = pipeline.CreateProducer();
            List<long> survivors = [];
            List<long> stale = [];
            long number = 0;
            for (int batch = 0; batch < 5; batch++)
            {
                long[] items = [.. Enumerable.Range(0, 1 + random.Next(256)).Select(_ => ++number * 10 + random.Next(keys))];
                foreach (long item in items) producer.Publish(item);
                pipeline.StepAll();
                for (int i = 0; i < items.Length; i++)
                    (items.Skip(i + 1).Any(later => later % 10 == items[i] % 10) ? stale : survivors).Add(items[i]);
            }

            Assert.Equal(survivors, keeper.Items);
            Assert.Equal(stale, _dropped);
        }
    }

    // Every fourth item has a key of its own, the others share six.
    [Fact]
    public async Task Conflate_MoreKeysThanTheTableHolds_LosesNoKey()
    {
        const int Count = 6000;
        Keeper keeper = new();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8192).HaltOnDispose()
            .Stage(
                "only", Overflow.ConflateByKey(static (ref readonly long item) => item % 4 == 0 ? item : -(item % 8), keeper), Dispatch.Batch(max: 8192))
            .Build(Plan.Manual);
        await pipeline.StartAsync();
        SingleProducer<long> producer = pipeline.CreateProducer();
        foreach (long item in One.Range(0, Count)) producer.Publish(item);
        pipeline.StepAll();

        Assert.True(keeper.Items.SequenceEqual(keeper.Items.Order().Distinct()));
        Assert.Equal(Count / 4, keeper.Items.Count(static item => item % 4 == 0));
        long[] shared = [.. keeper.Items.Where(static item => item % 4 != 0)];
        Assert.Equal(One.Range(Count - 8, 8).Where(static item => item % 4 != 0), shared[^6..]);
        // Once more in the older part.
        Assert.InRange(shared.Length, 6, 12);
        Assert.Equal(Count, pipeline.Only().Items + pipeline.Only().Dropped);
    }

    [Fact]
    public async Task Conflate_TextKeys_AreComparedByValue()
    {
        List<string> seen = [];
        await using Pipeline<string> pipeline = Pipeline.Of<string>(16).HaltOnDispose()
            .Stage("only", Overflow.ConflateByKey(static (ref readonly string text) => text[..1], new Texts(seen)))
            .Build(Plan.Manual);
        await pipeline.StartAsync();
        SingleProducer<string> producer = pipeline.CreateProducer();
        foreach (string text in new[] { "a1", "b1", "a2", "c1", "b2" }) producer.Publish(text);
        pipeline.Stages[0].Step();
        Assert.Equal(["a2", "c1", "b2"], seen);
    }

    private sealed class Texts(List<string> seen) : IEventHandler<string>
    {
        public void OnEvent(ref string item, long sequence, bool endOfBatch) => seen.Add(item);
    }

    [Fact]
    public async Task Selector_Throws_IsTheFaultOfThatItemAlone()
    {
        KeySelector<long, long> key = static (ref readonly long item) =>
            item is 13 or 33 ? throw new FormatException() : item % 10;
        await using Pipeline<long> pipeline = await One.StageOf(
            Conflating(key), [11, 21, 13, 31, 12, 33, 41], onFault: FaultPolicy.Skip);
        pipeline.StepAll();

        Assert.Equal([21, 31, 12, 41], _keeper.Items.Where(item => item % 10 != 3));
        Assert.Equal([11], _dropped);
        StageStatistics done = pipeline.Only();
        Assert.Equal((4, 3, 1, 2), (done.Items, done.Skipped, done.Dropped, done.Faults));
    }

    [Fact]
    public async Task Selector_Throws_StopLeavesItAndWhatIsBehind()
    {
        KeySelector<long, long> key = static (ref readonly long item) => item == 13 ? throw new FormatException() : item % 10;
        await using Pipeline<long> pipeline = await One.StageOf(Conflating(key), [11, 21, 13, 31]);
        pipeline.StepAll();
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.IsType<FormatException>(fault.InnerException);
        Assert.Equal([21], _keeper.Items);
        Assert.Equal(2, pipeline.Unprocessed);
    }

    [Fact]
    public async Task Handler_ThrowsInARun_NothingIsHandledTwiceOrLost()
    {
        int left = 2;
        var keeper = new Keeper(batch =>
        {
            foreach (ref long item in batch)
                if (item == 12 && left-- > 0) throw new InvalidOperationException();
        });
        await using Pipeline<long> pipeline = await One.StageOf(
            Conflating(keeper: keeper), [1, 11, 2, 3, 12, 4], onFault: FaultPolicy.Retry(2, TimeSpan.Zero));
        pipeline.StepAll();
        Assert.Equal([1, 2], _dropped);
        Assert.Equal([11, 3, 12, 4], keeper.Items);
        StageStatistics done = pipeline.Only();
        Assert.Equal((4, 2, 2, 2), (done.Items, done.Dropped, done.Retries, done.Faults));
    }

    [Fact]
    public async Task Handler_FailsARun_TheRunAloneIsSearched()
    {
        List<int> calls = [];
        Keeper keeper = new(batch =>
        {
            calls.Add(batch.Count);
            if (batch.ToArray().Contains(5)) throw new FormatException();
        });
        // Runs of 5, 3 and 3: the items between them are stale.
        long[] items = [1, 2, 5, 3, 4, 10, 6, 7, 8, 20, 9, 30, 40];
        await using Pipeline<long> pipeline = await One.StageOf(
            Conflating(static (ref readonly long item) => item is 10 or 20 or 40 ? 0 : item, keeper), items, onFault: FaultPolicy.Skip);
        pipeline.StepAll();

        Assert.Equal([5, 3, 2, 1, 2, 3, 3], calls);
        Assert.Equal([10, 20], _dropped);
        Assert.Equal([1, 2, 3, 4, 6, 7, 8, 9, 30, 40], keeper.Items);
    }

    [Fact]
    public void Conflate_Null_IsRefused()
    {
        Assert.Throws<ArgumentNullException>(() => Overflow.ConflateByKey<long, long>(null!, _keeper));
        Assert.Throws<ArgumentNullException>(() => Overflow.ConflateByKey(Digit, (IBatchHandler<long>)null!));
    }
}
