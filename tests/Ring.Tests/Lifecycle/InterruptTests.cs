namespace Raceway.Rings.Tests;

/// <summary>Interrupts of a ring's own threads, and claims that are lost.</summary>
public sealed class InterruptTests
{
    private sealed class KnowsItsThread : IBatchHandler<long>, IStageLifetime
    {
        public Thread? Thread { get; private set; }

        public Summer Sum { get; } = new();

        public void OnBatch(Batch<long> batch) => Sum.OnBatch(batch);

        public void OnStart() => Thread = Thread.CurrentThread;

        public void OnStop()
        {
        }
    }

    [Fact]
    public async Task Interrupt_StageAsleep_IsSwallowedAndCounted()
    {
        var ring = Make.Ring(8, wait: Wait.Park());
        var handler = new KnowsItsThread();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        handler.Thread!.Interrupt();
        await Watchdog.UntilAsync(() => stage.GetStatistics().Interrupts == 1, ring);
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 4);
        await Watchdog.UntilAsync(() => handler.Sum.Count == 5, ring);
        Assert.Equal(0, stage.GetStatistics().Faults);
        Assert.Equal(RingState.Running, ring.State);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(10, handler.Sum.Sum);
    }

    [Fact]
    public async Task Interrupt_HandlerThatBlocks_IsItsException()
    {
        var ring = Make.Ring(8);
        Thread? thread = null;
        using var never = new ManualResetEventSlim();
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) =>
        {
            thread = Thread.CurrentThread;
            entered.TrySetResult();
            never.Wait();
        }));
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(entered.Task, ring);
        thread!.Interrupt();
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.IsType<ThreadInterruptedException>(fault.InnerException);
    }

    [Fact]
    public async Task Interrupt_Storm_LosesNothing()
    {
        var ring = Make.Ring(4, wait: Wait.Park());
        var handler = new KnowsItsThread();
        ring.Subscribe(handler);
        ring.Start();
        bool stop = false;
        Task interrupting = Watchdog.Run(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                handler.Thread!.Interrupt();
                Thread.Yield();
            }
        });
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.Await(Watchdog.Run(() => Make.PublishRange(producer, 0, 1_999)), ring);
        await Watchdog.UntilAsync(() => handler.Sum.Count == 2_000, ring);
        Volatile.Write(ref stop, true);
        await Watchdog.Await(interrupting, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal((2_000, 1_999_000, true), (handler.Sum.Count, handler.Sum.Sum, handler.Sum.InOrder));
    }

    [Theory]
    [InlineData("park")]
    [InlineData("busy-spin")]
    [InlineData("async")]
    public async Task ClaimTimeout_ClaimNeverEnds_FaultsTheRing(string wait)
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            Producers = ProducerKind.Multi, MaxProducers = 2, ClaimTimeout = TimeSpan.FromMilliseconds(20),
            Wait = Wait.All.Single(each => each.Name == wait),
        });
        var handler = new Summer();
        ring.Subscribe(handler);
        MultiProducer<long> lost = ring.CreateMultiProducer();
        MultiProducer<long> fine = ring.CreateMultiProducer();
        // Before there is a stage that looks: its own first publish may take longer than the timeout on a busy machine.
        fine.Publish(1);
        ring.Start();
        await Watchdog.UntilAsync(() => handler.Count == 1, ring);
        if (wait is "park" or "async") await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        _ = lost.Claim().Sequence;
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Contains("1", fault.InnerException!.Message, StringComparison.Ordinal);
        Assert.Throws<RingFaultedException>(() => fine.Publish(2));
    }

    [Theory]
    [InlineData(StampLayout.Separate)]
    [InlineData(StampLayout.InSlot)]
    public async Task ClaimTimeout_SingleProducersClaimIsHeld_IsNoFault(StampLayout stamps)
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            Stamps = stamps,
            SlotStride = stamps == StampLayout.InSlot ? 64 : 0,
            ClaimTimeout = TimeSpan.FromMilliseconds(1),
        });
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, new StageOptions { IdleTimeout = TimeSpan.FromMilliseconds(2) });
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        long held = producer.Claim().Sequence;
        // Several idle hooks later the claim is older than its timeout.
        await Watchdog.UntilAsync(() => handler.Idles > 5 || ring.State == RingState.Faulted, ring);
        Assert.Equal(RingState.Running, ring.State);
        producer.Claimer.Settle(held, 1, 1);
        await Watchdog.UntilAsync(() => stage.Position == held, ring);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
    }

    [Fact]
    public async Task ClaimTimeout_NothingClaimed_IsNoFault()
    {
        var time = new WatchedTime();
        TimeSpan timeout = TimeSpan.FromMilliseconds(1);
        await using var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            Producers = ProducerKind.Multi, MaxProducers = 2, ClaimTimeout = timeout, Time = time,
        });
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.Start();
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(StepKind.Idle, stage.Step().Kind);
            time.Advance(timeout);
        }

        // The age of a claim begins with the claim, not with the wait before it.
        Assert.Equal(0, Claimed(ring));
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        time.Advance(timeout / 2);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(RingState.Running, ring.State);
        time.Advance(timeout);
        stage.Step();
        Assert.Equal(RingState.Faulted, ring.State);

        static long Claimed(RingBuffer<long> ring) => ring.CreateMultiProducer().Claim().Sequence;
    }

    [Fact]
    public void ClaimTimeout_SingleProducerWithStampsInTheSlots_IsNotMeant()
    {
        // Its claims are behind nobody's: one may be held as long as one likes, wherever the stamps lie.
        var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            Stamps = StampLayout.InSlot, SlotStride = 64, ClaimTimeout = TimeSpan.FromTicks(1),
        });
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        using Claim<long> claim = ring.CreateProducer().Claim();
        for (int i = 0; i < 100; i++) Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(RingState.Created, ring.State);
    }
}
