namespace Raceway.Rings.Tests;

/// <summary>When a producer gives its processor up to the thread of the pool that is to step its unit.</summary>
public sealed class LateUnitTests : IAsyncDisposable
{
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));
    private static readonly long s_late = Clock.Ticks(TimeSpan.FromMicroseconds(100));

    private readonly ReadyQueue _queue = new(Clock.Of(new WatchedTime()));
    private readonly List<PoolUnit> _units = [];

    public async ValueTask DisposeAsync()
    {
        // A unit may wait for the thread of one that blocks.
        foreach (PoolUnit unit in _units) unit.Go();
        foreach (PoolUnit unit in _units) await unit.DisposeAsync();
    }

    [Fact]
    public async Task Publish_TheThreadThatWasAskedForDoesNotRun_GivesWay()
    {
        (PoolUnit late, PoolUnit other) = (await Cheap(), await Cheap());
        // As if a thread were on its way.
        Peek.SetAsked(_queue, true);
        late.Publish();
        PoolUnit.Work(s_late);
        late.Publish();

        Assert.Equal(1, late.GaveWay);
        Peek.SetAsked(_queue, false);
        other.Publish();
        await late.Handles(2);
    }

    [Fact]
    public async Task Publish_TheUnitIsStepped_GoesOn()
    {
        PoolUnit blocked = await Cheap();
        await blocked.Blocks();
        PoolUnit.Work(s_late);
        blocked.Publish();

        Assert.Equal(0, blocked.GaveWay);
    }

    // It waits for its turn, and not for a processor.
    [Fact]
    public async Task Publish_TheThreadStepsAnotherUnit_GoesOn()
    {
        (PoolUnit blocked, PoolUnit other) = (await Cheap(), await Cheap());
        await blocked.Blocks();
        other.Publish();
        PoolUnit.Work(s_late);
        other.Publish();

        Assert.Equal(0, other.GaveWay);
        blocked.Go();
        await other.Handles(2);
    }

    [Fact]
    public async Task HasThread_TheThreadHasMadeRoomForOtherWork_CountsNoMore()
    {
        PoolUnit unit = await Cheap();
        await unit.Blocks();
        // So much that some waits when the slice is over.
        for (int i = 0; i < 100; i++) ThreadPool.UnsafeQueueUserWorkItem(static _ => PoolUnit.Work(s_late), null);
        unit.Go();

        await Watchdog.UntilAsync(() => !_queue.HasThread, "the thread to end");
    }

    [Fact]
    public async Task Publish_TheUnitHasBeenSteppedAndAwaitsMore_GoesOn()
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped(Dispatch.Batch(min: 3, maxAge: TimeSpan.FromHours(1))));
        Producer<long> producer = Make.Producer(ring);
        var driver = new PoolDriver(stage, s_slice, ready: _queue);
        driver.Launch();
        await Rests();
        producer.Publish(0);
        // It has looked how old the first one is.
        await Rests();
        // Its thread may have been late for that one.
        long before = ring.Sequencer.Cursor.GaveWay;
        PoolUnit.Work(s_late);
        producer.Publish(1);

        Assert.Equal((-1, before), (stage.Position, ring.Sequencer.Cursor.GaveWay));
        stage.Leave();
        ring.Nudge();
        await Watchdog.Await(driver.Ended, ring);

        Task Rests() => Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor) && !_queue.HasThread, ring);
    }

    /// <summary>A unit with short steps, at rest; nothing was asked of the pool for it that has not begun.</summary>
    private async Task<PoolUnit> Cheap()
    {
        var unit = new PoolUnit(_queue, s_slice);
        _units.Add(unit);
        await unit.BecomesCheap();
        await Watchdog.UntilAsync(() => !Peek.HasAsked(_queue) && !_queue.HasThread, "the thread to end");
        return unit;
    }
}
