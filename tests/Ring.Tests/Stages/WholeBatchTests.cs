using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

/// <summary>A handler that takes all: its batches have no limit that it, or a dispatch, does not name.</summary>
public sealed class WholeBatchTests
{
    private const int Capacity = 16_384;
    private const int Items = 10_000;

    [Fact]
    public void Step_HandlerThatTakesAll_IsGivenAllThatWaits()
    {
        var ring = Make.Ring(Capacity);
        var (all, some) = (new Sizes(takesAll: true), new Sizes(takesAll: false));
        Stage[] stages = [ring.Subscribe(all, Make.Stepped()), ring.Subscribe(some, Make.Stepped())];
        Make.PublishRange(Make.Producer(ring), 0, Items - 1);

        foreach (Stage stage in stages) Make.StepAll(stage);

        Assert.Equal([Items], all.Seen);
        Assert.Equal([Dispatch.DefaultMax, Dispatch.DefaultMax, Items - (2 * Dispatch.DefaultMax)], some.Seen);
    }

    [Fact]
    public void Step_StructHandlerThatTakesAll_IsGivenAllThatWaits()
    {
        var ring = Make.Ring(Capacity);
        var seen = new List<int>();
        Stage stage = ring.Slots.SubscribeBatches(new StructSizes(seen), Make.Stepped());
        Make.PublishRange(Make.Producer(ring), 0, Items - 1);

        Make.StepAll(stage);

        Assert.Equal([Items], seen);
    }

    [Fact]
    public void Dispatch_LimitThatIsNamed_Holds_AlsoWhenItIsChanged()
    {
        var ring = Make.Ring(Capacity);
        var sizes = new Sizes(takesAll: true);
        Stage stage = ring.Subscribe(sizes, Make.Stepped());
        Make.PublishRange(Make.Producer(ring), 0, Items - 1);

        stage.Dispatch = Dispatch.Batch(max: 64);
        stage.Step();
        stage.Dispatch = Dispatch.Batch();
        stage.Step();

        Assert.Equal([64, Items - 64], sizes.Seen);
    }

    // A call that takes longer than a slice is cut there.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Pool_HandlerWithLongCalls_IsCutUnlessItTakesAll(bool takesAll)
    {
        var ring = Make.Ring(Capacity, wait: Wait.Async());
        var sizes = new Sizes(takesAll, takes: TimeSpan.FromMilliseconds(1));
        ring.Subscribe(sizes);
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 99);
        ring.Start();
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);

        if (takesAll) Assert.Equal([100], sizes.Seen);
        else Assert.True(sizes.Seen.Count > 4, $"{sizes.Seen.Count} calls");
    }

    // Of slots this large a step on one thread is 256 otherwise.
    [Theory]
    [InlineData(true, 1_000)]
    [InlineData(false, 256)]
    public void Fused_BesideOneThatTakesAll_EachStepBringsAllThatWaits(bool takesAll, int expected)
    {
        var ring = new RingBuffer<Large>(Capacity);
        var (before, all) = (new LargeSizes(takesAll: false), new LargeSizes(takesAll));
        Stage first = ring.Subscribe(before, new StageOptions { InGroup = true });
        Stage second = ring.Subscribe(all, new StageOptions { InGroup = true, After = [first] });
        var fused = new FusedStages([first, second]);
        SingleProducer<Large> producer = ring.CreateProducer();
        for (int i = 0; i < 1_000; i++) producer.Publish(default(Large));

        fused.StepOnce();

        Assert.Equal([expected], before.Seen);
        Assert.Equal([expected], all.Seen);
    }

    private sealed class Sizes(bool takesAll, TimeSpan takes = default) : IBatchHandler<long>, IWholeBatchHandler
    {
        public List<int> Seen { get; } = [];

        public bool TakesAll => takesAll;

        public void OnBatch(Batch<long> batch)
        {
            Seen.Add(batch.Count);
            long begun = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(begun) < takes) Thread.SpinWait(1);
        }
    }

    private sealed class LargeSizes(bool takesAll) : IBatchHandler<Large>, IWholeBatchHandler
    {
        public List<int> Seen { get; } = [];

        public bool TakesAll => takesAll;

        public void OnBatch(Batch<Large> batch) => Seen.Add(batch.Count);
    }

    [InlineArray(32)]
    private struct Large
    {
        private long _first;
    }

    private readonly struct StructSizes(List<int> seen) : IBatchHandler<long>, IWholeBatchHandler
    {
        public bool TakesAll => true;

        public void OnBatch(Batch<long> batch) => seen.Add(batch.Count);
    }
}
