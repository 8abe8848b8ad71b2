namespace Raceway.Rings.Tests;

/// <summary>Hooks of handlers: start, stop and idle.</summary>
public sealed class LifetimeTests
{
    private sealed class Hooked(string name, List<string> log, bool failsToStart = false, bool failsToStop = false)
        : IBatchHandler<long>, IStageLifetime
    {
        public void OnBatch(Batch<long> batch) => Log($"batch {name}");

        public void OnStart()
        {
            Log($"start {name}");
            if (failsToStart) throw new FormatException(name);
        }

        public void OnStop()
        {
            Log($"stop {name}");
            if (failsToStop) throw new FormatException(name);
        }

        private void Log(string line)
        {
            Monitor.Enter(log);
            log.Add(line);
            Monitor.Exit(log);
        }
    }

    public static TheoryData<string> Waits => [.. Wait.All.Select(wait => wait.Name)];

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Hooks_WholeLife_EachExactlyOnceAroundTheItems(string wait)
    {
        List<string> log = [];
        var ring = Make.Ring(8, wait: Wait.All.Single(each => each.Name == wait));
        ring.Subscribe(new Hooked("a", log));
        await Watchdog.Await(ring.StartAsync(), ring);
        Assert.Equal(["start a"], log);
        using (Claim<long> claim = ring.CreateProducer().Claim(2)) claim.Commit();
        await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
        Assert.Equal(["start a", "batch a", "stop a"], log);
        await ring.DisposeAsync();
        Assert.Equal(3, log.Count);
    }

    // What starts late finds a program that has given it up.
    [Fact]
    public async Task Halt_WhileAStartHookRuns_LaterOnesAreNotCalled()
    {
        List<string> log = [];
        using var go = new ManualResetEventSlim();
        var ring = Make.Ring(8);
        ring.Subscribe(new StartsWhenTold(go));
        ring.Subscribe(new Hooked("later", log));
        Task start = ring.StartAsync();
        Task halt = ring.HaltAsync();
        go.Set();

        await Assert.ThrowsAsync<RingStoppedException>(() => Watchdog.Await(start, ring));
        await Watchdog.Await(halt, ring);
        Assert.Empty(log);
    }

    private sealed class StartsWhenTold(ManualResetEventSlim go) : IBatchHandler<long>, IStageLifetime
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnStart() => go.Wait();

        public void OnStop()
        {
        }
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task OnStart_Throws_OthersStopInReverseAndTheRingFaults(string wait)
    {
        List<string> log = [];
        var ring = Make.Ring(8, wait: Wait.All.Single(each => each.Name == wait));
        // Several, so that the order is none that comes by chance.
        string[] names = ["a", "b", "c", "d", "e", "f"];
        foreach (string name in names) ring.Subscribe(new Hooked(name, log));
        ring.Subscribe(new Hooked("g", log, failsToStart: true));
        ring.Subscribe(new Hooked("h", log));
        await Assert.ThrowsAsync<FormatException>(() => Watchdog.Await(ring.StartAsync(), ring));
        string[] expected =
            [.. names.Select(name => $"start {name}"), "start g", .. names.Reverse().Select(name => $"stop {name}")];
        Assert.Equal(expected, log);
        Assert.Equal(RingState.Faulted, ring.State);
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.IsType<FormatException>(fault.InnerException);
        Assert.Equal(expected.Length, log.Count);
    }

