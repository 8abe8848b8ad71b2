namespace Raceway.Rings.Tests;

/// <summary>What a drain says is so: it waits for the ring's end, within its time; and what nothing drives is not waited for.</summary>
public sealed class DrainEndTests
{
    // A drain's own limit, which must pass: how long it is does not matter.
    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(20);

    [Theory]
    [InlineData("fault")]
    [InlineData("halt")]
    public async Task DrainAsync_FaultOrHalt_IsTheRingsEnd(string how)
    {
        RingBuffer<long>? ring = null;
        Task<DrainResult>? drain = null, late = null;
        bool early = true;
        List<long> offered = [];
        ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            OnUnprocessed = (ref long item) =>
            {
                // A drain that did not wait for this call would end without a wait: it finds the ring halted.
                late = ring!.DrainAsync(Timeout.InfiniteTimeSpan);
                early = drain!.IsCompleted || late.IsCompleted;
                offered.Add(item);
            },
        });
        var handler = new EventLambda<long>((ref long _, long _, bool _) => throw new FormatException("boom"));
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        ring.CreateProducer().Publish(7);
        drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        if (how == "fault") stage.Step();
        else _ = ring.HaltAsync();
        DrainResult result = await Watchdog.Await(drain, ring);
        Assert.Equal((how == "fault" ? DrainStatus.Faulted : DrainStatus.Halted, false), (result.Status, early));
        Assert.Equal(result.Status, (await Watchdog.Await(late!, ring)).Status);
        Assert.Equal([7], offered);
        Assert.True(ring.Completion.IsCompleted);
        Assert.Equal(1, ring.Unprocessed);
    }

    [Fact]
    public async Task DrainAsync_TimeIsUpBeforeTheEndAfterAFault_SaysTheFaultAndWhatHasNotEnded()
    {
        using var go = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        var ring = Make.Ring(8);
        Stage bad = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) => throw new FormatException("boom")), Make.Stepped(name: "bad"));
        ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) =>
            {
                entered.Set();
                go.Wait();
            }),
            new StageOptions { Name = "slow" });
        ring.Start();
        ring.CreateProducer().Publish(1);
        entered.Wait();
        bad.Step();
        DrainResult result = await Watchdog.Await(ring.DrainAsync(s_moment), ring);
        Assert.Equal(DrainStatus.TimedOut, result.Status);
        Assert.IsType<FormatException>(result.Fault?.InnerException);
        Assert.Equal(["slow"], result.NotEnded);
        Assert.Equal("TimedOut (The ring has faulted in stage 'bad': boom): slow at -1 of 0", result.ToString());
        go.Set();
        Assert.Equal(DrainStatus.Faulted, (await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).Status);
    }

    [Fact]
    public async Task DrainAsync_StopHookDoesNotReturn_TimesOutAndNamesItsStage()
    {
        using var go = new ManualResetEventSlim();
        var ring = Make.Ring(8);
        ring.Subscribe(new Stopping(go), new StageOptions { Name = "stops" });
        ring.Start();
        DrainResult result = await Watchdog.Await(ring.DrainAsync(s_moment), ring);
        Assert.Equal("TimedOut: stops not ended", result.ToString());
        go.Set();
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task DrainAsync_WithinAHandler_EndsWithItsTime(bool isMarked)
    {
        DrainResult? within = null;
        RingBuffer<long> ring = Make.Ring(8);
        ring.Subscribe(new BatchLambda<long>(batch =>
        {
            // All that was claimed has been passed: only the end of this very stage is still to come.
            if (isMarked) batch.Complete(batch.Count);
            within = ring.DrainAsync(s_moment).GetAwaiter().GetResult();
        }));
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(Task.Run(async () =>
        {
            while (Volatile.Read(ref within) is null) await Task.Yield();
        }));
        Assert.Equal(DrainStatus.TimedOut, within!.Status);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
    }

    [Theory]
    [InlineData("unstarted")]
    [InlineData("never stepped")]
    [InlineData("stepped before")]
    [InlineData("no stage")]
    [InlineData("behind a thread")]
    public async Task DisposeAsync_NothingDrivesWhatIsLeft_EndsAndOffersIt(string what)
    {
        List<long> offered = [];
        var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            DrainTimeout = Timeout.InfiniteTimeSpan, OnUnprocessed = (ref long item) => offered.Add(item),
        });
        Stage? first = what == "no stage" ? null
            : ring.Subscribe(new Recorder(), what is "unstarted" or "behind a thread" ? new StageOptions() : Make.Stepped());
        if (what == "behind a thread") ring.Subscribe(new Recorder(), Make.Stepped(after: [first!]));
        if (what != "unstarted") ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish([1, 2]);
        if (what == "stepped before") first!.Step(1);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        Assert.Equal(what == "stepped before" ? [2] : [1, 2], offered);
        Assert.Equal((offered.Count, RingState.Stopped), ((int)ring.Unprocessed, ring.State));
    }

    [Fact]
    public async Task DisposeAsync_ThreadDrivenStages_AreGivenTheirTime()
    {
        var ring = new RingBuffer<long>(64, new RingOptions<long> { DrainTimeout = Timeout.InfiniteTimeSpan });
        using var go = new ManualResetEventSlim();
        var second = new Recorder();
        Stage first = ring.Subscribe(new EventLambda<long>((ref long _, long _, bool _) => go.Wait()), new StageOptions { Dispatch = Dispatch.Single });
        ring.Subscribe(second, new StageOptions { After = [first] });
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 49);
        Task disposal = ring.DisposeAsync().AsTask();
        go.Set();
        await Watchdog.Await(disposal, ring);
        Assert.Equal(Make.Range(0, 49), second.Items);
        Assert.Equal(0, ring.Unprocessed);
    }

    [Fact]
    public void Outlook_StageOfACaller_IsDrivenWhileItIsStepped()
    {
        var ring = Make.Ring(8);
        bool? within = null;
        Outlook? outlook = null;
        Stage stage = ring.Subscribe(new EventLambda<long>((ref long _, long _, bool _) => within = outlook!.MayGetOn), Make.Stepped());
        Make.PublishRange(ring.CreateProducer(), 0, 1);
        outlook = new Outlook([ring]);
        // Its loop may have just been started; after a while it is taken for one that is not there.
        Assert.True(outlook.MayGetOn);
        Watchdog.Until(() => !outlook.MayGetOn, "its caller does not come");
        stage.Step(1);
        Assert.True(within);
        // Stepped since the last look.
        Assert.True(outlook.MayGetOn);
        stage.Step(1);
        // Nothing is left: the drain ends by itself, once it has sealed the ring.
        Assert.True(outlook.MayGetOn);
    }

    // A stage that catches up between two looks was taken for one that nothing drives: the disposal then left what came last.
    [Fact]
    public async Task Outlook_StageThatCatchesUpMeanwhile_IsDriven()
    {
        await using RingBuffer<long> ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder());
        ring.Start();
        Task publishing = Watchdog.Run(() =>
        {
            SingleProducer<long> producer = ring.CreateProducer();
            for (int i = 0; i < 200_000; i++)
            {
                producer.Publish(i);
                // Now the stage has caught up, now it has not.
                if (i % 64 == 0) Thread.Yield();
            }

            return 0;
        });
        var outlook = new Outlook([ring]);
        int wrong = 0;
        while (!publishing.IsCompleted)
            if (!outlook.MayGetOn) wrong++;
        await Watchdog.Await(publishing, ring);
        Assert.Equal(0, wrong);
    }

    private sealed class Stopping(ManualResetEventSlim go) : IBatchHandler<long>, IStageLifetime
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnStart()
        {
        }

        public void OnStop() => go.Wait();
    }
}
