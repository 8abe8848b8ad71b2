namespace Raceway.Rings.Tests;

/// <summary>A stage on a queue of the test's, with items one at a time.</summary>
internal sealed class PoolUnit : IAsyncDisposable
{
    private readonly ReadyQueue _queue;
    private readonly RingBuffer<long> _ring;
    private readonly Stage _stage;
    private readonly Producer<long> _producer;
    private readonly PoolDriver _driver;
    private readonly ManualResetEventSlim _goes = new();
    private readonly int _maker = Environment.CurrentManagedThreadId;
    private long _published = -1;
    private long _counted;
    private long _handledAt;
    private Call _next;
    private bool _isIn;

    public PoolUnit(ReadyQueue queue, long slice, int capacity = 8)
    {
        _queue = queue;
        _ring = Make.Ring(capacity);
        _stage = _ring.Subscribe(new BatchLambda<long>(_ => Handle()), Make.Stepped());
        _producer = Make.Producer(_ring);
        _driver = new PoolDriver(_stage, slice, ready: queue);
        _driver.Launch();
    }

    /// <summary>Items handled since it became cheap.</summary>
    public long Position => _stage.Position - _counted;

    /// <summary>No thread of the pool is asked for behind its step by the thread that has made it.</summary>
    public bool LeavesThePoolOut { get; init; }

    /// <summary>What comes behind its next item.</summary>
    public Action? Then { get; set; }

    public long Cost => _driver.Cost;

    /// <summary>How often its producer has given way.</summary>
    public long GaveWay => _ring.Sequencer.Cursor.GaveWay;

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

    /// <summary>Takes <paramref name="time"/>.</summary>
    public static void Work(long time)
    {
        for (long until = MachineClock.Now + time; MachineClock.Now < until;) Thread.SpinWait(10);
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
            Work(2 * ReadyQueue.WakeUp);
        }
        else if (_next == Call.Blocks)
        {
            Volatile.Write(ref _isIn, true);
            _goes.Wait();
        }
        else
        {
            Volatile.Write(ref _handledAt, MachineClock.Now);
            // By this thread alone: what a thread of the pool sets, nothing would take back.
            if (LeavesThePoolOut && Environment.CurrentManagedThreadId == _maker) Peek.SetAsked(_queue, true);
            Action? then = Then;
            Then = null;
            then?.Invoke();
        }
    }
}
