namespace Raceway.Rings.Tests;

/// <summary>Drains and disposal take as long as the provider of the ring's options says.</summary>
public sealed class VirtualEndTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromTicks(1);

    private readonly WatchedTime _time = new();

    [Fact]
    public async Task Drain_StageStands_TimesOutAsTheProviderSays()
    {
        await using RingBuffer<long> ring = Ring();
        ring.Subscribe(new Summer(), Make.Stepped());
        ring.Start();
        ring.CreateProducer().Publish(1);
        Task<DrainResult> drain = ring.DrainAsync(s_hour);
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
        _time.Advance(s_hour - s_tick);
        await _time.IsMet(() => drain.IsCompleted, ring);
        Assert.False(drain.IsCompleted);
        _time.Advance(s_tick);
        Assert.Equal(DrainStatus.TimedOut, (await Watchdog.Await(drain, ring)).Status);
    }

    // All has been handled, and a stop hook does not return: the rest of the time is for that.
    [Fact]
    public async Task Drain_StopHookStands_TimesOutAsTheProviderSays()
    {
        await using RingBuffer<long> ring = Ring();
        var handler = new StaysAtEnd();
        ring.Subscribe(handler);
        ring.Start();
        Task<DrainResult> drain = ring.DrainAsync(s_hour);
        await Watchdog.UntilAsync(() => handler.Ending.IsCompleted && _time.SetTimers > 0, ring);
        _time.Advance(s_hour);
        Assert.Equal(DrainStatus.TimedOut, (await Watchdog.Await(drain, ring)).Status);
        handler.LetGo();
    }

    [Fact]
    public async Task Dispose_HandlerStands_HaltsAsTheProviderSays()
    {
        RingBuffer<long> ring = Ring(s_hour);
        var handler = new Blocker();
        ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Batch(max: 1) });
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 1, 2);
        await Watchdog.Await(handler.Entered, ring);
        Task disposal = ring.DisposeAsync().AsTask();
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, ring);
        _time.Advance(s_hour - s_tick);
        await _time.IsMet(() => ring.Control.IsHalted, ring);
        Assert.False(ring.Control.IsHalted);
        _time.Advance(s_tick);
        await Watchdog.UntilAsync(() => ring.Control.IsHalted, ring);
        handler.Release();
        await Watchdog.Await(disposal, ring);
        Assert.Equal(1, ring.Unprocessed);
    }

    private RingBuffer<long> Ring(TimeSpan drainTimeout = default) =>
        new(8, new RingOptions<long> { DrainTimeout = drainTimeout, Time = _time });

    /// <summary>Stays in its stop hook until it is let go.</summary>
    private sealed class StaysAtEnd : IBatchHandler<long>, IStageLifetime
    {
        private readonly TaskCompletionSource _mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _ending = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Ending => _ending.Task;

        public void LetGo() => _mayEnd.SetResult();

        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnStart()
        {
        }

        public void OnStop()
        {
            _ending.SetResult();
            _mayEnd.Task.Wait();
        }
    }
}
