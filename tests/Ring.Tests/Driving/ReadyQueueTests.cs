namespace Raceway.Rings.Tests;

/// <summary>When the queue asks the pool for a thread, and when it only watches. Its watch goes by a clock that the test moves.</summary>
public sealed class ReadyQueueTests : IAsyncDisposable
{
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));
    private static readonly long s_longSlice = Clock.Ticks(TimeSpan.FromMilliseconds(100));
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(10);

    private readonly WatchedTime _time = new();
    private readonly List<PoolUnit> _earlier = []; // on a queue before this one
    private readonly List<PoolUnit> _units = [];
    private ReadyQueue _queue;

    public ReadyQueueTests() => _queue = new ReadyQueue(Clock.Of(_time));

    public async ValueTask DisposeAsync()
    {
        // A unit may wait for the thread of one that blocks.
        foreach (PoolUnit unit in _units) unit.Go();
        foreach (PoolUnit unit in _earlier.Concat(_units)) await unit.DisposeAsync();
    }

    [Fact]
    public async Task Add_LittleWorkWhileAThreadIsBackSoon_IsWatchedAndNotAskedFor()
    {
        PoolUnit blocked = await Blocked();
        PoolUnit other = await Cheap();
        other.Publish();

        Assert.Equal(1, _time.SetTimers);
        blocked.Go();
        await other.Handles(1);
    }

    [Fact]
    public async Task Add_MoreWorkThanAWakeUpTakes_AsksForAThread()
    {
        PoolUnit other = await Cheap();
        await other.Works();
        PoolUnit blocked = await Blocked();
        other.Publish();

        Assert.Equal(0, _time.SetTimers);
        await other.Handles(2);
        blocked.Go();
    }

    // One look is enough: what was taken before the watch was set does not count.
    [Fact]
    public async Task Look_NothingWasTakenSinceTheWatchWasSet_AsksForAThread()
    {
        PoolUnit blocked = await Blocked();
        PoolUnit other = await Cheap();
        other.Publish();
        _time.Advance(s_patience);

        Assert.Equal(0, _time.SetTimers);
        await other.Handles(1);
        blocked.Go();
    }

    [Fact]
    public async Task Look_NothingWaits_IsNotSetAgain()
    {
        PoolUnit blocked = await Blocked();
        PoolUnit other = await Cheap();
        other.Publish();
        blocked.Go();
        await other.Handles(1);
        Assert.Equal(1, _time.SetTimers);
        _time.Advance(s_patience);

        Assert.Equal(0, _time.SetTimers);
    }

    // Else its slots and counters would come from another core.
    [Fact]
    public void Take_FirstOneWasSteppedByAnotherThread_TakesItsOwnFirstButNotForEver()
    {
        for (int i = 0; i < 19; i++) Stepped(s_slice * 100_000);
        StepAll(others: 2);
        Assert.Equal([.. _units[2..18], _units[0], _units[18], _units[1]], Handled());
    }

    // Else one that always has something to do could keep a thread for itself, and many others share one.
    [Fact]
    public void Take_ItsOwnWasFirstInBetween_AnotherOneHasBeenPassedOverAllTheSame()
    {
        for (int i = 0; i < 12; i++) Stepped(s_slice * 100_000);
        _units[11].Then = () => _units[0].SteppedBy(PoolThread.Current!);
        StepAll(others: 1);
        Assert.Equal([.. _units[1..12], _units[0]], Handled());

        _units.ForEach(BecomesCheap);
        StepAll(others: 1);
        Assert.Equal([.. _units[1..6], _units[0], .. _units[6..12]], Handled());
    }

    [Fact]
    public void Take_OneBehindTheFirst_TakesTheFirstAsWell()
    {
        Stepped(s_slice * 100_000);
        Stepped(s_slice * 100_000);
        StepAll(others: 1);
        Assert.Equal([_units[1], _units[0]], Handled());
    }

    // The queue is locked meanwhile.
    [Fact]
    public void Take_SixteenBehindTheFirstAreNotItsOwn_TakesTheFirst()
    {
        for (int i = 0; i < 18; i++) Stepped(s_slice * 100_000);
        StepAll(others: 17);
        Assert.Equal([_units[0], _units[17], .. _units[1..17]], Handled());
    }

    [Fact]
    public void Take_StepOfItsOwnTakesLong_TakesTheFirstOne()
    {
        Stepped(s_slice * 100_000);
        Stepped(slice: 1);
        StepAll(others: 1);
        Assert.Equal(_units, Handled());
    }

    [Fact]
    public void Take_AllOfItsOwn_InTheirOrder()
    {
        for (int i = 0; i < 3; i++) Stepped(s_slice * 100_000);
        StepAll(others: 0);
        Assert.Equal(_units, Handled());
    }

    // A step takes sixteen. Through the queue and back would take longer than the next one.
    [Fact]
    public void Activate_MoreWaitsBehindAStep_IsTakenFirst()
    {
        for (int i = 0; i < 2; i++) Stepped(s_slice * 100_000, capacity: 64);
        long taken = 0;
        _units[1].Then = () => taken = _units[0].Position;
        PublishForty(_units[0]);
        StepAll(others: 0);
        Assert.Equal(40, taken);
    }

    // Two wake-ups, and then another step.
    [Fact]
    public void Activate_GoesOnForLongerThanAWakeUp_OthersDoNotWaitForThatThread()
    {
        for (int i = 0; i < 2; i++) Stepped(s_slice * 100_000, capacity: 64);
        int soon = -1;
        _units[0].Then = () =>
        {
            PoolUnit.Work(2 * ReadyQueue.WakeUp);
            _units[0].Then = () => soon = Peek.BackSoon(_queue);
        };
        PublishForty(_units[0]);
        StepAll(others: 0);
        Assert.Equal(0, soon);
        Assert.Equal(0, Peek.BackSoon(_queue));
    }

    [Fact]
    public void Activate_MoreWaitsAtTheEndOfASlice_CountsAsASliceOfWork()
    {
        long work = 0;
        // The first one is ready again.
        EndSliceInSecond(units: 3, () => _units[2].Then = () => work = Peek.Work(_queue) - _units[0].Cost);
        Assert.InRange(work, s_longSlice, long.MaxValue);
        Assert.Equal(0, Peek.Work(_queue));
    }

    [Fact]
    public void Activate_TakesTheRestInItsNextSlice_CountsAsAStepOfWork()
    {
        EndSliceInSecond(units: 2);
        Peek.SetAsked(_queue, true);
        _units[1].Publish();
        long work = Peek.Work(_queue);
        Execute();
        Peek.SetAsked(_queue, false);
        Assert.InRange(work, 1, s_longSlice - 1);
    }

    // The first one takes most of the slice. The step of the second one that ends it takes less than a slice, and leaves items. All anew
    // where the machine has interrupted one of the two, or other work of the pool has taken the thread: others may have stepped them then.
    private void EndSliceInSecond(int units, Action? begin = null)
    {
        for (int tries = 0; ; tries++)
        {
            Assert.InRange(tries, 0, 100);
            for (int i = 0; i < units; i++) Stepped(s_longSlice, capacity: 64);
            begin?.Invoke();
            _units[0].Then = _units[1].Then = () => PoolUnit.Work(s_longSlice * 3 / 5);
            _units[0].Publish();
            PublishForty(_units[1]);
            int executed = StepAll(others: 0);
            if (executed == 1 && _units[..2].TrueForAll(static unit => unit.Cost < s_longSlice)) return;
            _earlier.AddRange(_units);
            _units.Clear();
            _queue = new ReadyQueue(Clock.Of(_time));
        }
    }

    // With the one that it is given with all others.
    private static void PublishForty(PoolUnit unit)
    {
        for (int i = 1; i < 40; i++) unit.Publish();
    }

    /// <summary>A new unit. Only the calling thread has stepped it, and twenty of its steps take less than a wake-up.</summary>
    private void Stepped(long slice, int capacity = 8)
    {
        Peek.SetAsked(_queue, true);
        var unit = new PoolUnit(_queue, slice, capacity) { LeavesThePoolOut = true };
        _units.Add(unit);
        BecomesCheap(unit);
    }

    // A step that the machine has interrupted counts as long, and another thread would be asked for.
    private void BecomesCheap(PoolUnit unit)
    {
        Peek.SetAsked(_queue, true);
        do
        {
            unit.Publish();
            Execute();
        }
        while (unit.Cost > ReadyQueue.WakeUp / 20);
        unit.CountsFromHere();
    }

    /// <summary>Each has an item, and this thread steps them: as if it had stepped them last, but for the first ones.</summary>
    private int StepAll(int others)
    {
        for (int i = 0; i < others; i++) _units[i].SteppedBy(new PoolThread());
        Peek.SetAsked(_queue, true);
        foreach (PoolUnit unit in _units) unit.Publish();
        int executed = Execute();
        Peek.SetAsked(_queue, false);
        return executed;
    }

    /// <summary>As often as it takes: other work of the pool may take the thread at the end of a slice.</summary>
    private int Execute()
    {
        int executed = 0;
        do
        {
            ((IThreadPoolWorkItem)_queue).Execute();
            Peek.SetAsked(_queue, true);
            executed++;
        }
        while (_queue.HasReady);

        return executed;
    }

    /// <summary>The units that have handled an item each, in the order of it.</summary>
    private IEnumerable<PoolUnit> Handled() => _units.Where(static unit => unit.HandledAt != 0).OrderBy(static unit => unit.HandledAt);

    /// <summary>A unit whose steps have been short.</summary>
    private async Task<PoolUnit> Cheap()
    {
        var unit = new PoolUnit(_queue, s_slice);
        _units.Add(unit);
        await unit.BecomesCheap();
        // A thread that is on its way already would be waited for.
        await Watchdog.UntilAsync(() => !Peek.HasAsked(_queue), "the pool to begin what was asked for");
        return unit;
    }

    /// <summary>Such a unit, in a call that does not return until <see cref="PoolUnit.Go"/>.</summary>
    private async Task<PoolUnit> Blocked()
    {
        PoolUnit unit = await Cheap();
        await unit.Blocks();
        // A thread that has just stepped another unit may have been waited for.
        _time.Advance(s_patience);
        return unit;
    }
}
