namespace Raceway.Rings.Tests;

/// <summary>When the queue asks the pool for a thread, and when it only watches. Its watch goes by a clock that the test moves.</summary>
public sealed class ReadyQueueTests : IAsyncDisposable
{
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(10);

    private readonly WatchedTime _time = new();
    private readonly ReadyQueue _queue;
    private readonly List<Unit> _units = [];

    public ReadyQueueTests() => _queue = new ReadyQueue(Clock.Of(_time));

    public async ValueTask DisposeAsync()
    {
        // A unit may wait for the thread of one that blocks.
        foreach (Unit unit in _units) unit.Go();
        foreach (Unit unit in _units) await unit.DisposeAsync();
    }

    [Fact]
    public async Task Add_LittleWorkWhileAThreadIsBackSoon_IsWatchedAndNotAskedFor()
    {
        Unit blocked = await Blocked();
        Unit other = await Cheap();
        other.Publish();

        Assert.Equal(1, _time.SetTimers);
        blocked.Go();
        await other.Handles(1);
    }

    [Fact]
    public async Task Add_MoreWorkThanAWakeUpTakes_AsksForAThread()
    {
        Unit other = await Cheap();
        await other.Works();
        Unit blocked = await Blocked();
        other.Publish();

        Assert.Equal(0, _time.SetTimers);
        await other.Handles(2);
        blocked.Go();
    }

    // One look is enough: what was taken before the watch was set does not count.
    [Fact]
    public async Task Look_NothingWasTakenSinceTheWatchWasSet_AsksForAThread()
    {
        Unit blocked = await Blocked();
        Unit other = await Cheap();
        other.Publish();
        _time.Advance(s_patience);

        Assert.Equal(0, _time.SetTimers);
        await other.Handles(1);
        blocked.Go();
    }

    [Fact]
    public async Task Look_NothingWaits_IsNotSetAgain()
    {
        Unit blocked = await Blocked();
        Unit other = await Cheap();
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
        for (int i = 0; i < 19; i++) Stepped(s_slice * 1000);
        StepAll(others: 2);
        Assert.Equal([.. _units[2..18], _units[0], _units[18], _units[1]], Handled());
    }

    // Else one that always has something to do could keep a thread for itself, and many others share one.
    [Fact]
    public void Take_ItsOwnWasFirstInBetween_AnotherOneHasBeenPassedOverAllTheSame()
    {
        for (int i = 0; i < 12; i++) Stepped(s_slice * 1000);
        _units[11].Then = () => _units[0].SteppedBy(PoolThread.Current!);
        StepAll(others: 1);
        Assert.Equal([.. _units[1..12], _units[0]], Handled());

        StepAll(others: 1);
        Assert.Equal([.. _units[1..6], _units[0], .. _units[6..12]], Handled());
    }

    [Fact]
    public void Take_OneBehindTheFirst_TakesTheFirstAsWell()
    {
        Stepped(s_slice * 1000);
        Stepped(s_slice * 1000);
        StepAll(others: 1);
        Assert.Equal([_units[1], _units[0]], Handled());
    }

    [Fact]
    public void Take_StepOfItsOwnTakesLong_TakesTheFirstOne()
    {
        Stepped(s_slice * 1000);
        Stepped(slice: 1);
        StepAll(others: 1);
        Assert.Equal(_units, Handled());
    }

    [Fact]
    public void Take_AllOfItsOwn_InTheirOrder()
    {
        for (int i = 0; i < 3; i++) Stepped(s_slice * 1000);
        StepAll(others: 0);
        Assert.Equal(_units, Handled());
    }

    /// <summary>A new unit. Only the calling thread has stepped it, and twenty of its steps take less than a wake-up.</summary>
    private void Stepped(long slice)
    {
        Peek.SetAsked(_queue, true);
        var unit = new Unit(_queue, slice) { LeavesThePoolOut = true };
        _units.Add(unit);
        do
        {
            unit.Publish();
            Execute();
        }
        while (unit.Cost > ReadyQueue.WakeUp / 20);
        unit.CountsFromHere();
    }

    /// <summary>Each has an item, and this thread steps them: as if it had stepped them last, but for the first ones.</summary>
    private void StepAll(int others)
    {
        for (int i = 0; i < others; i++) _units[i].SteppedBy(new PoolThread());
        Peek.SetAsked(_queue, true);
        foreach (Unit unit in _units) unit.Publish();
        Execute();
        Peek.SetAsked(_queue, false);
    }

