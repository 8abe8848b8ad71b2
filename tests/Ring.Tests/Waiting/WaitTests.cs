namespace Raceway.Rings.Tests;

/// <summary>Facts of single strategies.</summary>
public sealed class WaitTests
{
    [Fact]
    public void All_Names_AreUniqueAndSpoken()
    {
        string[] names = [.. Wait.All.Select(wait => wait.Name)];
        Assert.Equal(["busy-spin", "yield", "adaptive", "park", "timed-park", "async"], names);
        Assert.All(Wait.All, wait => Assert.Equal(wait.Name, wait.ToString()));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(0.5)]
    [InlineData(-1)]
    public void TimedPark_BelowAMillisecond_IsRefused(double milliseconds) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Wait.TimedPark(TimeSpan.FromMilliseconds(milliseconds)));

    [Theory]
    [InlineData("park", 1)]
    [InlineData("timed-park", 0)]
    [InlineData("async", 1)]
    [InlineData("adaptive", 0)]
    public async Task Idle_Regime_IsPaidForByFencedSleepersOnly(string wait, int expected)
    {
        var ring = Make.Ring(8, wait: Wait.All.Single(each => each.Name == wait));
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        await Watchdog.UntilAsync(() => (wait == "adaptive" && stage.GetStatistics().Waits > 0) || Peek.IsArmed(ring.Sequencer.Cursor), ring);
        Assert.Equal(expected, ring.Sequencer.Cursor.RegimeChanges);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Fact]
    public async Task Park_BusyAgain_LeavesTheParkingRegime()
    {
        var ring = Make.Ring(1024, wait: Wait.Park());
        var handler = new Summer();
        ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Batch(max: 1) });
        ring.Start();
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        // More steps without a sleep than it takes to be calm again.
        ring.CreateProducer().Publish(Make.Range(0, 499));
        await Watchdog.UntilAsync(() => handler.Count == 500, ring);
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        Assert.Equal(2, ring.Sequencer.Cursor.RegimeChanges);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    // One item after a sleep is no work; as many items as cost their publisher more than the next sleep will cost are.
    [Theory]
    [InlineData(1, 1)]
    [InlineData(1_024, 2)]
    public async Task Park_OneBatchAfterASleep_LeavesTheParkingRegimeIfItIsLarge(int items, int expected)
    {
        var ring = Make.Ring(1024, wait: Wait.Park());
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        // By one commit: a span of this length is published in parts, and the stage may wake up between two.
        using (Claim<long> claim = ring.CreateProducer().Claim(items))
        {
            foreach (ref long item in claim) item = 1;
            claim.Commit();
        }

        await Watchdog.UntilAsync(() => handler.Count == items, ring);
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        Assert.Equal(1, stage.GetStatistics().Batches);
        Assert.Equal(expected, ring.Sequencer.Cursor.RegimeChanges);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Fact]
    public async Task TimedPark_NobodySignals_LooksAgainAfterItsPeriod()
    {
        var ring = Make.Ring(8);
        Waiting waiting = Wait.TimedPark(TimeSpan.FromMilliseconds(1)).Create(ring.WaitContext(leadsChain: true));
        Control control = ring.Sequencer.Control;
        var target = new WaitTarget(ring.Sequencer.Cursor, Progress.Never, Clock.Never, control, control.Word);
        await Watchdog.Await(Watchdog.Run(() => waiting.Idle(target)), ring);
        Assert.Equal(1, waiting.Parks);
    }

    [Fact]
    public void Clock_Edges_AreDefined()
    {
        Assert.Equal(Clock.Never, MachineClock.In(Timeout.InfiniteTimeSpan));
        Assert.Equal(Clock.Never, MachineClock.In(TimeSpan.MaxValue));
        Assert.Equal(Timeout.Infinite, MachineClock.MillisecondsUntil(Clock.Never));
        Assert.Equal(0, MachineClock.MillisecondsUntil(MachineClock.Now - 1));
        Assert.Equal(int.MaxValue, MachineClock.MillisecondsUntil(MachineClock.Now + Clock.Ticks(TimeSpan.FromDays(300))));
    }

    [Fact]
    public async Task Idle_AWakeBeforeTheSleep_IsKeptAndCanBeForgotten()
    {
        var ring = Make.Ring(8);
        Waiting waiting = Wait.Park().Create(ring.WaitContext(leadsChain: false, isProducer: true));
        Control control = ring.Sequencer.Control;
        var target = new WaitTarget(ring.Sequencer.Cursor, Progress.Never, Clock.Never, control, control.Word);
        waiting.Wake();
        await Watchdog.Await(Watchdog.Run(() => waiting.Idle(target)), ring);
        waiting.ForgetWake();
        Task asleep = Watchdog.Run(() => waiting.Idle(target));
        await Watchdog.UntilAsync(() => waiting.Parks == 2, ring);
        Assert.False(asleep.IsCompleted);
        waiting.Wake();
        await Watchdog.Await(asleep, ring);
        Assert.Equal((2, 2), (waiting.Waits, waiting.Parks));
    }
}
