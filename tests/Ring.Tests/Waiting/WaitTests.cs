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
        await Watchdog.UntilAsync(() => ring.Sequencer.Cursor.RegimeChanges >= expected, ring);
        Assert.Equal(expected, ring.Sequencer.Cursor.RegimeChanges);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    // What an owner pays for is its commits, not its items.
    [Theory]
    [InlineData("park", 1, 1, 1)]
    [InlineData("park", 1, 1_024, 1)]
    [InlineData("park", 1_024, 1, 2)]
    [InlineData("async", 1_024, 1, 2)]
    public async Task Busy_AsManyCommitsAsABarrierCosts_LeavesTheParkingRegime(string wait, int commits, int items, int expected)
    {
        var ring = Make.Ring(2048, wait: Wait.All.Single(each => each.Name == wait));
        var handler = new Blocker();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        producer.Publish(0);
        await Watchdog.Await(handler.Entered, ring);
        for (int commit = 0; commit < commits; commit++)
        {
            using Claim<long> claim = producer.Claim(items);
            claim.Commit();
        }

        handler.Release();
        await Watchdog.UntilAsync(() => stage.Position == (long)commits * items, ring);
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        // It is armed a moment before its barrier is counted.
        await Watchdog.UntilAsync(() => ring.Sequencer.Cursor.RegimeChanges >= expected, ring);
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