    private void Execute()
    {
        ((IThreadPoolWorkItem)_queue).Execute();
        Peek.SetAsked(_queue, true);
    }

    /// <summary>The units that have handled an item each, in the order of it.</summary>
    private IEnumerable<Unit> Handled() => _units.Where(static unit => unit.HandledAt != 0).OrderBy(static unit => unit.HandledAt);

    /// <summary>A unit whose steps have been short.</summary>
    private async Task<Unit> Cheap()
    {
        var unit = new Unit(_queue, s_slice);
        _units.Add(unit);
        await unit.BecomesCheap();
        // A thread that is on its way already would be waited for.
        await Watchdog.UntilAsync(() => !Peek.HasAsked(_queue), "the pool to begin what was asked for");
        return unit;
    }

    /// <summary>Such a unit, in a call that does not return until <see cref="Unit.Go"/>.</summary>
    private async Task<Unit> Blocked()
    {
        Unit unit = await Cheap();
        await unit.Blocks();
        // A thread that has just stepped another unit may have been waited for.
        _time.Advance(s_patience);
        return unit;
    }

    /// <summary>A stage on a queue of the test's, with items one at a time.</summary>
    private sealed class Unit : IAsyncDisposable
    {
        private readonly ReadyQueue _queue;
        private readonly RingBuffer<long> _ring = Make.Ring();
        private readonly Stage _stage;
        private readonly Producer<long> _producer;
        private readonly PoolDriver _driver;
        private readonly ManualResetEventSlim _goes = new();
        private long _published = -1;
        private long _counted;
        private long _handledAt;
        private Call _next;
        private bool _isIn;

        public Unit(ReadyQueue queue, long slice)
        {
            _queue = queue;
            _stage = _ring.Subscribe(new BatchLambda<long>(_ => Handle()), Make.Stepped());
            _producer = Make.Producer(_ring);
            _driver = new PoolDriver(_stage, slice, ready: queue);
            _driver.Launch();
        }

        /// <summary>Items handled since it became cheap.</summary>
        public long Position => _stage.Position - _counted;

        /// <summary>No thread of the pool is asked for behind its step.</summary>
        public bool LeavesThePoolOut { get; init; }

        /// <summary>What comes behind its next item.</summary>
        public Action? Then { get; set; }

        public long Cost => _driver.Cost;

        /// <summary>When it handled its last item, if it did not block; 0: not since it was cheap.</summary>
        public long HandledAt => Volatile.Read(ref _handledAt);

        private enum Call
        {
            Returns,
            Works,
            Blocks,
        }

        public void Publish()
        {
            _producer.Publish(0);
            _published++;
        }

        public async Task BecomesCheap()
        {
            do
            {
                await Rests();
                Publish();
                await Rests();
            }
            while (_driver.Cost > ReadyQueue.WakeUp);
            CountsFromHere();
        }

        public async Task Works()
        {
            _next = Call.Works;
            Publish();
            await Rests();
            _next = Call.Returns;
        }

        public async Task Blocks()
        {
            _next = Call.Blocks;
            Publish();
            await Watchdog.UntilAsync(() => Volatile.Read(ref _isIn), _ring);
        }

        public void CountsFromHere() => (_counted, _handledAt) = (_stage.Position, 0);

        public void Go() => _goes.Set();

        /// <summary>As if that thread had stepped it last. While it rests.</summary>
        public void SteppedBy(PoolThread thread) => _driver.SteppedBy = thread;

        public Task Handles(long items) => Watchdog.UntilAsync(() => Position == items, _ring);

        public async ValueTask DisposeAsync()
        {
            _stage.Leave();
            _ring.Nudge();
            await Watchdog.Await(_driver.Ended, _ring);
            _goes.Dispose();
        }

        // All is handled, and no activation is under way.
        private Task Rests() =>
            Watchdog.UntilAsync(() => _stage.Position == _published && Peek.IsArmed(_ring.Sequencer.Cursor), _ring);

        private void Handle()
        {
            if (_next == Call.Works)
            {
                for (long until = MachineClock.Now + (2 * ReadyQueue.WakeUp); MachineClock.Now < until;) Thread.SpinWait(10);
            }
            else if (_next == Call.Blocks)
            {
                Volatile.Write(ref _isIn, true);
                _goes.Wait();
            }
            else
            {
                Volatile.Write(ref _handledAt, MachineClock.Now);
                if (LeavesThePoolOut) Peek.SetAsked(_queue, true);
                Then?.Invoke();
                Then = null;
            }
        }
    }
}
