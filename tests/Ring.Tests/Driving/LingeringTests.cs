using System.Reflection;

namespace Raceway.Rings.Tests;

/// <summary>A stage that is apart keeps its thread for a while where it finds nothing, and looks again.</summary>
public sealed class LingeringTests
{
    // As if its time were never over: something else has to end the wait.
    private static readonly TimeSpan s_ahead = TimeSpan.FromHours(1);

    private static readonly FieldInfo s_lingers = typeof(PoolGroup).GetField("_lingers", BindingFlags.NonPublic | BindingFlags.Instance)!;

    private readonly RingBuffer<long> _ring = Make.Ring(16_384);
    private readonly Progress _cell;
    private readonly ReadyQueue _ready = new(Clock.Of(new WatchedTime()), TimeSpan.FromHours(1));

    public LingeringTests() => _cell = _ring.Sequencer.NewProgress(0);

    [Fact]
    public async Task Finds_ItComesWhileItLooks_True()
    {
        Task<bool> finds = Lingers(Target(), s_ahead);
        await Task.Delay(1);
        _cell.Advance(1);

        Assert.True(await Watchdog.Await(finds, _ring));
    }

    [Fact]
    public async Task Finds_TheRingChanges_True()
    {
        Task<bool> finds = Lingers(Target(), s_ahead);
        await Task.Delay(1);
        _ring.Nudge();

        Assert.True(await Watchdog.Await(finds, _ring));
    }

    [Fact]
    public async Task Finds_ItsTimeIsUp_False() => Assert.False(await Watchdog.Await(Lingers(Target(), TimeSpan.Zero), _ring));

    // That one would wait for this thread.
    [Fact]
    public async Task Finds_AnotherUnitBecomesReady_False()
    {
        Stage stage = _ring.Subscribe(new Recorder(), Make.Stepped());
        Task<bool> finds = Lingers(Target(), s_ahead);
        await Task.Delay(1);
        // No thread of the pool is to take it first.
        Peek.SetAsked(_ready, true);
        _ready.Add(new PoolDriver(stage, slice: 1, ready: _ready));

        Assert.False(await Watchdog.Await(finds, _ring));
    }

    [Fact]
    public async Task Finds_TheDeadlineHasCome_False() =>
        Assert.False(await Watchdog.Await(Lingers(Target() with { Deadline = MachineClock.Now }, s_ahead), _ring));

    // Else a unit that becomes ready would wait for a thread that the system may have put aside.
    [Fact]
    public async Task MayBegin_TheThreadWasToBeBackSoon_ItIsNoMore()
    {
        PoolThread thread = await Watchdog.Await(
            Watchdog.Run(() =>
            {
                PoolThread thread = PoolThread.Begin();
                thread.BackSoonIn = 1;
                Assert.True(Lingering.MayBegin(_ready, thread));
                thread.End();
                return thread;
            }),
            _ring);

        Assert.Equal(PoolThread.NotSoon, thread.BackSoonIn);
    }

    // It waits for this thread, or for the one that is asked for.
    [Fact]
    public void MayBegin_AnotherUnitIsReady_No()
    {
        Peek.SetAsked(_ready, true);
        _ready.Add(new PoolDriver(_ring.Subscribe(new Recorder(), Make.Stepped()), slice: 1, ready: _ready));

        Assert.False(Lingering.MayBegin(_ready, new PoolThread()));
    }

    // The rest is known by time alone, and only by the least of many: the first stage lets items gather, for some microseconds at the most.
    [Theory]
    [InlineData(true, 1)]
    [InlineData(true, 2048)]
    [InlineData(false, 1)]
    public async Task Finds_FirstStage_PausesWhereFewItemsAreThere(bool leads, int items)
    {
        _cell.Advance(items);
        AdaptiveWaiting waiting = Waits(leads);
        var thread = new PoolThread();

        long least = await Watchdog.Await(
            Watchdog.Run(() => Enumerable.Range(0, 1_000).Min(_ => TimeOf(() => Lingering.Finds(Target(), _ready, thread, waiting, MachineClock.Now)))),
            _ring);

        Assert.Equal(leads && items == 1, least > Clock.Ticks(TimeSpan.FromMicroseconds(3)));
    }

    // By the least time again: it looks for 50 µs before it arms.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Activate_ApartFromItsGroup_LooksForAWhile(bool inGroup)
    {
        long least = await Watchdog.Await(Watchdog.Run(() => Enumerable.Range(0, 200).Min(_ => TimeOf(Activated(inGroup)))), _ring);

        Assert.Equal(inGroup, least >= Clock.Ticks(TimeSpan.FromMicroseconds(50)));
    }

    // It would look for its items like that for as long as it lives: what is alone never comes together with others.
    [Fact]
    public void Lingers_OneStageIsLeft_No()
    {
        Stage head = _ring.Subscribe(new Recorder(), Make.Stepped());
        Stage tail = _ring.Subscribe(new Recorder(), Make.Stepped(after: [head]));
        PoolDriver first = new(head, 1, ready: _ready), second = new(tail, 1, ready: _ready);
        var group = new PoolGroup(_ring, [first, second]);
        s_lingers.SetValue(group, true);
        Assert.True(group.Lingers);

        group.Left(second, hasBegun: false);

        Assert.False(group.Lingers);
    }

    // The second of two stages, which finds nothing.
    private static Action Activated(bool inGroup)
    {
        RingBuffer<long> ring = Make.Ring();
        Stage head = ring.Subscribe(new Recorder(), Make.Stepped());
        Stage tail = ring.Subscribe(new Recorder(), Make.Stepped(after: [head]));
        var ready = new ReadyQueue(Clock.Of(new WatchedTime()));
        PoolDriver first = new(head, 1, ready: ready), second = new(tail, 1, ready: ready);
        // As if they had parted because of their rate.
        if (inGroup) s_lingers.SetValue(new PoolGroup(ring, [first, second]), true);
        return () =>
        {
            PoolThread thread = PoolThread.Begin();
            thread.Now = MachineClock.Now;
            second.Activate(thread, until: thread.Now + second.Slice);
            thread.End();
        };
    }

    private static long TimeOf(Action act)
    {
        long from = MachineClock.Now;
        act();
        return MachineClock.Now - from;
    }

    private WaitTarget Target() => new(_cell, 1, Clock.Never, _ring.Control, _ring.Control.Word);

    private Task<bool> Lingers(WaitTarget target, TimeSpan ahead) => 
        Watchdog.Run(() => Lingering.Finds(target, _ready, new PoolThread(), Waits(leads: true), MachineClock.In(ahead)));

    private AdaptiveWaiting Waits(bool leads) => new(new WaitContext(leads, _ring.Capacity, HasStamps: false, IsProducer: false));
}
