using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.OverflowOf;

/// <summary>A stage that keeps the latest n of what waits, and passes over the rest.</summary>
public sealed class KeepLatestTests
{
    private readonly Keeper _keeper = new();
    private readonly List<long> _dropped = [];

    private IBatchHandler<long> Latest(int keep) =>
        Overflow.KeepLatest(keep, _keeper, (ref long item) => _dropped.Add(item));

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(9)]
    [InlineData(10)]
    [InlineData(11)]
    public async Task KeepLatest_Backlog_HandlesTheLatestAndDropsTheOldest(int keep)
    {
        await using Pipeline<long> pipeline = await One.StageOf(Latest(keep), One.Range(0, 10));
        pipeline.StepAll();

        int dropped = Math.Max(0, 10 - keep);
        Assert.Equal(One.Range(0, dropped), _dropped);
        Assert.Equal(One.Range(dropped, 10 - dropped), _keeper.Items);
        StageStatistics done = pipeline.Only();
        Assert.Equal((10 - dropped, dropped, dropped, 0), (done.Items, done.Skipped, done.Dropped, done.Faults));
        Assert.Equal(9, pipeline.Stages[0].Position);
    }

    // Items that lie around the end of the ring: wherever that is, each is handled once, in order, and the last one ends the batch.
    [Theory]
    [InlineData(5)]
    [InlineData(64)]
    [InlineData(100)]
    [InlineData(200)]
    public void KeepLatest_ByAnEventHandlerAroundTheEndOfTheRing_HandlesEachOnce(int count)
    {
        for (int before = 1; before < count; before++)
        {
            var events = new Events();
            TestBatch.Of<long>([.. One.Range(0, count)]).WrappedAfter(before).GiveTo(Overflow.KeepLatest(count, events));

            Assert.Equal(One.Range(0, count), events.Items);
            Assert.Equal([count - 1L], events.Ends);
        }
    }

    [Theory]
    [InlineData(DispatchLevel.Batch)]
    [InlineData(DispatchLevel.Each)]
    [InlineData(DispatchLevel.Single)]
    public async Task KeepLatest_InSmallBatches_CountsWhatIsBehindThem(DispatchLevel level)
    {
        Dispatch dispatch = level switch
        {
            DispatchLevel.Batch => Dispatch.Batch(max: 4),
            DispatchLevel.Each => Dispatch.Each(max: 4),
            _ => Dispatch.Single,
        };
        await using Pipeline<long> pipeline = await One.StageOf(Latest(5), One.Range(0, 20), dispatch);
        pipeline.StepAll();

        Assert.Equal(One.Range(0, 15), _dropped);
        Assert.Equal(One.Range(15, 5), _keeper.Items);
        Assert.Equal(20, pipeline.Only().Items + pipeline.Only().Dropped);
    }

    [Fact]
    public async Task KeepLatest_Dropped_IsReleasedBeforeTheHandlerIsCalled()
    {
        long atTheCall = -2;
        Pipeline<long>? running = null;
        var keeper = new Keeper(_ => atTheCall = running!.Stages[0].Position);
        await using Pipeline<long> pipeline = await One.StageOf(Overflow.KeepLatest(2, keeper), One.Range(0, 10));
        running = pipeline;
        pipeline.StepAll();
        Assert.Equal(7, atTheCall);
    }

    [Fact]
    public async Task KeepLatest_Events_EndWithTheBatch()
    {
        var keeper = new EventKeeper();
        await using Pipeline<long> pipeline = await One.StageOf(Overflow.KeepLatest(3, keeper), One.Range(0, 10));
        pipeline.StepAll();
        Assert.Equal([(7L, false), (8L, false), (9L, true)], keeper.Items);
    }

    [Fact]
    public async Task KeepLatest_HandlerThrows_SkipsThatItemOnly()
    {
        var keeper = new Keeper(static batch =>
        {
            foreach (ref long item in batch)
                if (item == 8) throw new InvalidOperationException();
        });
        await using Pipeline<long> pipeline = await One.StageOf(
            Overflow.KeepLatest(4, keeper), One.Range(0, 10), onFault: FaultPolicy.Skip);
        pipeline.StepAll();
        Assert.Equal([6, 7, 9], keeper.Items);
        StageStatistics done = pipeline.Only();
        Assert.Equal((3, 7, 6), (done.Items, done.Skipped, done.Dropped));
    }

    [Fact]
    public async Task Dropped_CallbackThrows_IsTheFaultOfThatItem()
    {
        List<long> given = [];
        bool thrown = false;
        IBatchHandler<long> handler = Overflow.KeepLatest(
            4,
            _keeper,
            (ref long item) =>
            {
                if (item == 2 && !thrown)
                {
                    thrown = true;
                    throw new InvalidOperationException();
                }

                given.Add(item);
            });
        await using Pipeline<long> pipeline = await One.StageOf(handler, One.Range(0, 10), onFault: FaultPolicy.Skip);
        pipeline.StepAll();
        Assert.Equal([0, 1, 3, 4, 5], given);
        Assert.Equal(One.Range(6, 4), _keeper.Items);
        StageStatistics done = pipeline.Only();
        Assert.Equal((4, 6, 5, 1), (done.Items, done.Skipped, done.Dropped, done.Faults));
    }

    [Fact]
    public async Task Wrapped_Handler_IsFoundAndItsHooksRun()
    {
        await using (Pipeline<long> pipeline = await One.StageOf(Overflow.KeepLatest(1, Latest(2)), One.Range(0, 3)))
        {
            pipeline.StepAll();
            Assert.Same(_keeper, pipeline.Stages[0].GetHandler<Keeper>());
            Assert.Equal(1, _keeper.Starts);
        }

        Assert.Equal(0, _keeper.Starts);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-5)]
    public void KeepLatest_BelowOne_IsRefused(int keep)
    {
        Assert.Contains(
            $"keep={keep}", Assert.Throws<ArgumentOutOfRangeException>(() => Latest(keep)).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => Overflow.KeepLatest(1, (IBatchHandler<long>)null!));
    }

    [Fact]
    public async Task Dump_StageThatDrops_SaysHowMany()
    {
        await using Pipeline<long> pipeline = await One.StageOf(Latest(4), One.Range(0, 10));
        Assert.DoesNotContain("dropped", pipeline.Dump(), StringComparison.Ordinal);
        pipeline.StepAll();
        string[] lines = pipeline.Dump().Split('\n');
        Assert.EndsWith("skipped  dropped", lines[1], StringComparison.Ordinal);
        Assert.EndsWith("      6        6", lines[2], StringComparison.Ordinal);
    }

    private sealed class Events : IEventHandler<long>
    {
        public List<long> Items { get; } = [];

        public List<long> Ends { get; } = [];

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            Items.Add(item);
            if (endOfBatch) Ends.Add(item);
        }
    }
}
