namespace Raceway.Rings;

/// <summary>Steps on the thread pool while there is something to do, and holds no thread while there is not.</summary>
/// <remarks>
/// One activation at a time: it ends armed on what the unit waits for, and the thread that advances that makes the unit ready again.
/// An activation gives its thread back after a bounded <em>time</em>, not a number of items, so that unrelated work of the
/// pool waits no longer than that (see <see cref="ReadyQueue"/>). How many items a step may take follows from what the last
/// ones cost: a slice is overrun by about half of it at most, or by the one item that takes longer.
/// </remarks>
internal sealed class PoolDriver : Driver
{
    private const int MostAStep = 1024;
    private const int FirstStep = 16;

    private readonly ReadyQueue _ready = ReadyQueue.Shared;
    private readonly Activation _waiter;
    private readonly AdaptiveWaiting _waiting;
    private Alarms? _alarms;
    private Progress? _armedOn;
    private ExecutionContext? _context;
    private long _signalledAt;
    private int _quantum = FirstStep;
    private long _until;
    private bool _begun;
    private bool _due;

    /// <param name="unit">What to step.</param>
    /// <param name="slice">For how long at a time, in <see cref="MachineClock"/> ticks.</param>
    public PoolDriver(Steppable unit, long slice)
        : base(unit)
    {
        Slice = slice;
        _waiter = new Activation(this);
        _waiting = new AdaptiveWaiting(unit.Owner.WaitContext(unit.LeadsChain));
    }

    /// <summary>For how long it is stepped before the thread goes back to the pool.</summary>
    public long Slice { get; }

    /// <summary>Behind it in the ready queue, under that one's gate.</summary>
    internal PoolDriver? NextReady { get; set; }

    /// <summary>Steps until there is nothing to do or the time is up; afterwards it is armed, ready again, or has ended.</summary>
    public void Activate(long until)
    {
        _until = until;
        // The pool gives every work item a fresh context. The one that an async handler was called in last is entered again, so
        // that its mark need not be made anew.
        if (_context is null) ActivateHere();
        else ExecutionContext.Run(_context, static driver => ((PoolDriver)driver!).ActivateHere(), this);
    }

    private void ActivateHere()
    {
        if (!_begun)
        {
            _begun = true;
            _waiting.Stalls.Start();
            if (!Begin()) return;
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
        End();
    }

    protected override void LaunchCore()
    {
        Unit.Attend(_waiting);
        Unit.CannotPlace("the thread pool drives it, and its threads serve all work");
        Queue();
    }

    private void Queue() => _ready.Add(this);

    /// <summary>One activation; false once the unit has stopped.</summary>
    private bool Run()
    {
        long now = MachineClock.Now;
        _waiting.Stalls.End(now, _signalledAt);
        while (true)
        {
            long from = now;
            StepResult result = Unit.StepOnce(Math.Max(_quantum, Unit.LeastStep));
            // Now: once this is armed, or ready again, another activation may be under way.
            if (Unit.MarksContext) _context = ExecutionContext.Capture();
            switch (result.Kind)
            {
                case StepKind.Stopped:
                    return false;
                case StepKind.Progressed:
                    now = MachineClock.Now;
                    _waiting.Stalls.Work();
                    Adapt(result.Count, now - from);
                    // Others come first, and more gathers meanwhile.
                    bool yields = !result.More && _ready.HasReady;
                    if (!yields && now < _until)
                    {
                        _waiting.Progressed(result.Count, result.More);
                        continue;
                    }

                    if (!yields)
                    {
                        // Busy for a whole slice: publishers need not fence for it any more.
                        _armedOn?.LeaveParkingRegime();
                        Volatile.Write(ref _armedOn, null);
                    }

                    _waiting.Stalls.Queue(now);
                    _ready.AddAgain(this);
                    return true;
                default:
                    if (Arm(Unit.NextTarget(), now)) return true;
                    now = MachineClock.Now;
                    _waiting.Stalls.End(now, 0);
                    continue;
            }
        }
    }

    /// <summary>As many items a step as cost half a slice.</summary>
    private void Adapt(int count, long took)
    {
        if (took * 2 > Slice && count > 0) _quantum = (int)Math.Clamp(count * Slice / (took * 2), 1, MostAStep);
        else if (count >= _quantum) _quantum = Math.Min(_quantum * 2, MostAStep);
    }

    /// <summary>Arms for the next activation; false where there is something to do already.</summary>
    /// <param name="target">What to wait for.</param>
    /// <param name="now">When the step began that has found nothing to do: no clock is read for it.</param>
    private bool Arm(in WaitTarget target, long now)
    {
        if (target.IsDue)
        {
            Thread.Yield();
            return false;
        }

        Progress cell = target.Cell;
        Volatile.Write(ref _armedOn, cell);
        Volatile.Write(ref _due, false);
        // The alarms before the waiter: from the arming on, another activation may be running and setting its own.
        if ((_alarms is not null || target.HasDeadline) && !(_alarms ??= new Alarms(OnDeadline)).TrySet(target)) return false;
        _waiting.Rest(target.Stall, now);
        cell.Arm(_waiter, target.Awaited);
        // The time may have been up before the waiter was armed: then its alarm has found no waiter to take back.
        return !((target.IsOver || Volatile.Read(ref _due)) && cell.Disarm(_waiter));
    }

    // Late or early, it only makes the unit look again; the one that takes the waiter back queues.
    private void OnDeadline()
    {
        // Before the gate that disarming takes, as it is read after the gate that arming takes: one of the two sees the other.
        Volatile.Write(ref _due, true);
        if (Volatile.Read(ref _armedOn) is { } cell && cell.Disarm(_waiter)) Queue();
    }

    private sealed class Activation(PoolDriver driver) : Waiter
    {
        internal override void Signal()
        {
            driver._signalledAt = MachineClock.Now;
            driver.Queue();
        }
    }
}
