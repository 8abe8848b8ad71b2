using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Steps on the thread pool while there is something to do, and holds no thread while there is not.</summary>
/// <remarks>
/// One activation at a time: it ends armed on what the unit waits for, and the thread that advances that makes the unit ready again.
/// Or it ends in the group that steps the unit together with others (<see cref="PoolGroup"/>), until that lets it go.
/// An activation gives its thread back after a bounded <em>time</em>, not a number of items, so that unrelated work of the
/// pool waits no longer than that (see <see cref="ReadyQueue"/>). How many items a step may take is the <see cref="Quantum"/>'s.
/// Where steps are cut, a slice is overrun by about half of it at most, or by the one item that takes longer, or the call, or by
/// a wait on the thread (<see cref="Lingering"/>).
/// </remarks>
internal sealed partial class PoolDriver : Driver
{
    private readonly AdaptiveWaiting _waiting;
    private ExecutionContext? _context;
    private PoolThread? _thread;
    private Quantum _quantum;
    private StepCost _cost;
    private Staying _staying;
    private Lingering _lingering;
    private long _until;
    private bool _begun;
    private bool _hadMore; // items, when the last activation ended with its slice

    /// <param name="unit">What to step.</param>
    /// <param name="slice">For how long at a time, in <see cref="MachineClock"/> ticks.</param>
    /// <param name="cuts">Whether steps are made smaller if items are expensive.</param>
    /// <param name="ready">Where it waits for a thread; null for the one of the process.</param>
    public PoolDriver(Steppable unit, long slice, bool cuts = true, ReadyQueue? ready = null)
        : base(unit)
    {
        Ready = ready ?? ReadyQueue.Shared;
        Slice = slice;
        // What is not known counts as long: the start hooks too.
        _cost = new StepCost(Math.Max(slice, ReadyQueue.WakeUp + 1));
        _quantum = new Quantum(slice, cuts, unit.MostShort);
        _staying = new Staying(Ready.Soon, unit.MostStays);
        _waiter = new Activation(this);
        _waiting = new AdaptiveWaiting(unit.Owner.WaitContext(unit.LeadsChain));
    }

    /// <summary>Where it waits for a thread.</summary>
    public ReadyQueue Ready { get; }

    /// <summary>The stages that its own may be stepped together with; null if there are none. Set before it is launched.</summary>
    public PoolGroup? Group { get; set; }

    /// <summary>For how long it is stepped before the thread goes back to the pool.</summary>
    public long Slice { get; }

    /// <summary>What its next step may take (<see cref="StepCost"/>). For the thread that steps it, or the queue that has it.</summary>
    public long Cost => _cost.Ticks;

    /// <summary>What its next activation may take while others are ready: a step; or a slice, if the last one has ended with a slice and left
    /// items. For the thread that steps it, or the queue that has it.</summary>
    public long Awaited => _hadMore ? Math.Max(Cost, Slice) : Cost;

    /// <summary>See <see cref="Lingering.Work"/>. For any thread.</summary>
    public int Work => _lingering.Work;

    /// <summary>Whether it only stays ready: its last step has found nothing.</summary>
    public bool IsStaying => _staying.HasStayed;

    /// <summary>See <see cref="Steppable.Settles"/>. For the thread that steps it.</summary>
    public bool Settles => Unit.Settles;

    /// <summary>Behind it in the ready queue, under that one's gate.</summary>
    internal PoolDriver? NextReady { get; set; }

    /// <summary>The thread that has stepped it last, under the same gate.</summary>
    internal PoolThread? SteppedBy { get; set; }

    /// <summary>Steps until there is nothing to do, the time is up, or others come first. Afterwards it is armed, and perhaps under
    /// way elsewhere; or in its group; or ready, and what <paramref name="thread"/> puts into the queue again; or it has ended.</summary>
    public void Activate(PoolThread thread, long until)
    {
        (_thread, _until) = (thread, until);
        // The context that an async handler was called in last is entered again, so that its mark need not be made anew.
        if (_context is null) ActivateHere();
        else ExecutionContext.Run(_context, static driver => ((PoolDriver)driver!).ActivateHere(), this);
        thread.LeaveContext();
    }

    private void ActivateHere()
    {
        PoolThread thread = _thread!;
        if (!_begun)
        {
            _begun = true;
            _waiting.Stalls.Start();
            bool begins = Begin();
            if (begins) Group?.Began();
            else Group?.Left(this, hasBegun: false);
            // What the start hooks took is no step's.
            thread.Now = MachineClock.Now;
            if (!begins) return;
        }

        try
        {
            if (Run()) return;
        }
        catch (Exception fault)
        {
            Unit.Owner.Fail(fault);
        }

        _alarms?.Dispose();
        _waiting.Stalls.Stop();
        Group?.Left(this, hasBegun: true);
        End();
        // Nor what the stop hooks took.
        thread.Now = MachineClock.Now;
    }

    protected override void NeverLaunched() => Group?.Left(this, hasBegun: false);

