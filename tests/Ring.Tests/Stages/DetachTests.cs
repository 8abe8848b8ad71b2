namespace Raceway.Rings.Tests;

/// <summary>Stages that leave: what they held back goes free, and only once they have ended.</summary>
public sealed partial class DetachTests
{
    [Fact]
    public async Task DetachAsync_Follower_UpstreamKeepsItsPosition()
    {
        var ring = Make.Ring(16);
        Stage first = ring.Subscribe(new Recorder(), Make.Stepped());
        Stage second = ring.Subscribe(new Recorder(), Make.Stepped(after: [first]));
        Make.PublishRange(ring.CreateProducer(), 0, 9);
        Make.StepAll(first);
        second.Step(4);
        await Watchdog.Await(ring.DetachAsync(second), ring);
        Assert.Equal(9, first.Position);
    }

    [Fact]
    public async Task DetachAsync_LaggingFollower_DrainIsDone()
    {
        var ring = Make.Ring(16);
        var tail = new Blocker();
        var head = new Summer();
        Stage first = ring.Subscribe(head);
        Stage second = ring.Subscribe(tail, Make.After(first));
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 9);
        await Watchdog.UntilAsync(() => first.Position == 9, ring);
        await Watchdog.Await(tail.Entered, ring);
        Task detached = ring.DetachAsync(second);
        tail.Release();
        await Watchdog.Await(detached, ring);
        DrainResult result = await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
        Assert.True(result.IsDrained);
        Assert.Equal(10, head.Count);
    }

    [Fact]
    public async Task DetachAsync_InsideACall_SlotsStayTheHandlers()
    {
        var ring = Make.Ring(4);
        List<long> seenAfter = [];
        var slow = new Blocker { Then = batch => seenAfter.AddRange(batch.First.ToArray()) };
        Stage other = ring.Subscribe(new Summer());
        Stage leaving = ring.Subscribe(slow);
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        using (Claim<long> claim = producer.Claim(4))
        {
            for (int i = 0; i < 4; i++) claim[i] = i;
            claim.Commit();
        }

        await Watchdog.Await(slow.Entered, ring);
        Task detached = ring.DetachAsync(leaving);
        await Watchdog.UntilAsync(() => other.Position == 3, ring);
        for (long value = 100; value < 104; value++) producer.TryPublish(value);
        slow.Release();
        await Watchdog.Await(detached, ring);
        Assert.Equal([0, 1, 2, 3], seenAfter);
        await ring.DisposeAsync();
    }

    [Fact]
    public async Task DetachAsync_BlockedProducer_GoesOn()
    {
        var ring = Make.Ring(4);
        var fast = new Summer();
        ring.Subscribe(fast);
        Stage stuck = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        Task publishing = Watchdog.Run(() => Make.PublishRange(producer, 0, 99));
        await Watchdog.UntilAsync(() => Peek.IsArmed(stuck.Done), ring);
        await Watchdog.Await(ring.DetachAsync(stuck), ring);
        await Watchdog.Await(publishing, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(100, fast.Count);
    }

    [Fact]
    public async Task DetachAsync_StageWithFollowers_IsRefused()
    {
        var ring = Make.Ring();
        Stage first = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.Subscribe(new Recorder(), Make.Stepped(after: [first]));
        await Assert.ThrowsAsync<InvalidOperationException>(() => ring.DetachAsync(first));
    }

    [Fact]
    public async Task DetachAsync_OwnThread_StopHookRunsOnce()
    {
        var ring = Make.Ring();
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        await Watchdog.Await(ring.DetachAsync(stage), ring);
        Assert.Equal((1, 1), (handler.Starts, handler.Stops));
        await ring.DisposeAsync();
        Assert.Equal((1, 1), (handler.Starts, handler.Stops));
    }

    [Fact]
    public async Task DetachAsync_SteppedByTheCaller_StopHookRunsOnce()
    {
        var ring = Make.Ring();
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        stage.Step();
        await Watchdog.Await(ring.DetachAsync(stage), ring);
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        await ring.DisposeAsync();
        Assert.Equal((1, 1), (handler.Starts, handler.Stops));
    }

    [Fact]
    public async Task DetachAsync_NotStarted_NeverRuns()
    {
        var ring = Make.Ring();
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler);
        await Watchdog.Await(ring.DetachAsync(stage), ring);
        Assert.Empty(ring.Stages);
        ring.Start();
        Assert.Equal(0, handler.Starts);
        await ring.DisposeAsync();
    }

    [Fact]
    public async Task DetachAsync_ThenSubscribe_DefaultNamesStayUnique()
    {
        var ring = Make.Ring();
        Stage first = ring.Subscribe(new Recorder());
        ring.Subscribe(new Recorder());
        await ring.DetachAsync(first);
        ring.Subscribe(new Recorder());
        Assert.Equal(2, ring.Stages.Select(stage => stage.Name).Distinct().Count());
    }

    [Fact]
    public async Task PolicyDetach_SideBranch_RingGoesOn()
    {
        var ring = Make.Ring();
        var fine = new Recorder();
        Stage main = ring.Subscribe(fine, Make.Stepped());
        Stage side = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) => throw new InvalidOperationException()),
            Make.Stepped(onFault: FaultPolicy.Detach));
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 7);
        Make.StepAll(main);
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(8));
        Assert.Equal(StepKind.Stopped, side.Step().Kind);
        Assert.IsType<InvalidOperationException>(side.Fault);
        Assert.Equal([main], ring.Stages);
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(8));
        Make.StepAll(main);
        Assert.Equal(Make.Range(0, 8), fine.Items);
        Assert.Equal(RingState.Created, ring.State);
        await ring.DisposeAsync();
    }

    [Fact]
    public async Task PolicyDetach_WhileDraining_RingIsDrained()
    {
        var ring = Make.Ring();
        var fine = new Recorder();
        Stage main = ring.Subscribe(fine, Make.Stepped());
        Stage side = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) => throw new InvalidOperationException()),
            Make.Stepped(onFault: FaultPolicy.Detach));
        Make.PublishRange(ring.CreateProducer(), 0, 3);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        Make.StepAll(main);
        Assert.False(drain.IsCompleted);
        side.Step();
        Assert.True((await Watchdog.Await(drain, ring)).IsDrained);
        Assert.Equal(Make.Range(0, 3), fine.Items);
    }

    [Fact]
    public async Task PolicyDetach_OnlyStage_FaultsTheRingAndReleasesItsProducer()
    {
        var ring = Make.Ring(2);
        Stage only = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) => throw new FormatException()),
            Make.Stepped(onFault: FaultPolicy.Detach));
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 1);
        (_, Task<Exception?> ended) = Watchdog.RunThread(() => producer.Publish(2));
        await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(ring), ring);
        only.Step();
        Assert.IsType<RingFaultedException>(await Watchdog.Await(ended, ring));
    }

    [Fact]
    public void PolicyDetach_OthersFollow_FaultsTheRing()
    {
        var ring = Make.Ring();
        Stage first = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) => throw new InvalidOperationException()),
            Make.Stepped(onFault: FaultPolicy.Detach));
        ring.Subscribe(new Recorder(), Make.Stepped(after: [first]));
        ring.CreateProducer().Publish(1);
        first.Step();
        Assert.Equal(RingState.Faulted, ring.State);
    }
}
