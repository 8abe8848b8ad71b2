namespace Raceway.Rings;

/// <summary>Steps on the thread pool while there is something to do, and holds no thread while there is not.</summary>
/// <remarks>
/// One activation at a time: it ends armed on what the unit waits for, and whoever advances that queues the next one. An
/// activation gives its thread back after a bounded <em>time</em>, not a number of items, so that unrelated work of the
/// pool waits no longer than that.
/// </remarks>
internal sealed class PoolDriver : Driver, IThreadPoolWorkItem
{
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));
    private const int StepQuantum = 1024;

    private readonly Activation _waiter;
    private readonly AdaptiveWaiting _waiting;
    private readonly Timer _timer;
    private Progress? _armedOn;
    private ExecutionContext? _context;
    private long _signalledAt;
    private bool _begun;
    private bool _timerSet;
    private bool _due;

    public PoolDriver(Steppable unit)
        : base(unit)
    {
        _waiter = new Activation(this);
        _waiting = new AdaptiveWaiting(unit.Owner.WaitContext(unit.LeadsChain));
        _timer = new Timer(static driver => ((PoolDriver)driver!).OnDeadline(), this, Timeout.Infinite, Timeout.Infinite);
    }

    void IThreadPoolWorkItem.Execute()
    {
        // The pool gives every work item a fresh context; an async handler's is marked once, and entered again for nothing.
        if (_context is null) Activate();
        else ExecutionContext.Run(_context, static driver => ((PoolDriver)driver!).Activate(), this);
    }

    private void Activate()
    {
        if (!_begun)
        {
            _begun = true;
            _waiting.Stalls.Start();
            if (Unit.MarksContext)
            {
                Reentrancy.Follow(Unit.Owner);
                _context = ExecutionContext.Capture();
            }

            if (!Begin())
            {
                _timer.Dispose();
                return;
            }
        }

        try
        {
            if (Run()) return;
        }
        catch (Exception fault)
        {
            Unit.Owner.Fail(fault, null);
        }

        _timer.Dispose();
        _waiting.Stalls.Stop();
        End();
    }

    protected override void LaunchCore()
    {
        Unit.Attend(_waiting);
        Unit.CannotPlace("the thread pool drives it, and its threads are everybody's");
        Queue();
    }

    private void Queue() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

    /// <summary>One activation; false once the unit has stopped.</summary>
    private bool Run()
    {
        long now = Clock.Now;
        long until = now + s_slice;
        _waiting.Stalls.End(now, _signalledAt);
        while (true)
        {
            StepResult result = Unit.Step(StepQuantum);
            switch (result.Kind)
            {
                case StepKind.Stopped:
                    return false;
                case StepKind.Progressed:
                    _waiting.Stalls.Work();
                    _waiting.Progressed(result.Count, result.More);
                    if ((now = Clock.Now) < until) continue;
                    // Busy for a whole slice: publishers need not fence for it any more.
                    _armedOn?.LeaveParkingRegime();
                    Volatile.Write(ref _armedOn, null);
                    _waiting.Stalls.Queue(now);
                    Queue();
                    return true;
                default:
                    if (Arm(Unit.NextTarget())) return true;
                    _waiting.Stalls.End();
                    continue;
            }
        }
    }

    /// <summary>Arms for the next activation; false where there is something to do already.</summary>
    private bool Arm(in WaitTarget target)
    {
        if (target.Deadline != Clock.Never && Clock.MillisecondsUntil(target.Deadline) == 0)
        {
            Thread.Yield();
            return false;
        }

        Progress cell = target.Cell;
        int milliseconds = Clock.MillisecondsUntil(target.Deadline);
        Volatile.Write(ref _armedOn, cell);
        Volatile.Write(ref _due, false);
        // The timer before the waiter: from the arming on, another activation may be running and setting its own.
        if (milliseconds != Timeout.Infinite || _timerSet) _timer.Change(milliseconds, Timeout.Infinite);
        _timerSet = milliseconds != Timeout.Infinite;
        _waiting.Rest(target.Stall);
        cell.Arm(_waiter, target.Awaited);
        // The time may have been up before the waiter was armed: then its timer has found nobody to queue.
        return !((target.IsOver || Volatile.Read(ref _due)) && cell.Disarm(_waiter));
    }

    // Late or early, it only makes the unit look again; the waiter decides who queues.
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
            driver._signalledAt = Clock.Now;
            driver.Queue();
        }
    }
}
