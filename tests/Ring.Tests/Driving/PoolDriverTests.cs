namespace Raceway.Rings.Tests;

/// <summary>An activation gives its thread back, whatever its unit does.</summary>
public sealed class PoolDriverTests
{
    [Fact]
    public async Task Activate_HandlerThatTakesNothing_EndsWithItsSlice()
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(new TakesNothing(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        var driver = new PoolDriver(stage, Clock.Ticks(TimeSpan.FromMicroseconds(50)));

        PoolThread thread = await Watchdog.Await(
            Watchdog.Run(() =>
            {
                PoolThread thread = PoolThread.Begin();
                thread.Now = MachineClock.Now;
                driver.Activate(thread, until: thread.Now + driver.Slice);
                thread.End();
                return thread;
            }),
            ring);

        Assert.Same(driver, thread.Again);
        Assert.Equal(-1, stage.Position);
    }

    [Fact]
    public async Task LastStep_OfAHandlerThatAwaits_IsWhatItsCallTook()
    {
        RingBuffer<long> ring = Make.Ring();
        var handler = new AwaitsBehindWork();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        var driver = new PoolDriver(stage, Clock.Ticks(TimeSpan.FromMicroseconds(50)));

        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                PoolThread thread = PoolThread.Begin();
                thread.Now = MachineClock.Now;
                driver.Activate(thread, until: thread.Now + driver.Slice);
                thread.End();
            }),
            ring);

        Assert.InRange(driver.LastStep, Clock.Ticks(AwaitsBehindWork.Work), long.MaxValue);
        handler.Completes.SetResult();
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
