namespace Raceway.Rings.Tests;

/// <summary>Every limit of time goes by the provider of the ring's options, and wakes what sleeps for it.</summary>
public sealed class VirtualTimeTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromTicks(1);

    private readonly WatchedTime _time = new();

    public static TheoryData<string> Waits => [.. Wait.All.Select(static wait => wait.Name)];

    /// <summary>Those that sleep, by a thread or without one.</summary>
    public static TheoryData<string> Sleeps => ["park", "timed-park", "async"];

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task TryClaim_RingIsFull_TimesOutAsTheProviderSays(string wait)
    {
        await using RingBuffer<long> ring = Ring(wait);
        ring.Subscribe(new Summer(), Make.Stepped());
        Producer<long> producer = Full(ring);
        bool begun = false;
        Task<ClaimStatus> claiming = Watchdog.Run(() =>
        {
            Volatile.Write(ref begun, true);
            return producer.TryClaim(1, s_hour, out _);
        });
        // The deadline is known once the producer counts as waiting.
        await Watchdog.UntilAsync(() => Volatile.Read(ref begun) && producer.Claimer.RoomWaits.Waits > 0, ring);
        _time.Advance(s_hour - s_tick);
        await _time.IsMet(() => claiming.IsCompleted, ring);
        Assert.False(claiming.IsCompleted);
        _time.Advance(s_tick);
        Assert.Equal(ClaimStatus.TimedOut, await Watchdog.Await(claiming, ring));
        Assert.Equal(0, _time.SetTimers);
    }

    // The time is up between the look at the clock and the setting of the timer: no timer will ring.
    [Fact]
    public async Task TryClaim_TimePassesOnTheWayToSleep_TimesOut()
    {
        await using RingBuffer<long> ring = Ring("park");
        ring.Subscribe(new Summer(), Make.Stepped());
        Producer<long> producer = Full(ring);
        _time.BeforeSetting = () =>
        {
            _time.BeforeSetting = null;
            _time.Advance(s_hour);
        };
        Task<ClaimStatus> claiming = Watchdog.Run(() => producer.TryClaim(1, s_hour, out _));
        Assert.Equal(ClaimStatus.TimedOut, await Watchdog.Await(claiming, ring));
    }

    [Fact]
    public async Task TryClaim_RoomComesFirst_LeavesNoTimer()
    {
        await using RingBuffer<long> ring = Ring("park");
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped());
        Producer<long> producer = Full(ring);
        Task<ClaimStatus> claiming = Watchdog.Run(() =>
        {
            ClaimStatus status = producer.TryClaim(1, s_hour, out Claim<long> claim);
            if (status == ClaimStatus.Done) claim.Commit();
            return status;
        });
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
        stage.Step();
        Assert.Equal(ClaimStatus.Done, await Watchdog.Await(claiming, ring));
        Assert.Equal(0, _time.SetTimers);
    }

    [Fact]
    public async Task Age_Stepped_IsTheProviders()
    {
        await using RingBuffer<long> ring = Ring("park");
        var ages = new Ages();
        Stage stage = ring.Subscribe(ages, Make.Stepped(Dispatch.Batch(min: 4, maxAge: s_hour)));
        ring.Start();
        ring.CreateProducer().Publish(1);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        _time.Advance(s_hour - s_tick);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        _time.Advance(s_tick);
        Assert.Equal(StepKind.Progressed, stage.Step().Kind);
        Assert.Equal((s_hour, CloseReason.Age), Assert.Single(ages.Seen));
    }

    [Theory]
    [MemberData(nameof(Sleeps))]
    public async Task Age_StageSleeps_IsWoken(string wait)
    {
        await using RingBuffer<long> ring = Ring(wait);
        var ages = new Ages();
        Stage stage = ring.Subscribe(ages, new StageOptions { Dispatch = Dispatch.Batch(min: 4, maxAge: s_hour) });
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
        Assert.Equal(-1, stage.Position);
        _time.Advance(s_hour);
        await Watchdog.UntilAsync(() => stage.Position == 0, ring);
        Assert.Equal(CloseReason.Age, Assert.Single(ages.Seen).Reason);
    }

    [Fact]
    public async Task Retry_Stepped_ComesWhenItIsDue()
    {
        await using RingBuffer<long> ring = Ring("park");
        var handler = new FailsAtFirst();
        Stage stage = ring.Subscribe(handler, Make.Stepped(onFault: FaultPolicy.Retry(1, s_hour)));
        ring.Start();
        ring.CreateProducer().Publish(1);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        _time.Advance(s_hour - s_tick);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        _time.Advance(s_tick);
        Assert.Equal(StepKind.Progressed, stage.Step().Kind);
        Assert.Equal(2, handler.Calls);
    }

    [Theory]
    [MemberData(nameof(Sleeps))]
    public async Task Retry_StageSleeps_IsWoken(string wait)
    {
        await using RingBuffer<long> ring = Ring(wait);
        var handler = new FailsAtFirst();
        Stage stage = ring.Subscribe(handler, new StageOptions { OnFault = FaultPolicy.Retry(1, s_hour) });
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
        Assert.Equal(-1, stage.Position);
        _time.Advance(s_hour);
        await Watchdog.UntilAsync(() => stage.Position == 0, ring);
    }

    [Fact]
    public async Task Rest_NothingConsumed_IsOfferedAgainInVirtualTime()
    {
        await using RingBuffer<long> ring = Ring("park");
        int calls = 0;
        Stage stage = ring.Subscribe(
            new OutcomeLambda<long>(_ =>
            {
                calls++;
                return BatchOutcome.Consumed(0);
            }),
            Make.Stepped());
        ring.Start();
        ring.CreateProducer().Publish(1);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal(1, calls);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal(2, calls);
    }

    [Fact]
    public async Task Idle_Stepped_HookIsCalledOnceATime()
    {
        await using RingBuffer<long> ring = Ring("park");
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped() with { IdleTimeout = s_hour });
        ring.Start();
        stage.Step();
        _time.Advance(s_hour - s_tick);
        stage.Step();
        Assert.Equal(0, handler.Idles);
        _time.Advance(s_tick);
        stage.Step();
        stage.Step();
        Assert.Equal(1, handler.Idles);
    }

    [Theory]
    [MemberData(nameof(Sleeps))]
    public async Task Idle_StageSleeps_HookIsCalled(string wait)
    {
        await using RingBuffer<long> ring = Ring(wait);
        var handler = new Recorder();
        ring.Subscribe(handler, new StageOptions { IdleTimeout = s_hour });
        ring.Start();
        for (int calls = 1; calls <= 3; calls++)
        {
            await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
            _time.Advance(s_hour);
            await Watchdog.UntilAsync(() => handler.Idles == calls, ring);
        }
    }

    [Theory]
    [MemberData(nameof(Sleeps))]
    public async Task ClaimTimeout_ClaimIsNeverPublished_RingIsFaulted(string wait)
    {
        await using RingBuffer<long> ring = Ring(wait, ProducerKind.Multi, claimTimeout: s_hour);
        ring.Subscribe(new Summer());
        ring.Start();
        Assert.Equal(ClaimStatus.Done, ring.CreateMultiProducer().TryClaim(1, out _));
        // No timer outlasts an hour: each that is found set is one more look of the stage, and few are enough.
        for (int hours = 0; ring.State == RingState.Running; hours++)
        {
            Assert.True(hours < 100, "A hundred hours have passed, and the claim is still waited for.");
            await Watchdog.UntilAsync(() => _time.SetTimers > 0 || ring.State != RingState.Running, ring);
            _time.Advance(s_hour);
        }

        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.IsType<TimeoutException>(fault.InnerException);
    }

    [Theory]
    [MemberData(nameof(Sleeps))]
    public async Task HandlerTimeout_TaskRuns_TokenIsSignalled(string wait)
    {
        await using RingBuffer<long> ring = Ring(wait);
        var signalled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ring.Slots.Subscribe(
            new AsyncLambda<long>(async (_, token) =>
            {
                using CancellationTokenRegistration registration = token.Register(() => signalled.TrySetResult());
                await signalled.Task;
            }),
            new StageOptions { HandlerTimeout = s_hour });
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
        _time.Advance(s_hour - s_tick);
        await _time.IsMet(() => signalled.Task.IsCompleted, ring);
        Assert.False(signalled.Task.IsCompleted);
        _time.Advance(s_tick);
        await Watchdog.Await(signalled.Task, ring);
    }

    [Fact]
    public async Task HandlerTimeout_NeverCompletes_FaultsTheRing()
    {
        await using RingBuffer<long> ring = Ring("park");
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>((_, _) => new ValueTask(new TaskCompletionSource().Task)),
            new StageOptions { HandlerTimeout = s_hour });
        ring.Start();
        ring.CreateProducer().Publish(1);
        // First its token, and after the same time again the ring.
        for (int times = 0; times < 2; times++)
        {
            await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
            Assert.Equal(RingState.Running, ring.State);
            _time.Advance(s_hour);
        }

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Equal(stage.Name, fault.Stage);
        Assert.IsType<TimeoutException>(fault.InnerException);
    }

    [Fact]
    public void Time_Null_IsRefused() =>
        Assert.Throws<ArgumentNullException>(() => new RingBuffer<long>(8, new RingOptions<long> { Time = null! }));

    private RingBuffer<long> Ring(
        string wait, ProducerKind kind = ProducerKind.Single, TimeSpan? claimTimeout = null)
    {
        Wait chosen = Wait.All.Single(one => one.Name == wait);
        return new RingBuffer<long>(8, new RingOptions<long>
        {
            Producers = kind,
            MaxProducers = 2,
            Wait = chosen,
            ProducerWait = chosen,
            ClaimTimeout = claimTimeout ?? Timeout.InfiniteTimeSpan,
            DrainTimeout = TimeSpan.Zero,
            Time = _time,
        });
    }

    private static Producer<long> Full(RingBuffer<long> ring)
    {
        ring.Start();
        Producer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 1, ring.Capacity);
        return producer;
    }

    private sealed class Ages : IBatchHandler<long>
    {
        public List<(TimeSpan Age, CloseReason Reason)> Seen { get; } = [];

        public void OnBatch(Batch<long> batch) => Seen.Add((batch.Age, batch.CloseReason));
    }

    private sealed class FailsAtFirst : IBatchHandler<long>
    {
        public int Calls { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            if (++Calls == 1) throw new InvalidOperationException("at first");
        }
    }
}
