namespace Raceway.Rings.Tests;

/// <summary>A minimum over lanes: what they hold together counts, and none of it is left behind.</summary>
public sealed class ShardedMinimumTests
{
    private static (RingBuffer<long> Ring, Recorder Handler, Stage Stage, SingleProducer<long>[] Lanes) Four(Dispatch dispatch)
    {
        var ring = Make.Ring(32, ProducerKind.Sharded, maxProducers: 4);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped(dispatch));
        return (ring, handler, stage, [.. Enumerable.Range(0, 4).Select(_ => ring.CreateProducer())]);
    }

    [Fact]
    public void Min_ReachedInTwoLooks_IsMet()
    {
        (_, Recorder handler, Stage stage, SingleProducer<long>[] lanes) = Four(Dispatch.Batch(min: 4));
        lanes[0].Publish(0);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.False(stage.NextTarget().IsOver);
        Make.PublishRange(lanes[0], 1, 3);
        Assert.True(stage.NextTarget().IsOver);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 3), handler.Items);
    }

    [Theory]
    [InlineData("batch")]
    [InlineData("each")]
    public void Min_ReachedByLanesTogether_AllOfThemAreHandled(string level)
    {
        (_, Recorder handler, Stage stage, SingleProducer<long>[] lanes) =
            Four(level == "batch" ? Dispatch.Batch(min: 4) : Dispatch.Each(min: 4));
        for (int i = 0; i < 3; i++) lanes[i].Publish(i);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(3, stage.NextTarget().Awaited);
        lanes[3].Publish(3);
        Assert.True(stage.NextTarget().IsOver);
        // Four runs of one item: what counted for the minimum is not held back by it afterwards.
        Make.StepAll(stage);
        Assert.Equal([0, 1, 2, 3], handler.Items.Order());
        lanes[0].Publish(4);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
    }

    [Fact]
    public void Min_ABatchOfOneLaneAndMore_TheRestIsHandledToo()
    {
        (_, Recorder handler, Stage stage, SingleProducer<long>[] lanes) = Four(Dispatch.Batch(min: 4));
        Make.PublishRange(lanes[0], 0, 4);
        Make.PublishRange(lanes[1], 5, 6);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 6), handler.Items.Order());
    }

    [Fact]
    public async Task Min_AsyncStageOneByOne_AllThatCountedAreHandled()
    {
        var ring = Make.Ring(16);
        List<long> items = [];
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>((batch, _) =>
            {
                items.Add(batch[0]);
                return default;
            }),
            Make.Stepped(Dispatch.Each(min: 4)));
        Make.PublishRange(ring.CreateProducer(), 0, 3);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 3), items);
        await ring.HaltAsync();
    }

    [Fact]
    public async Task Min_ProducerOfAFullLaneWaits_HoldsNothingBack()
    {
        (RingBuffer<long> ring, _, Stage stage, SingleProducer<long>[] lanes) = Four(Dispatch.Batch(min: 16));
        Make.PublishRange(lanes[0], 0, 7);
        lanes[1].Publish(8);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Task<bool> room = lanes[0].WaitForRoomAsync(8).AsTask();
        Assert.False(room.IsCompleted);
        Assert.Equal(9, Make.StepAll(stage));
        Assert.True(await Watchdog.Await(room, ring));
        lanes[0].Publish(9);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
    }

    public static TheoryData<string> Sleepers => [.. Wait.All.Select(wait => wait.Name)];

    [Theory]
    [MemberData(nameof(Sleepers))]
    public async Task Min_TwoLanesReachItTogether_WakesEveryTime(string wait)
    {
        // Each publishes half of the minimum; whoever comes second has to notice that both did.
        const int Half = 4;
        int rounds = wait == "busy-spin" ? 50 : 500;
        var ring = Make.Ring(4 * Half, ProducerKind.Sharded, Wait.All.Single(known => known.Name == wait), maxProducers: 2);
        var handler = new Summed();
        ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Batch(min: 2 * Half) });
        ring.Start();
        using var together = new Barrier(2);
        Task[] publishing = [.. Enumerable.Range(0, 2).Select(_ =>
        {
            SingleProducer<long> producer = ring.CreateProducer();
            return Watchdog.Run(() =>
            {
                for (int round = 1; round <= rounds; round++)
                {
                    together.SignalAndWait();
                    for (int i = 0; i < Half; i++) producer.Publish(1);
                    while (handler.Count < round * 2 * Half && ring.State == RingState.Running) Thread.Yield();
                }
            });
        })];
        try
        {
            await Watchdog.Await(Task.WhenAll(publishing), ring);
            Assert.Equal(rounds * 2 * Half, handler.Count);
        }
        finally
        {
            await Watchdog.Await(ring.HaltAsync(), ring);
        }
    }

    private sealed class Summed : IBatchHandler<long>
    {
        private long _count;

        public long Count => Volatile.Read(ref _count);

        public void OnBatch(Batch<long> batch) => Volatile.Write(ref _count, _count + batch.Count);
    }
}