    [Fact]
    public async Task OnStart_ThrowsInAStepOfTheCaller_FaultsTheRing()
    {
        List<string> log = [];
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Hooked("a", log, failsToStart: true), Make.Stepped());
        ring.CreateProducer().Publish(1);
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        Assert.Equal(RingState.Faulted, ring.State);
        await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        // Until then the ring may be inside, which ends the stage.
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        Assert.Equal(["start a"], log);
    }

    [Fact]
    public async Task OnStart_ThrowsInALateStage_FaultsTheRing()
    {
        List<string> log = [];
        var ring = Make.Ring(8);
        ring.Subscribe(new Hooked("a", log));
        ring.Start();
        ring.Subscribe(new Hooked("b", log, failsToStart: true));
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.IsType<FormatException>(fault.InnerException);
        Assert.Equal(["start a", "start b", "stop a"], log);
    }

    [Fact]
    public async Task OnStop_Throws_FaultsTheRing()
    {
        List<string> log = [];
        var ring = Make.Ring(8);
        ring.Subscribe(new Hooked("a", log, failsToStop: true));
        ring.Start();
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(["start a", "stop a"], log);
        Assert.Equal(RingState.Faulted, ring.State);
    }

    [Fact]
    public async Task OnStop_StageSteppedByTheCaller_RunsAtTheEndOfTheRing()
    {
        List<string> log = [];
        var ring = Make.Ring(8);
        Stage stepped = ring.Subscribe(new Hooked("a", log), Make.Stepped());
        ring.Subscribe(new Hooked("b", log), Make.Stepped()); // never stepped: no start, so no stop
        ring.CreateProducer().Publish(1);
        stepped.Step();
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(StepKind.Stopped, stepped.Step().Kind);
        Assert.Equal(["start a", "batch a", "stop a"], log);
    }

    private struct Counting : IEventHandler<long>, IStageLifetime
    {
        public int Starts;
        public int Events;
        public int Stops;

        public void OnEvent(ref long item, long sequence, bool endOfBatch) => Events++;

        public void OnStart() => Starts++;

        public void OnStop() => Stops++;
    }

    [Fact]
    public async Task Hooks_StructHandler_KeepItsState()
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Slots.SubscribeEvents(new Counting());
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
        Counting counts = stage.GetHandler<Counting>();
        Assert.Equal((1, 5, 1), (counts.Starts, counts.Events, counts.Stops));
    }

    [Fact]
    public void OnIdle_NotDue_TellsUntilWhenToWait()
    {
        var time = new WatchedTime();
        var ring = Make.Ring(8, time: time);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped() with { IdleTimeout = TimeSpan.FromDays(1) });
        stage.Step();
        long deadline = stage.NextTarget().Deadline;
        Assert.Equal(TimeSpan.FromDays(1), ring.Clock.Until(deadline));
        time.Advance(TimeSpan.FromHours(1));
        stage.Step();
        Assert.Equal(deadline, stage.NextTarget().Deadline);
        ring.CreateProducer().Publish(1);
        stage.Step();
        stage.Step();
        Assert.Equal(TimeSpan.FromDays(1), ring.Clock.Until(stage.NextTarget().Deadline));
        Assert.Equal(0, handler.Idles);
    }

    [Theory]
    [InlineData("park")]
    [InlineData("busy-spin")]
    [InlineData("async")]
    public async Task OnIdle_NothingComes_IsCalledAgainAndAgain(string wait)
    {
        var ring = Make.Ring(8, wait: Wait.All.Single(each => each.Name == wait));
        var handler = new Recorder();
        ring.Subscribe(handler, new StageOptions { IdleTimeout = TimeSpan.FromMilliseconds(1) });
        ring.Start();
        await Watchdog.UntilAsync(() => handler.Idles >= 3, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Empty(handler.Items);
    }

    private sealed class FailsWhenIdle : IBatchHandler<long>, IIdleHandler
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnIdle() => throw new FormatException();
    }

    [Fact]
    public async Task OnIdle_Throws_FaultsTheRingWhateverThePolicy()
    {
        var ring = Make.Ring(8);
        ring.Subscribe(
            new FailsWhenIdle(),
            new StageOptions { IdleTimeout = TimeSpan.FromMilliseconds(1), OnFault = FaultPolicy.Skip });
        ring.Start();
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.IsType<FormatException>(fault.InnerException);
    }
}
