namespace Raceway.Rings.Tests;

/// <summary>Batches: two spans over the wrap, indexing, walking, marks and facts.</summary>
public sealed class BatchTests
{
    [Fact]
    public void View_EveryStartAndLength_HasExactlyThoseItems()
    {
        var ring = new RingBuffer<long>(16);
        for (long i = 0; i < 16; i++) ring.Slots[i] = i;
        for (long first = 0; first < 48; first++)
        {
            for (int count = 1; count <= 16; count++)
            {
                Batch<long> batch = ring.Slots.View(first, count, null);
                Assert.Equal(count, batch.Count);
                Assert.Equal(first, batch.Sequence);
                Assert.Equal(first % 16 + count > 16, !batch.Second.IsEmpty);
                List<long> walked = [];
                foreach (ref long item in batch) walked.Add(item);
                Assert.Equal(Enumerable.Range(0, count).Select(i => (first + i) % 16), walked);
                for (int i = 0; i < count; i++) Assert.Equal((first + i) % 16, batch[i]);
            }
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(6)]
    [InlineData(int.MaxValue)]
    [InlineData(int.MinValue)]
    public void Indexer_OutOfRange_Throws(int index)
    {
        var ring = new RingBuffer<long>(8);
        Assert.Throws<ArgumentOutOfRangeException>(() => ring.Slots.View(5, 6, null)[index]);
        Assert.Throws<ArgumentOutOfRangeException>(() => ring.Slots.View(0, 6, null)[index]);
    }

    [Fact]
    public void Enumerator_Writes_ReachTheSlots()
    {
        var ring = new RingBuffer<long>(8);
        foreach (ref long item in ring.Slots.View(6, 4, null)) item = 5;
        Assert.Equal([5, 5, 0, 0, 0, 0, 5, 5], Enumerable.Range(0, 8).Select(i => ring.Slots[i]));
    }

    [Fact]
    public void Enumerator_References_OverTheWrap()
    {
        var ring = new RingBuffer<string>(4);
        for (long i = 0; i < 4; i++) ring.Slots[i] = $"{i}";
        List<string> walked = [];
        foreach (ref string item in ring.Slots.View(3, 4, null)) walked.Add(item);
        Assert.Equal(["3", "0", "1", "2"], walked);
    }

    [Fact]
    public void Batch_OverAnArray_NeedsNoRing()
    {
        long[] items = [4, 5, 6];
        var batch = new Batch<long>(items, sequence: 9);
        Assert.Equal((3, 9, 3), (batch.Count, batch.Sequence, batch.Depth));
        Assert.Equal(TimeSpan.Zero, batch.Age);
        Assert.Equal(CloseReason.Drained, batch.CloseReason);
        batch.Complete(2);
        long sum = 0;
        foreach (ref long item in batch) sum += item;
        Assert.Equal(15, sum);
        foreach (ref long item in new Batch<long>([])) sum += item;
        Assert.Equal(15, sum);
    }

    [Fact]
    public void Size_AnyPositionInTheRing_IsAllThatIsThere()
    {
        var ring = Make.Ring(16);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        for (long start = 0; start < 16; start++)
        {
            // 11 at a time visits every offset of a ring of 16.
            Make.PublishRange(producer, start * 11, start * 11 + 10);
            Assert.Equal(new StepResult(StepKind.Progressed, 11), stage.Step());
        }

        Assert.All(handler.Sizes, size => Assert.Equal(11, size));
        Assert.Equal(Make.Range(0, 16 * 11 - 1), handler.Items);
    }

    [Fact]
    public void Depth_MoreThanTheBatch_IsTheBacklog()
    {
        var ring = Make.Ring(16);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped(Dispatch.Batch(max: 4)));
        Make.PublishRange(ring.CreateProducer(), 0, 9);
        Make.StepAll(stage);
        Assert.Equal([4, 4, 2], handler.Sizes);
        Assert.Equal([10, 6, 2], handler.Depths);
        Assert.Equal([CloseReason.Full, CloseReason.Full, CloseReason.Drained], handler.Reasons);
    }

    // Of a limit that most batches reach it is said that it could be raised: that is no help where the step ends them.
    [Theory]
    [InlineData(null, CloseReason.Cut)]
    [InlineData(4, CloseReason.Cut)]
    [InlineData(3, CloseReason.Full)]
    [InlineData(2, CloseReason.Full)]
    public void CloseReason_StepOfThree_IsTheLimitOnlyIfThatIsReached(int? max, CloseReason expected)
    {
        var ring = Make.Ring(16);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped(Dispatch.Batch(max: max)));
        Make.PublishRange(ring.CreateProducer(), 0, 9);

        stage.Step(3);

        Assert.Equal(expected, handler.Reasons[0]);
        Assert.Equal(1, stage.GetStatistics().CloseReasons[(int)expected]);
    }

    [Fact]
    public void Age_TakenAtOnce_IsZero()
    {
        var ring = Make.Ring(16);
        TimeSpan age = TimeSpan.MaxValue;
        Stage stage = ring.Subscribe(new BatchLambda<long>(batch => age = batch.Age), Make.Stepped());
        ring.CreateProducer().Publish(1);
        stage.Step();
        Assert.Equal(TimeSpan.Zero, age);
    }

    [Fact]
    public void Age_LeftOver_IsMeasured()
    {
        var time = new WatchedTime();
        var ring = Make.Ring(16, time: time);
        List<TimeSpan> ages = [];
        Stage stage = ring.Subscribe(new BatchLambda<long>(batch => ages.Add(batch.Age)), Make.Stepped(Dispatch.Batch(max: 2)));
        Make.PublishRange(ring.CreateProducer(), 0, 3);
        stage.Step();
        time.Advance(TimeSpan.FromHours(1));
        stage.Step();
        Assert.Equal([TimeSpan.Zero, TimeSpan.FromHours(1)], ages);
    }
}
