namespace Raceway.Rings.Tests;

/// <summary>An activation gives its thread back, whatever its unit does.</summary>
public sealed class PoolDriverTests
{
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    [Fact]
    public async Task Activate_HandlerThatTakesNothing_EndsWithItsSlice()
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(new TakesNothing(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        var driver = new PoolDriver(stage, s_slice);

        PoolThread thread = await Watchdog.Await(Watchdog.Run(() => Activated(driver)), ring);

        Assert.Same(driver, thread.Again);
        Assert.Equal(-1, stage.Position);
    }

    // The item is in the cache of this thread, and no other needs to be woken.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Activate_EndOfAStepMakesAnotherReady_TheThreadGoesOnWithThatOne(bool single)
    {
        RingBuffer<long> ring = Make.Ring();
        StageOptions options = Make.Stepped(single ? Dispatch.Single : null);
        Stage head = ring.Subscribe(new Recorder(), options);
        Stage tail = ring.Subscribe(new Recorder(), options with { After = [head] });
        Producer<long> producer = Make.Producer(ring);
        PoolDriver first = new(head, s_slice), second = new(tail, s_slice);

        PoolThread thread = await Watchdog.Await(
            Watchdog.Run(() =>
            {
                // Finds nothing, and is armed on what the first one reports.
                Activated(second);
                producer.Publish(1);
                return Activated(first);
            }),
            ring);

        Assert.Same(second, thread.Next);
        Assert.Same(first, thread.Again);
        Assert.Equal((0, -1), (head.Position, tail.Position));
    }

    [Fact]
    public async Task LastStep_OfAHandlerThatAwaits_IsWhatItsCallTook()
    {
        RingBuffer<long> ring = Make.Ring();
        var handler = new AwaitsBehindWork();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        var driver = new PoolDriver(stage, s_slice);

        await Watchdog.Await(Watchdog.Run(() => Activated(driver)), ring);

        Assert.InRange(driver.LastStep, Clock.Ticks(AwaitsBehindWork.Work), long.MaxValue);
        handler.Completes.SetResult();
    }

    private static PoolThread Activated(PoolDriver driver)
    {
        PoolThread thread = PoolThread.Begin();
        thread.Now = MachineClock.Now;
        thread.Stepped = driver;
        driver.Activate(thread, until: thread.Now + driver.Slice);
        thread.Stepped = null;
        thread.End();
        return thread;
    }

    private sealed class TakesNothing : IOutcomeHandler<long>
    {
        public BatchOutcome OnBatch(Batch<long> batch) => BatchOutcome.Consumed(0);
    }

    private sealed class AwaitsBehindWork : IAsyncBatchHandler<long>
    {
        public static readonly TimeSpan Work = TimeSpan.FromMilliseconds(2);

        public TaskCompletionSource Completes { get; } = new();

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            for (long until = MachineClock.In(Work); MachineClock.Now < until;) Thread.SpinWait(10);
            await Completes.Task;
        }
    }
}
