using System.Reflection;

namespace Raceway.Rings.Tests;

/// <summary>A stage that is apart keeps its thread for a while where it finds nothing, and looks again.</summary>
public sealed class LingeringTests
{
    // As if its time were never over: something else has to end the wait.
    private static readonly TimeSpan s_ahead = TimeSpan.FromHours(1);

    private static readonly FieldInfo s_lingers = typeof(PoolGroup).GetField("_lingers", BindingFlags.NonPublic | BindingFlags.Instance)!;

    private static readonly FieldInfo s_staying = typeof(PoolDriver).GetField("_staying", BindingFlags.NonPublic | BindingFlags.Instance)!;
    private static readonly long s_hour = Clock.Ticks(TimeSpan.FromHours(1));

    private readonly RingBuffer<long> _ring = Make.Ring(16_384);
    private readonly Progress _cell;
    private long _counted;
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
            Watchdog.Run(() => Enumerable.Range(0, 1_000).Min(_ => TimeOf(() => default(Lingering).Finds(Target(), _ready, thread, waiting, MachineClock.Now)))),
            _ring);

        Assert.Equal(leads && items == 1, least > Clock.Ticks(TimeSpan.FromMicroseconds(3)));
    }

    // By the least time again: it looks for 200 µs before it arms.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Activate_ApartFromItsGroup_LooksForAWhile(bool inGroup)
    {
        long least = await Watchdog.Await(Watchdog.Run(() => Enumerable.Range(0, 200).Min(_ => TimeOf(Activated(inGroup)))), _ring);

        Assert.Equal(inGroup, least >= Clock.Ticks(TimeSpan.FromMicroseconds(200)));
    }

    // It has waited for its time already: to stay ready as well would be one wait more.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Activate_ItsItemsCameSoonBefore_StaysReadyUnlessItIsApartFromItsGroup(bool inGroup)
    {
        var ready = new ReadyQueue(Clock.Of(new WatchedTime()), TimeSpan.FromHours(1));
        (PoolDriver second, RingBuffer<long> ring) = SecondOfTwo(inGroup, ready);
        var staying = new Staying(s_hour);
        staying.Stays(now: 1);
        staying.Signalled(2);
        s_staying.SetValue(second, staying);

        PoolThread stepped = await Watchdog.Await(Watchdog.Run(() => Activate(second)), ring);

        Assert.Equal(inGroup ? null : second, stepped.Again);
    }

    [Fact]
    public void Work_NeverWaits_All() => Assert.Equal(Lingering.All, Counted(default, waited: TimeSpan.Zero).Work);

    // A mean with what it was before.
    [Theory]
    [InlineData(1, 750)]
    [InlineData(2, 500)]
    [InlineData(3, 500)]
    public void Work_Waits_TheRestOfItsTime(int hoursOfTwo, int least)
    {
        Lingering lingering = Counted(default, waited: TimeSpan.Zero);
        lingering = Counted(lingering, TimeSpan.FromHours(hoursOfTwo));
        Assert.InRange(lingering.Work, least, least + 10);

        int before = lingering.Work;
        Assert.InRange(Counted(lingering, TimeSpan.Zero).Work, (before + Lingering.All) / 2, ((before + Lingering.All) / 2) + 1);
    }

    [Fact]
    public void Work_CountedAMomentAgo_IsThatStill()
    {
        var lingering = default(Lingering);
        lingering.Count(s_hour);
        Wait(ref lingering, TimeSpan.FromHours(1));
        lingering.Count(s_hour + Clock.Ticks(TimeSpan.FromMicroseconds(199)));
        Assert.Equal(Lingering.All, lingering.Work);

        lingering.Count(s_hour + Clock.Ticks(TimeSpan.FromMicroseconds(200)));
        Assert.Equal(Lingering.All / 2, lingering.Work);
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

    // The second of two stages.
    internal static (PoolDriver Second, RingBuffer<long> Ring) SecondOfTwo(bool inGroup, ReadyQueue ready, long slice = 1)
    {
        RingBuffer<long> ring = Make.Ring();
        Stage head = ring.Subscribe(new Recorder(), Make.Stepped());
        Stage tail = ring.Subscribe(new Recorder(), Make.Stepped(after: [head]));
        PoolDriver first = new(head, slice, ready: ready), second = new(tail, slice, ready: ready);
        // As if they had parted because of their rate.
        if (inGroup) s_lingers.SetValue(new PoolGroup(ring, [first, second]), true);
        return (second, ring);
    }

    private static Action Activated(bool inGroup)
    {
        PoolDriver second = SecondOfTwo(inGroup, new ReadyQueue(Clock.Of(new WatchedTime()))).Second;
        return () => Activate(second);
    }

    private static PoolThread Activate(PoolDriver driver)
    {
        PoolThread thread = PoolThread.Begin();
        thread.Now = MachineClock.Now;
        driver.Activate(thread, until: thread.Now + driver.Slice);
        thread.End();
        return thread;
    }

    // Two hours later.
    private Lingering Counted(Lingering lingering, TimeSpan waited)
    {
        Wait(ref lingering, waited);
        lingering.Count(_counted += 2 * s_hour);
        return lingering;
    }

    // For something that is there: it looks once.
    private void Wait(ref Lingering lingering, TimeSpan ago)
    {
        _cell.Advance(1);
        Assert.True(lingering.Finds(Target(), _ready, new PoolThread(), Waits(leads: false), MachineClock.Now - Clock.Ticks(ago)));
    }

    private static long TimeOf(Action act)
    {
        long from = MachineClock.Now;
        act();
        return MachineClock.Now - from;
    }

    private WaitTarget Target() => new(_cell, 1, Clock.Never, _ring.Control, _ring.Control.Word);

    private Task<bool> Lingers(WaitTarget target, TimeSpan ahead) => 
        Watchdog.Run(() => default(Lingering).Finds(target, _ready, new PoolThread(), Waits(leads: true), MachineClock.In(ahead)));

    private AdaptiveWaiting Waits(bool leads) => new(new WaitContext(leads, _ring.Capacity, HasStamps: false, IsProducer: false));
}
