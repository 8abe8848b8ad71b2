namespace Raceway.Rings.Tests;

/// <summary>Draining: everything claimed is handled by everyone, or it is told who lags.</summary>
public sealed class DrainTests
{
    [Fact]
    public async Task DrainAsync_NotStartedYet_CountsItsStages()
    {
        var ring = Make.Ring(8);
        var handler = new Recorder();
        ring.Subscribe(handler);
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        Assert.False(drain.IsCompleted);
        await Watchdog.Await(ring.StartAsync(), ring);
        DrainResult result = await Watchdog.Await(drain, ring);
        Assert.Equal(DrainStatus.Drained, result.Status);
        Assert.Equal(Make.Range(0, 4), handler.Items);
        Assert.Equal(RingState.Stopped, ring.State);
    }

    [Fact]
    public async Task DrainAsync_Timeout_SaysWhoLags()
    {
        var ring = Make.Ring(8);
        Stage fast = ring.Subscribe(new Recorder(), Make.Stepped(name: "fast"));
        Stage slow = ring.Subscribe(new Recorder(), Make.Stepped(name: "slow"));
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        Make.StepAll(fast);
        slow.Step(2);
        DrainResult result = await Watchdog.Await(ring.DrainAsync(TimeSpan.FromMilliseconds(1)), ring);
        Assert.Equal((DrainStatus.TimedOut, 4, false), (result.Status, result.Target, result.IsDrained));
        Assert.Equal([new StagePosition("fast", 4), new StagePosition("slow", 1)], result.Positions);
        Assert.Equal(["fast", "slow"], result.NotEnded);
        Assert.Equal("TimedOut: slow at 1 of 4", result.ToString());
        Assert.Equal(RingState.Draining, ring.State);
        // The stages go on; a second drain finds the rest done.
        Make.StepAll(slow);
        Assert.Equal("Drained", (await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).ToString());
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task DrainAsync_ClaimOpen_WaitsForItsCommit(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        var handler = new Summer();
        ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        Task<DrainResult> drain = Begin(commit: true);
        Assert.True((await Watchdog.Await(drain, ring)).IsDrained);
        Assert.Equal(2, handler.Count);

        Task<DrainResult> Begin(bool commit)
        {
            using Claim<long> claim = producer.Claim(2);
            Task<DrainResult> started = ring.DrainAsync(Timeout.InfiniteTimeSpan);
            Assert.False(started.IsCompleted);
            (claim[0], claim[1]) = (1, 2);
            if (commit) claim.Commit();
            return started;
        }
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task DrainAsync_ClaimAborted_IsDrained(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        ring.Subscribe(new Summer());
        ring.Start();
        Assert.True((await Watchdog.Await(Begin(Make.Producer(ring)), ring)).IsDrained);

        Task<DrainResult> Begin(Producer<long> producer)
        {
            using Claim<long> claim = producer.Claim(2);
            return ring.DrainAsync(Timeout.InfiniteTimeSpan);
        }
    }

    [Fact]
    public async Task DrainAsync_Empty_IsDrained()
    {
        Assert.True((await Watchdog.Await(Make.Ring().DrainAsync(Timeout.InfiniteTimeSpan))).IsDrained);
        var ring = Make.Ring();
        ring.Subscribe(new Recorder());
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
    }

    [Fact]
    public async Task DrainAsync_NoStageAtAll_TimesOut()
    {
        var ring = Make.Ring();
        ring.CreateProducer().Publish(1);
        Assert.Equal(
            DrainStatus.TimedOut, (await Watchdog.Await(ring.DrainAsync(TimeSpan.FromMilliseconds(1)), ring)).Status);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(1, ring.Unprocessed);
    }

    [Fact]
    public async Task DrainAsync_StageFaultsMeanwhile_IsFaulted()
    {
        var ring = Make.Ring();
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) => throw new FormatException()), Make.Stepped());
        ring.CreateProducer().Publish(1);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        stage.Step();
        DrainResult result = await Watchdog.Await(drain, ring);
        Assert.Equal(DrainStatus.Faulted, result.Status);
        Assert.IsType<FormatException>(result.Fault?.InnerException);
    }

    [Fact]
    public async Task DrainAsync_HaltedMeanwhile_IsHalted()
    {
        var ring = Make.Ring();
        ring.Subscribe(new Recorder(), Make.Stepped());
        ring.CreateProducer().Publish(1);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(DrainStatus.Halted, (await Watchdog.Await(drain, ring)).Status);
    }

    [Fact]
    public async Task DrainAsync_Cancelled_TheDrainItselfGoesOn()
    {
        var ring = Make.Ring();
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.CreateProducer().Publish(1);
        using var cancel = new CancellationTokenSource();
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Watchdog.Await(drain, ring));
        Assert.Equal(RingState.Draining, ring.State);
        Make.StepAll(stage);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => ring.DrainAsync(TimeSpan.FromTicks(-3)));
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Complete_AgainstPublishing_NothingAcceptedIsLost(ProducerKind kind)
    {
        // Whatever a producer was told is published is handled, however the closing falls between.
        for (int round = 0; round < 200; round++)
        {
            var ring = Make.Ring(4, kind);
            var handler = new Summer();
            ring.Subscribe(handler);
            ring.Start();
            Producer<long> producer = Make.Producer(ring);
            long accepted = 0;
            Task publishing = Watchdog.Run(() =>
            {
                try
                {
                    while (true)
                    {
                        producer.Publish(accepted);
                        accepted++;
                    }
                }
                catch (RingStoppedException)
                {
                }
            });
            await Watchdog.UntilAsync(() => handler.Count > round % 16, ring);
            DrainResult result = await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
            await Watchdog.Await(publishing, ring);
            Assert.True(result.IsDrained);
            Assert.Equal((accepted, true), (handler.Count, handler.InOrder));
        }
    }
}
