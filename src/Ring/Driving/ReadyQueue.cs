using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Units that are ready to be stepped, and the few work items of the thread pool that step them.</summary>
/// <remarks>
/// <para>A unit is in it at most once, however many items wait for it. Where others are ready, it joins at the back once it has taken
/// what was there, or at the end of a slice, or behind a step that makes another unit ready. A work item takes one unit after another;
/// after the time of a slice it goes to the end of the pool's own queue, if other work waits there: that waits about a slice, not one
/// slice for each ready unit.</para>
/// <para><b>The next unit.</b> Where the end of a step has made another unit ready, the thread goes on with that one: the items are in
/// its cache. Else it takes the first one in the queue; or, where another thread has stepped that one last, the nearest of the next few
/// that it has stepped last itself. So with many rings ready, each is mostly stepped by the same thread: its slots and counters need not
/// come from another core. Sixteen times in a row at most a first one is passed over, and for a step shorter than a slice only.</para>
/// <para><b>A unit that finds nothing</b> arms, and leaves. Where its next item is expected within some steps, it joins the queue again
/// instead (<see cref="Staying"/>): a lone item then goes from stage to stage with no arming and no signal. Such units count as no work,
/// and are left to a thread that is back soon: two would only poll beside each other. Where no other unit is ready, a
/// stage that is apart from its group keeps its thread instead, and for longer (<see cref="Lingering"/>).</para>
/// <para><b>When a thread is asked for.</b> A woken one runs after 8 to 32 µs. So a ready unit waits for a thread that is back soon:
/// one that steps a unit with short steps, which left no items at the end of its last slice. At the end of a step it counts so no longer
/// if it is about to go on for longer than a wake-up takes. Where there is none, or more work waits than a wake-up costs, a work item is
/// put into the pool's queue. At most one waits there at any time. It runs on another thread where the pool has one to spare, so as many
/// units are stepped at once as the pool has threads (one a core).</para>
/// <para><b>Handlers that block</b> keep their thread only: the pool adds one, as for any work item that blocks. Where a step was
/// expected to be short and blocks, a watch finds out: it looks every 10 ms, only while units wait for such a thread. From then on no
/// thread counts as back soon that did before.</para>
/// <para>The units are linked by a field of their own under a lock that is held for a look at 17 units at most, taken once an
/// activation, never for an item: it cannot be full, and nothing is allocated. Idle, there is neither a work item nor a timer.</para>
/// </remarks>
internal sealed class ReadyQueue : IThreadPoolWorkItem
{
    private const int MostLookedAt = 16;
    private const int MostPassedOver = 16;
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_wakeUp = TimeSpan.FromMicroseconds(20);
    // A thread that others keep from its processor is in the same step for some time slices, too.
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(50);

    private readonly object _gate = new();
    private readonly Alarm _watch;
    private readonly PoolSpread? _spread;
    private PoolDriver? _first;
    private PoolDriver? _last;
    // All under the gate.
    private int _waiting; // units in the queue, but for those that only stay ready; read by others too
    private long _work; // what the next activations of these may take
    private int _passedOver; // how often a first one was, since a thread took one that another had stepped
    private long _taken; // units taken from it
    private long _seen; // of those, when the watch was set
    private int _threads; // that step units now; read by others too
    private int _backSoon; // those of them that are back soon, of this epoch
    private int _epoch = 1;
    private bool _asked; // a work item waits in the pool's queue
    private bool _watched; // the watch's alarm is set

    /// <param name="clock">What the watch goes by.</param>
    /// <param name="soon">See <see cref="Soon"/>.</param>
    /// <param name="spread">What keeps the threads apart; null: the system alone.</param>
    public ReadyQueue(Clock clock, TimeSpan soon = default, PoolSpread? spread = null)
    {
        (_watch, Soon, _spread) = (new Alarm(clock, Look), Clock.Ticks(soon), spread);
        (Steps, Gatherings) = (new Watches(clock, s_step), new Watches(clock, s_patience));
    }

    /// <summary>What a wake-up is taken to last until the thread runs, in <see cref="MachineClock"/> ticks: 20 µs. Measured: mostly 8 to 32.</summary>
    public static long WakeUp { get; } = Clock.Ticks(s_wakeUp);