    protected override void LaunchCore()
    {
        Unit.Attend(_waiting);
        Unit.CannotPlace("the thread pool drives it, and its threads serve all work");
        Queue();
    }

    /// <summary>It is ready again, after its group had it.</summary>
    public void Resume()
    {
        Unit.Attend(_waiting);
        _staying.Ends();
        Volatile.Write(ref _readyAt, MachineClock.Now);
        Queue();
    }

    private void Queue() => Ready.Add(this);

    /// <summary>One activation; false once the unit has stopped.</summary>
    private bool Run()
    {
        PoolThread thread = _thread!;
        long began = thread.Now;
        long now = began;
        _waiting.Stalls.End(now, _readyAt);
        _staying.Signalled(_readyAt);
        Volatile.Write(ref _readyAt, 0);
        _hadMore = false;
        _lingering.Count(now);
        while (true)
        {
            Debug.Assert(thread.Next is null, "What a step makes ready at its end is stepped next.");
            long from = now;
            int asked = Math.Max(_quantum.Items, Unit.LeastStep);
            StepResult result = Unit.StepOnce(asked);
            // Now: once this is armed, or ready again, another activation may be under way.
            if (Unit.MarksContext) _context = ExecutionContext.Capture();
            switch (result.Kind)
            {
                case StepKind.Stopped:
                    return false;
                case StepKind.Progressed:
                    now = thread.Now = MachineClock.Now;
                    _waiting.Stalls.Work();
                    _staying.Found();
                    _cost.Add(now - from);
                    // What it was not allowed, it would have taken.
                    _quantum.Adapt(result.Count >= Unit.MostOf(asked) ? Math.Max(result.Count, asked) : result.Count, now - from);
                    Unit.Stepped(result, from, now);
                    if (JoinsGroup(thread, result, from, now)) return true;
                    // Others come first, and more gathers meanwhile. But a unit that has more items already goes on: the way through the
                    // queue takes as long as some hundred cheap items where the cores are far from each other. A step that has handled
                    // nothing does not go on: it may wait for the others.
                    bool hasMore = result is { More: true, Count: > 0 };
                    bool othersWait = Ready.HasReady;
                    if (thread.Next is null && (hasMore || !othersWait) && now < _until)
                    {
                        // Another step like this one, and they would have waited longer than for a thread that wakes up.
                        if (othersWait && now - began + (now - from) > ReadyQueue.WakeUp) Ready.TakesLong(thread);
                        now = thread.Now;
                        _waiting.Progressed(result.Count, result.More);
                        continue;
                    }

                    _waiting.Stalls.Queue(now);
                    _hadMore = hasMore && now >= _until;
                    thread.Again = this;
                    return true;
                default:
                    // A handler that awaits has been called, or an idle hook may have been.
                    if (result.Kind == StepKind.Pending || Unit.HasIdleHook) _cost.Add((thread.Now = MachineClock.Now) - from);
                    if (result.Kind == StepKind.Idle)
                    {
                        Unit.Stepped(result, from, now);
                        if (JoinsGroup(thread, result, from, now)) return true;
                    }

                    WaitTarget target = Unit.NextTarget();
                    bool idle = result.Kind == StepKind.Idle;
                    // Apart from its group it waits on its thread, unless others are ready. Any other unit stays ready for a moment. Then it arms.
                    if (idle && Group is { Lingers: true })
                    {
                        if (!target.IsDue && thread.Next is null && Lingering.MayBegin(Ready, thread) && _lingering.Finds(target, Ready, thread, _waiting, now))
                        {
                            now = thread.Now;
                            continue;
                        }
                    }
                    else if (idle && _staying.HasStayed is var hasStayed && _staying.Stays(now))
                    {
                        _waiting.Stay(target.Stall, now, hasStayed);
                        thread.FoundNothing();
                        thread.Again = this;
                        return true;
                    }

                    if (Arm(target, now)) return true;
                    // There is something to do: it does not only stay ready.
                    _staying.Ends();
                    now = thread.Now = MachineClock.Now;
                    _waiting.Stalls.End(now, 0);
                    // What the step has made ready comes first. So do others where it is due again and again, as a handler that takes
                    // nothing is.
                    if (thread.Next is null && now < _until && !Ready.HasReady) continue;
                    _waiting.Stalls.Queue(now);
                    thread.Again = this;
                    return true;
            }
        }
    }

    /// <summary>Whether its group has it from now on, behind a step.</summary>
    private bool JoinsGroup(PoolThread thread, in StepResult result, long from, long now)
    {
        if (Group is not { } group) return false;
        group.MemberStepped(this, result, from, now);
        if (!group.Gathers) return false;
        // Its own waits go on from here once it is resumed, and what is between counts as the group's.
        _waiting.Stalls.Work();
        _waiting.Stalls.Queue(MachineClock.Now);
        bool takes = group.Takes(this);
        // The last one to come launches the driver of all, which may wake a thread.
        if (takes) thread.Now = MachineClock.Now;
        return takes;
    }
}
