namespace Raceway.Rings.Tests;

/// <summary>Stages asleep below their minimum must hear of everything that ends the wait.</summary>
public sealed class MinimumTests
{
    public static TheoryData<string> Sleepers => [.. Wait.All.Select(wait => wait.Name)];

    private static Wait Named(string name) => Wait.All.Single(wait => wait.Name == name);

    [Theory]
    [MemberData(nameof(Sleepers))]
    public async Task MaxAge_LoneItemToAStageAsleep_IsHandled(string wait)
    {
        await using var ring = Make.Ring(16, wait: Named(wait));
        var handler = new Summer();
        ring.Subscribe(
            handler, new StageOptions { Dispatch = Dispatch.Batch(min: 8, maxAge: TimeSpan.FromMilliseconds(1)) });
        ring.Start();
        if (wait is "park" or "async") await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        ring.CreateProducer().Publish(7);
        await Watchdog.UntilAsync(() => handler.Count == 1, ring);
        Assert.Equal(7, handler.Sum);
    }

    [Theory]
    [MemberData(nameof(Sleepers))]
    public async Task Drain_FollowerBelowItsMinimum_IsHandled(string wait)
    {
        var ring = Make.Ring(16, wait: Named(wait));
        var first = new Blocker();
        var second = new Summer();
        Stage upstream = ring.Subscribe(first);
        ring.Subscribe(
            second, new StageOptions { Dispatch = Dispatch.Batch(min: 8), After = [upstream] });
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 2);
        await Watchdog.Await(first.Entered, ring);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        // The follower has heard of the closing while there is nothing for it yet, and sleeps again.
        if (wait is "park" or "async") await Watchdog.UntilAsync(() => Peek.IsArmed(upstream.Done), ring);
        first.Release();
        DrainResult result = await Watchdog.Await(drain, ring);
        Assert.Equal(DrainStatus.Drained, result.Status);
        Assert.Equal(3, second.Count);
    }

    [Fact]
    public void NextTarget_ClosedWithNothingKnown_AwaitsTheVeryNext()
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 8)));
        ring.Complete();
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(0, stage.NextTarget().Awaited);
    }

    [Fact]
    public void NextTarget_AgeLimitWithNothingKnown_AwaitsTheVeryNext()
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 8, maxAge: TimeSpan.FromDays(1))));
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(0, stage.NextTarget().Awaited);
    }

    [Theory]
    [InlineData(ProducerKind.Single, 1)]
    [InlineData(ProducerKind.Multi, 1)]
    [InlineData(ProducerKind.Sharded, 1)]
    [InlineData(ProducerKind.Single, 4)]
    [InlineData(ProducerKind.Multi, 4)]
    [InlineData(ProducerKind.Sharded, 4)]
    public void NextTarget_PublishedAfterTheLook_IsOver(ProducerKind kind, int min)
    {
        var ring = Make.Ring(16, kind);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: min)));
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Make.PublishRange(Make.Producer(ring), 0, 7);
        Assert.True(stage.NextTarget().IsOver);
    }

    [Fact]
    public void NextTarget_BehindAHole_AwaitsTheHole()
    {
        var ring = Make.Ring(16, ProducerKind.Multi);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 4)));
        using MultiProducer<long> first = ring.CreateMultiProducer();
        using MultiProducer<long> second = ring.CreateMultiProducer();
        first.Publish(0);
        using Claim<long> hole = first.Claim();
        Make.PublishRange(second, 2, 7);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        WaitTarget target = stage.NextTarget();
        Assert.Equal(1, target.Awaited);
        Assert.False(target.IsOver);
        hole.Commit();
        Assert.True(target.IsOver);
        Assert.Equal(8, stage.Step().Count);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Min_ProducerWaitsForRoom_HoldsNothingBack(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 4)));
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 1);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Task<bool> room = producer.WaitForRoomAsync(producer.MaxClaim).AsTask();
        Assert.False(room.IsCompleted);
        Assert.Equal(2, stage.Step().Count);
        Assert.True(await Watchdog.Await(room, ring));
        // Nobody waits any more: the minimum holds again.
        producer.Publish(2);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Min_BlockedProducerGotItsRoom_HoldsAgain(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 4)));
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 7);
        Task blocked = Watchdog.Run(() => producer.Publish(8));
        await Watchdog.UntilAsync(() => ring.HasBlockedProducers, ring);
        Assert.Equal(8, stage.Step().Count);
        await Watchdog.Await(blocked, ring);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
    }

    [Fact]
    public async Task Dispatch_MinimumLoweredWhileAsleep_IsHeard()
    {
        var ring = Make.Ring(16, wait: Wait.Park());
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Batch(min: 4) });
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 1);
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        stage.Dispatch = Dispatch.Batch();
        await Watchdog.UntilAsync(() => handler.Count == 2, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Fact]
    public async Task NextTarget_ProducerBlockedWithNothingKnown_AwaitsTheVeryNext()
    {
        var ring = Make.Ring(8);
        Stage first = ring.Subscribe(new Summer(), Make.Stepped());
        Stage second = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 4), after: [first]));
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 7);
        first.Step(6);
        Assert.Equal(6, second.Step().Count);
        Task<bool> room = producer.WaitForRoomAsync(8).AsTask();
        Assert.Equal(StepKind.Idle, second.Step().Kind);
        // The two items that the first stage still has are all that will come until there is room.
        WaitTarget target = second.NextTarget();
        Assert.Equal(6, target.Awaited);
        first.Step();
        Assert.True(target.IsOver);
        Assert.Equal(2, second.Step().Count);
        Assert.True(await Watchdog.Await(room, ring));
    }

    [Theory]
    [InlineData(ProducerKind.Single, "park")]
    [InlineData(ProducerKind.Multi, "park")]
    [InlineData(ProducerKind.Sharded, "park")]
    [InlineData(ProducerKind.Single, "async")]
    public async Task Min_ClaimsOfTheWholeRing_NeverDeadlock(ProducerKind kind, string wait)
    {
        var ring = Make.Ring(8, kind, Named(wait));
        var last = new Summer();
        Stage first = ring.Subscribe(new Summer(), new StageOptions { Dispatch = Dispatch.Batch(max: 3, min: 2) });
        ring.Subscribe(last, new StageOptions { Dispatch = Dispatch.Batch(min: 4), After = [first] });
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        long value = 0;
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                for (int i = 0; i < 300; i++)
                {
                    using Claim<long> claim = producer.Claim(1 + i * 5 % producer.MaxClaim);
                    foreach (ref long slot in claim) slot = value++;
                    claim.Commit();
                }
            }),
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal((value, true), (last.Count, last.InOrder));
    }

    [Fact]
    public void NextTarget_NoAgeLimit_AwaitsTheMinimum()
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 8)));
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(7, stage.NextTarget().Awaited);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Drain_ClaimCommittedAfterCompleteBelowMinimum_IsHandled(ProducerKind kind)
    {
        var ring = Make.Ring(16, kind, Wait.Park());
        var handler = new Summer();
        ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Batch(min: 8) });
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        var claimed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var commit = new ManualResetEventSlim();
        Task publishing = Watchdog.Run(() =>
        {
            using Claim<long> claim = producer.Claim();
            claimed.SetResult();
            commit.Wait();
            claim.Slot = 5;
            claim.Commit();
        });
        await Watchdog.Await(claimed.Task, ring);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        commit.Set();
        await Watchdog.Await(publishing, ring);
        Assert.True((await Watchdog.Await(drain, ring)).IsDrained);
        Assert.Equal(5, handler.Sum);
    }
}