    /// <summary>The one of the process: units that share a thread pool share its slices.</summary>
    /// <remarks>Set by the explorer, where each execution is a process of its own.</remarks>
    public static ReadyQueue Shared { get; set; } = new(
        Clock.Machine, Cpu.IsAlone ? default : s_wakeUp, PoolSpread.OfMachine());

    /// <summary>How long a unit may stay ready for its next item, in <see cref="MachineClock"/> ticks (<see cref="Staying"/>); 0: none does.</summary>
    public long Soon { get; }

    /// <summary>The rounds that look at the steps of groups (<see cref="PoolGroup"/>), every 50 ms while there are any.</summary>
    public Watches Steps { get; }

    /// <summary>The rounds that look at groups that are coming together, every 10 ms.</summary>
    public Watches Gatherings { get; }

    /// <summary>Whether a unit is ready that no thread steps yet; a snapshot.</summary>
    public bool HasReady => Volatile.Read(ref _first) is not null;

    /// <summary>Whether such a unit is there that does not only stay ready; a snapshot.</summary>
    public bool HasWork => Volatile.Read(ref _waiting) > 0;

    /// <summary>Whether a thread steps units; a snapshot. If none does, the next unit waits for one that wakes up.</summary>
    public bool HasThread => Volatile.Read(ref _threads) > 0;

    /// <summary>The calling thread blocks until there is room in a ring of these units.</summary>
    public void ProducerBlocks()
    {
        // A thread of the pool that waits in a handler is not to move off its own processor for that.
        if (PoolThread.Current is null) _spread?.ProducerBlocks(MachineClock.Now);
    }

    /// <summary>Puts <paramref name="unit"/>, which is not in it and is not being stepped, at the back.</summary>
    public void Add(PoolDriver unit)
    {
        Gate.Enter(_gate);
        Link(unit);
        ExitAndAsk();
    }

    /// <summary>The calling thread goes on with its unit for longer than a wake-up takes: no other unit waits for it any more.</summary>
    public void TakesLong(PoolThread thread)
    {
        if (thread.BackSoonIn == PoolThread.NotSoon) return;
        Gate.Enter(_gate);
        IsNotBackSoon(thread);
        ExitAndAsk(thread);
    }

    void IThreadPoolWorkItem.Execute()
    {
        PoolThread thread = PoolThread.Begin();
        try
        {
            Step(thread);
        }
        finally
        {
            thread.End();
            if (_spread is not null) thread.Place.Leave();
        }
    }

    private void Step(PoolThread thread)
    {
        Gate.Enter(_gate);
        _asked = false;
        Volatile.Write(ref _threads, _threads + 1);
        PoolDriver? unit = Take(thread);
        ExitAndAsk();
        if (unit is null) return;
        long began = thread.Now = MachineClock.Now;
        if (_spread is not null && _spread.Begin(thread.Place, began, unit.Work)) began = thread.Now = MachineClock.Now;
        do
        {
            long until = began + unit.Slice;
            thread.Stepped = unit;
            unit.Activate(thread, until);
            thread.Stepped = null;
            if (thread.Now >= until)
            {
                if (MakesRoom(thread)) return;
                began = thread.Now;
                if (_spread is not null && _spread.Look(thread.Place, began, unit.Work)) began = thread.Now = MachineClock.Now;
            }

            Gate.Enter(_gate);
            unit = Take(thread);
            ExitAndAsk(thread);
        }
        while (unit is not null);
    }

    /// <summary>What the thread steps next; what it leaves joins the queue. Null: it ends.</summary>
    private PoolDriver? Take(PoolThread thread)
    {
        PoolDriver? next = thread.Next;
        thread.Next = null;
        Leave(thread);
        // Units that only stay ready are left to the thread that is back soon.
        bool leaves = _waiting == 0 && _backSoon > 0;
        if (next is null && !leaves && _first is { } first)
        {
            PoolDriver? before = BeforeOwn(first, thread);
            next = before?.NextReady ?? first;
            if (before is not null) _passedOver++;
            else if (first.SteppedBy != thread) _passedOver = 0;
            Unlink(next, before);
            _taken++;
        }

        if (next is null)
        {
            ThreadEnds();
            return null;
        }

        next.SteppedBy = thread;
        if (next.Awaited > WakeUp) return next;
        _backSoon++;
        thread.BackSoonIn = _epoch;
        return next;
    }

