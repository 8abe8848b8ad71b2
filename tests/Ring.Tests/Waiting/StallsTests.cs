namespace Raceway.Rings.Tests;

/// <summary>Where the time goes. How many clock reads that takes is counted by the explorer, on its own clock.</summary>
public sealed class StallsTests
{
    private static readonly long s_second = Clock.Ticks(TimeSpan.FromSeconds(1));

    public static TheoryData<string> Waits => [.. Wait.All.Select(wait => wait.Name)];

    private static StageStatistics Of(Stage stage) => stage.GetStatistics();

    private static Wait Named(string wait) => Wait.All.Single(each => each.Name == wait);

    [Fact]
    public void End_KnownTimes_AreToldApart()
    {
        var stalls = new Stalls();
        stalls.Queue(1_000);
        stalls.End(1_500, 0);
        // Nothing has been done since: the next wait begins where that one ended.
        Assert.True(stalls.Begin(Stall.Starved, Clock.Never));
        Assert.False(stalls.Begin(Stall.Starved, Clock.Never));
        stalls.End(2_000, 1_800);
        Assert.True(stalls.Begin(Stall.Blocked, Clock.Never));
        stalls.End(2_700, 1_900);
        Assert.True(stalls.Begin(Stall.Own, Clock.Never));
        stalls.End(9_000, 0);
        Assert.Equal(new StallTimes(0, 300, 700, 700), stalls.Read());
    }

    // A unit of the pool stays ready for some steps, and then arms: one wait, one park.
    [Fact]
    public void Stay_AgainAndAgainAndThenRest_IsOneWait()
    {
        var waiting = new AdaptiveWaiting(new WaitContext(LeadsChain: false, 1024, HasStamps: false, IsProducer: false));
        waiting.Stay(Stall.Starved, 1_000);
        waiting.Stalls.End(1_100, 0);
        waiting.Stay(Stall.Starved, goesOn: true);
        waiting.Stalls.End(1_200, 0);
        waiting.Rest(Stall.Starved, goesOn: true);
        waiting.Stalls.End(2_000, 0);
        Assert.Equal((1, 1), (waiting.Waits, waiting.Parks));
        Assert.Equal(1_000, waiting.Stalls.Read().Starved);
    }

    [Fact]
    public void Begin_ForSomethingElse_EndsTheFirstWhereTheSecondBegins()
    {
        var stalls = new Stalls();
        stalls.Begin(Stall.Starved, Clock.Never, MachineClock.Now - s_second);
        Assert.True(stalls.Begin(Stall.Blocked, Clock.Never));
        StallTimes first = stalls.Read();
        Assert.True(first.Starved >= s_second);
        StallTimes second = stalls.Read();
        Assert.Equal(first.Starved, second.Starved);
        Assert.True(second.Blocked >= first.Blocked);
    }

    [Fact]
    public void Work_AfterTheDeadline_DoesNotCountTheStepAsWaiting()
    {
        var stalls = new Stalls();
        long since = MachineClock.Now - 3 * s_second;
        stalls.Begin(Stall.Starved, since + s_second, since);
        stalls.Work();
        Assert.Equal(s_second, stalls.Read().Starved);
    }

    [Fact]
    public void Read_WaitUnderWay_IsCounted()
    {
        var stalls = new Stalls();
        stalls.Start();
        stalls.Begin(Stall.Starved, Clock.Never, MachineClock.Now - s_second);
        Assert.True(stalls.Read().Starved >= s_second);
        Assert.Equal(0, stalls.Read().Working);
    }

