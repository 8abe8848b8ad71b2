namespace Raceway.Rings.Tests;

/// <summary>What a handler says of its width: any kind of handler, once.</summary>
public sealed class WidthTests
{
    [Fact]
    public void Width_HandlerOfAnyKind_IsInItsStatistics()
    {
        var ring = Make.Ring();
        Stage[] stages =
        [
            ring.Subscribe((IBatchHandler<long>)new Wide(8), Make.Stepped()),
            ring.Subscribe((IEventHandler<long>)new Wide(8), Make.Stepped()),
            ring.Subscribe((IAsyncBatchHandler<long>)new Wide(8), Make.Stepped()),
            ring.Subscribe((IOutcomeHandler<long>)new Wide(8), Make.Stepped()),
            ring.Slots.SubscribeBatches(new WideStruct(8), Make.Stepped()),
        ];

        Assert.All(stages, static stage => Assert.Equal(8, stage.GetStatistics().Width));
    }

    [Fact]
    public void Width_HandlerThatSaysNothing_IsOne()
    {
        var ring = Make.Ring();

        Assert.Equal(1, ring.Subscribe(static (ref long _) => { }, Make.Stepped()).GetStatistics().Width);
        Assert.Equal(1, ring.Subscribe(new Recorder(), Make.Stepped()).GetStatistics().Width);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-8)]
    public void Width_BelowOne_IsRefused_AndTheRingGoesOn(int width)
    {
        var ring = Make.Ring();

        ArgumentException refused = Assert.Throws<ArgumentException>(() => ring.Subscribe((IBatchHandler<long>)new Wide(width), Make.Stepped(name: "hash")));

        Assert.Contains($"stage='hash', width={width}", refused.Message, StringComparison.Ordinal);
        Assert.Empty(ring.Stages);
        Stage good = ring.Subscribe((IBatchHandler<long>)new Wide(2), Make.Stepped());
        Make.PublishRange(Make.Producer(ring), 0, 7);
        Assert.Equal(8, Make.StepAll(good));
    }

    [Fact]
    public void Width_ChangesLater_IsThatOfTheBeginning()
    {
        var ring = Make.Ring();
        var handler = new Wide(4);
        Stage stage = ring.Subscribe((IBatchHandler<long>)handler, Make.Stepped());

        handler.Width = 16;

        Assert.Equal(4, stage.GetStatistics().Width);
        Assert.Equal(1, handler.Asked);
    }

    private sealed class Wide(int width) : IBatchHandler<long>, IEventHandler<long>, IAsyncBatchHandler<long>, IOutcomeHandler<long>, IWideHandler
    {
        private int _width = width;

        public int Asked { get; private set; }

        public int Width
        {
            get
            {
                Asked++;
                return _width;
            }

            set => _width = value;
        }

        void IBatchHandler<long>.OnBatch(Batch<long> batch)
        {
        }

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
        }

        public ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) => default;

        BatchOutcome IOutcomeHandler<long>.OnBatch(Batch<long> batch) => BatchOutcome.Done;
    }

    private readonly struct WideStruct(int width) : IBatchHandler<long>, IWideHandler
    {
        public int Width => width;

        public void OnBatch(Batch<long> batch)
        {
        }
    }
}