    /// <summary>The unit that stands before the one to take instead of the first. Null: take the first.</summary>
    private PoolDriver? BeforeOwn(PoolDriver first, PoolThread thread)
    {
        if (first.SteppedBy == thread || _passedOver == MostPassedOver) return null;
        PoolDriver before = first;
        for (int i = 0; i < MostLookedAt && before.NextReady is { } unit; i++, before = unit)
        {
            // A step that takes long gains nothing by it, and others would wait for it longer.
            if (unit.SteppedBy == thread && !unit.IsStaying && unit.Cost < unit.Slice) return before;
        }

        return null;
    }

    /// <summary>The thread steps nothing; what it has left joins the queue.</summary>
    private void Leave(PoolThread thread)
    {
        IsNotBackSoon(thread);
        if (thread.Again is { } again) Link(again);
        if (thread.Next is { } next) Link(next);
        thread.Again = thread.Next = null;
    }

    /// <summary>The slice is over: true where other work waits for the thread, which then comes back by the pool's queue.</summary>
    private bool MakesRoom(PoolThread thread)
    {
        long pending = ThreadPool.PendingWorkItemCount;
        Gate.Enter(_gate);
        // The one item may be our own.
        bool others = pending > (_asked ? 1 : 0);
        if (others)
        {
            Leave(thread);
            ThreadEnds();
        }

        ExitAndAsk();
        return others;
    }

    // What follows is called under the gate.
    private void ThreadEnds() => Volatile.Write(ref _threads, _threads - 1);

    private void IsNotBackSoon(PoolThread thread)
    {
        Debug.Assert(Gate.IsHeld(_gate), "The threads are counted under the gate.");
        if (thread.BackSoonIn == _epoch) _backSoon--;
        thread.BackSoonIn = PoolThread.NotSoon;
    }

    private void Link(PoolDriver unit)
    {
        Debug.Assert(Gate.IsHeld(_gate), "The queue belongs to the gate.");
        Debug.Assert(unit.NextReady is null && unit != _last, "A unit is in it at most once.");
        if (!unit.IsStaying)
        {
            Volatile.Write(ref _waiting, _waiting + 1);
            _work += unit.Awaited;
        }

        if (_last is null) Volatile.Write(ref _first, unit);
        else _last.NextReady = unit;
        _last = unit;
    }

    private void Unlink(PoolDriver unit, PoolDriver? before)
    {
        Debug.Assert(Gate.IsHeld(_gate), "The queue belongs to the gate.");
        if (before is null) Volatile.Write(ref _first, unit.NextReady);
        else before.NextReady = unit.NextReady;
        if (_last == unit) _last = before;
        unit.NextReady = null;
        if (unit.IsStaying) return;
        Volatile.Write(ref _waiting, _waiting - 1);
        _work -= unit.Awaited;
    }

    // Waking another thread up between two steps is no part of the next one: the thread that is about to step a unit reads the clock again.
    private void ExitAndAsk(PoolThread? thread = null)
    {
        Debug.Assert(Gate.IsHeld(_gate), "One work item at a time is asked for.");
        bool waits = _first is not null && !_asked;
        bool ask = waits && (_backSoon == 0 || _work > WakeUp);
        bool watch = waits && !ask && !_watched;
        _asked |= ask;
        if (watch) (_watched, _seen) = (true, _taken);
        Gate.Exit(_gate);
        if (ask) ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        if (watch) SetWatch();
        if (ask && thread is not null) thread.Now = MachineClock.Now;
    }

    private void SetWatch() => _watch.TrySet(_watch.Clock.In(s_patience));

    private void Look()
    {
        Gate.Enter(_gate);
        if (_first is not null && _taken == _seen)
        {
            // Units wait, and none was taken since the watch was set: threads that were to be back soon are not.
            _epoch++;
            _backSoon = 0;
        }

        _watched = false;
        ExitAndAsk();
    }
}
