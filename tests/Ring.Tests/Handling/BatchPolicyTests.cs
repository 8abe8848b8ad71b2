namespace Raceway.Rings.Tests;

/// <summary>When a batch is closed, and why. Stepped by the test, on time that the test moves.</summary>
public sealed class BatchPolicyTests
{
    private readonly Recorder _handler = new();
    private readonly WatchedTime _time = new();

    private (RingBuffer<long> Ring, Stage Stage, SingleProducer<long> Producer) Build(Dispatch dispatch, int capacity = 32)
    {
        var ring = Make.Ring(capacity, time: _time);
        Stage stage = ring.Subscribe(_handler, Make.Stepped(dispatch));
        return (ring, stage, ring.CreateProducer());
    }

    [Fact]
    public void Min_Below_WaitsAndThenTakesAll()
    {
        (_, Stage stage, SingleProducer<long> producer) = Build(Dispatch.Batch(min: 4));
        for (int i = 0; i < 3; i++)
        {
            producer.Publish(i);
            Assert.Equal(StepKind.Idle, stage.Step().Kind);
        }

        Make.PublishRange(producer, 3, 5);
        Assert.Equal(new StepResult(StepKind.Progressed, 6), stage.Step());
        Assert.Equal([CloseReason.Drained], _handler.Reasons);
    }

    [Fact]
    public void Min_MoreThanMax_LeftoverBelowMinWaits()
    {
        (_, Stage stage, SingleProducer<long> producer) = Build(Dispatch.Batch(max: 4, min: 4));
        Make.PublishRange(producer, 0, 9);
        Assert.Equal(8, Make.StepAll(stage));
        Assert.Equal([4, 4], _handler.Sizes);
        Make.PublishRange(producer, 10, 11);
        Assert.Equal(4, Make.StepAll(stage));
        Assert.Equal(Make.Range(0, 11), _handler.Items);
    }

    [Fact]
    public void Min_RingClosing_TakesTheRest()
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) = Build(Dispatch.Batch(min: 4));
        Make.PublishRange(producer, 0, 1);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        ring.Complete();
        Assert.Equal(2, stage.Step().Count);
        Assert.Equal([CloseReason.Stop], _handler.Reasons);
    }

    [Fact]
    public void MaxAge_Below_SaysUntilWhenToWait()
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) =
            Build(Dispatch.Batch(min: 4, maxAge: TimeSpan.FromDays(1)));
        producer.Publish(0);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        long deadline = stage.NextTarget().Deadline;
        Assert.Equal(TimeSpan.FromDays(1), ring.Clock.Until(deadline));
        _time.Advance(TimeSpan.FromHours(1));
        // Later items do not move it, nor does looking again: it is never re-armed.
        producer.Publish(1);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(deadline, stage.NextTarget().Deadline);
    }

    [Fact]
    public void MaxAge_Reached_ClosesTheBatch()
    {
        (_, Stage stage, SingleProducer<long> producer) = Build(Dispatch.Batch(min: 4, maxAge: TimeSpan.FromTicks(1)));
        producer.Publish(0);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.Equal(StepKind.Progressed, stage.Step().Kind);
        Assert.Equal([1], _handler.Sizes);
        Assert.Equal([CloseReason.Age], _handler.Reasons);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(Clock.Never, stage.NextTarget().Deadline);
    }

    [Fact]
    public void MaxAge_MinMetFirst_IsDrained()
    {
        (_, Stage stage, SingleProducer<long> producer) = Build(Dispatch.Batch(min: 2, maxAge: TimeSpan.FromDays(1)));
        producer.Publish(0);
        stage.Step();
        producer.Publish(1);
        Assert.Equal(2, stage.Step().Count);
        Assert.Equal([CloseReason.Drained], _handler.Reasons);
    }

    [Fact]
    public async Task Dispatch_LowerMinimum_WakesAStageAsleep()
    {
        var ring = Make.Ring(32, wait: Wait.Park());
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Batch(min: 16) });
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 1, 3);
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        Assert.Equal(0, handler.Count);
        stage.Dispatch = Dispatch.Batch(min: 2);
        await Watchdog.UntilAsync(() => handler.Count == 3, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(6, handler.Sum);
    }

    [Fact]
    public void Statistics_CloseReasons_HaveAPlaceForEach()
    {
        (_, Stage stage, _) = Build(Dispatch.Batch());
        Assert.Equal(Enum.GetValues<CloseReason>().Length, stage.GetStatistics().CloseReasons.Count);
    }

    [Fact]
    public void Statistics_Batches_CountedByReasonAndSize()
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) = Build(Dispatch.Batch(max: 8, min: 2));
        Make.PublishRange(producer, 0, 18); // 8 + 8 + 3
        Make.StepAll(stage);
        producer.Publish(19);
        stage.Step();
        ring.Complete();
        Make.StepAll(stage); // 1
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal((4, 20), (seen.Batches, seen.Items));
        Assert.Equal([1, 2, 0, 1, 0, 0], seen.CloseReasons); // drained, full, age, stop, weight, cut
        Assert.Equal([1, 1, 0, 2], seen.BatchSizes.Take(4)); // 1, 2–3, 4–7, 8–15
        Assert.Equal(0, seen.BatchSizes.Skip(4).Sum());
        Assert.Equal(5.0, seen.MeanBatch);
        Assert.Equal(0, seen.Lag);
    }

    [Fact]
    public void Lag_Snapshot_CountsWhatIsNotPassed()
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) = Build(Dispatch.Batch(max: 4));
        Make.PublishRange(producer, 0, 9);
        Assert.Equal((10, 10, 22), (stage.Lag, ring.Backlog, producer.Remaining));
        stage.Step();
        Assert.Equal((6, 6, 26), (stage.Lag, ring.Backlog, producer.Remaining));
    }

    [Fact]
    public void ToString_NamesWhatDiffersFromTheDefault()
    {
        Assert.Equal("single", Dispatch.Single.ToString());
        Assert.Equal("each", Dispatch.Each().ToString());
        Assert.Equal(
            "batch max 8 min 2 age 1.5 ms progress 4",
            Dispatch.Batch(8, 2, TimeSpan.FromMilliseconds(1.5), 4).ToString());
        Assert.Equal(Dispatch.Batch(8), Dispatch.Batch(8));
    }
}
