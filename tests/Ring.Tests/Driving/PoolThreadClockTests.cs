namespace Raceway.Rings.Tests;

/// <summary>A thread goes by one clock from unit to unit: what the hooks of one took must not count as the next one's step.</summary>
public sealed class PoolThreadClockTests
{
    private static readonly long s_hook = Clock.Ticks(TimeSpan.FromMilliseconds(2));

    public enum Hook
    {
        Start,
        StartThatThrows,
        Stop,
    }

    [Theory]
    [InlineData(Hook.Start)]
    [InlineData(Hook.StartThatThrows)]
    [InlineData(Hook.Stop)]
    public async Task Activate_AHookTakesLong_TheClockIsReadBehindIt(Hook hook)
    {
        RingBuffer<long> ring = Make.Ring();
        var handler = new Hooks(hook);
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        var driver = new PoolDriver(stage, slice: 10 * s_hook);
        if (hook == Hook.Stop) stage.Leave();

        long now = await Watchdog.Await(Watchdog.Run(() => NowBehind(driver)), ring);

        Assert.NotEqual(0, handler.ReturnedAt);
        Assert.InRange(now, handler.ReturnedAt, MachineClock.Now);
    }

    private static long NowBehind(PoolDriver driver)
    {
        PoolThread thread = PoolThread.Begin();
        thread.Now = MachineClock.Now;
        driver.Activate(thread, until: thread.Now + driver.Slice);
        thread.End();
        return thread.Now;
    }

    private sealed class Hooks(Hook hook) : IBatchHandler<long>, IStageLifetime
    {
        public long ReturnedAt { get; private set; }

        public void OnStart()
        {
            if (hook != Hook.Stop) Take();
            if (hook == Hook.StartThatThrows) throw new InvalidOperationException("planted");
        }

        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnStop()
        {
            if (hook == Hook.Stop) Take();
        }

        private void Take()
        {
            PoolUnit.Work(s_hook);
            ReturnedAt = MachineClock.Now;
        }
    }
}