    // What is snapshotted while waits come and go never has one twice, or loses one that was there. Each lasts a minute by
    // its times: what a look takes longer, or a thread is held up for, does not count.
    [Fact]
    public async Task Read_WhileItIsWritten_HasEveryWaitOnce()
    {
        long minute = Clock.Ticks(TimeSpan.FromMinutes(1));
        var stalls = new Stalls();
        bool stop = false;
        long done = 0;
        Task writing = Watchdog.Run(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                long now = MachineClock.Now;
                // Twice: so that each copy has the wait under way now, and its end a turn later.
                stalls.Queue(now - minute);
                stalls.Queue(now - minute);
                stalls.End(now, 0);
                Volatile.Write(ref done, done + 1);
            }
        });
        for (int i = 0; i < 200_000; i++)
        {
            long before = Volatile.Read(ref done);
            double waits = (double)stalls.Read().Waking / minute;
            long after = Volatile.Read(ref done);
            Assert.InRange(waits, before - 0.1, after + 1.1);
            Assert.Equal(Math.Round(waits), waits, 0.1);
        }

        Volatile.Write(ref stop, true);
        await Watchdog.Await(writing);
        Assert.Equal(done, (double)stalls.Read().Waking / minute);
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Statistics_OfALife_AddUp(string wait)
    {
        long from = MachineClock.Now;
        var ring = Make.Ring(8, wait: Named(wait));
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        for (int i = 0; i < 200; i++)
        {
            producer.Publish(i);
            int expected = i + 1;
            if (i % 20 == 0) await Watchdog.UntilAsync(() => handler.Count == expected, ring);
        }

        await Watchdog.UntilAsync(() => handler.Count == 200, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
        TimeSpan life = Clock.Span(MachineClock.Now - from);
        StageStatistics done = Of(stage);
        Assert.True(done.Starved > TimeSpan.Zero && done.Working > TimeSpan.Zero, done.ToString());
        Assert.Equal(TimeSpan.Zero, done.Blocked);
        Assert.InRange(done.Working + done.Starved + done.Waking, TimeSpan.Zero, life);
        Assert.InRange(done.Parks, 0, done.Waits);
        // It has ended: the times stand still.
        Assert.Equal((done.Working, done.Starved), (Of(stage).Working, Of(stage).Starved));
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Statistics_InsideACall_CountItAsWork(string wait)
    {
        var ring = Make.Ring(8, wait: Named(wait));
        var handler = new Blocker();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(handler.Entered, ring);
        StageStatistics first = Of(stage);
        await Watchdog.UntilAsync(() => Of(stage).Working > first.Working + TimeSpan.FromMilliseconds(2), ring);
        Assert.Equal((first.Starved, first.Waking, first.Waits), (Of(stage).Starved, Of(stage).Waking, Of(stage).Waits));
        handler.Release();
        await Watchdog.UntilAsync(() => Of(stage).Starved > first.Starved, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    // A wait whose last poll has missed what the step then finds: it ends before the handler is called, not after.
    [Fact]
    public void Statistics_FoundByTheStepItself_DoNotCountTheCallAsWaiting()
    {
        var ring = Make.Ring(8, wait: Wait.BusySpin());
        Stage? stage = null;
        StageStatistics? first = null;
        StageStatistics? second = null;
        stage = ring.Subscribe(
            new BatchLambda<long>(_ =>
            {
                first = Of(stage!);
                // Until the clock has moved, whatever the time is counted as.
                do second = Of(stage!);
                while (second.Working + second.Starved == first.Working + first.Starved);
            }),
            Make.Stepped());
        Waiting waiting = Wait.BusySpin().Create(ring.WaitContext(leadsChain: true));
        stage.Attend(waiting);
        ring.Start();
        waiting.Stalls.Start();
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        waiting.Stalls.Begin(Stall.Starved, Clock.Never);
        ring.CreateProducer().Publish(1);
        Assert.Equal(StepKind.Progressed, stage.Step().Kind);
        Assert.True(first!.Starved > TimeSpan.Zero, first.ToString());
        Assert.Equal(first.Starved, second!.Starved);
        Assert.True(second.Working > first.Working, second.ToString());
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task Statistics_StageAsleep_HasBeenWoken(string wait)
    {
        var ring = Make.Ring(8, wait: Named(wait));
        Stage stage = ring.Subscribe(new Summer());
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        for (int i = 0; i < 20; i++)
        {
            await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
            producer.Publish(i);
            int passed = i;
            await Watchdog.UntilAsync(() => stage.Position == passed, ring);
        }

        await Watchdog.UntilAsync(() => Of(stage).Waking > TimeSpan.Zero, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Fact]
    public async Task Statistics_HandlersTaskPending_IsWork()
    {
        var ring = Make.Ring(8, wait: Wait.Park());
        var called = new TaskCompletionSource();
        var task = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Stage stage = ring.Subscribe(new AsyncLambda<long>((_, _) =>
        {
            called.TrySetResult();
            return new ValueTask(task.Task);
        }));
        ring.Start();
        ring.CreateProducer().Publish(1);

        // The wait for the item ends before the call. A snapshot before that counts the wait as if it lasted, its waking too.
        await Watchdog.Await(called.Task, ring);
        await Watchdog.UntilAsync(() => Of(stage).Parks > 0, ring);
        StageStatistics first = Of(stage);
        await Watchdog.UntilAsync(() => Of(stage).Working > first.Working + TimeSpan.FromMilliseconds(2), ring);
        Assert.Equal(first.Starved, Of(stage).Starved);
        task.SetResult();
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Theory]
    [InlineData("busy-spin", false)]
    [InlineData("park", false)]
    [InlineData("park", true)]
    public async Task Blocked_ProducerWaitsForRoom_IsCountedAndStays(string wait, bool asynchronously)
    {
        var ring = Make.Ring(4, wait: Named(wait));
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 3);
        Assert.Equal((0, TimeSpan.Zero, 4), (ring.GetStatistics().Waits, ring.GetStatistics().Blocked, ring.GetStatistics().Backlog));
        Task publishing = asynchronously ? producer.PublishAsync(4).AsTask() : Watchdog.Run(() => producer.Publish(4));
        await Watchdog.UntilAsync(() => ring.GetStatistics().Blocked > TimeSpan.FromMilliseconds(2), ring);
        Make.StepAll(stage);
        await Watchdog.Await(publishing, ring);
        RingStatistics done = ring.GetStatistics();
        Assert.InRange(done.Waits, 1, int.MaxValue);
        Assert.Equal(done.Blocked, ring.GetStatistics().Blocked);
        // What a producer has waited stays when it goes.
        producer.Dispose();
        Assert.Equal(done, ring.GetStatistics());
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Fact]
    public void Statistics_SteppedByTheCaller_HaveNoTimes()
    {
        var ring = Make.Ring();
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.CreateProducer().Publish(1);
        Make.StepAll(stage);
        Assert.Equal((TimeSpan.Zero, TimeSpan.Zero, 0), (Of(stage).Working, Of(stage).Starved, Of(stage).Waits));
    }
}
