namespace Raceway.Rings;

/// <summary>A thread that sleeps until signalled.</summary>
internal sealed class ParkWaiter : Waiter
{
    private readonly object _gate = new();
    private bool _signalled;
    private bool _woken;
    private long _signalledAt; // 0: the thread has taken the signal

    /// <summary>Interrupts swallowed while asleep.</summary>
    public long Interrupts { get; private set; }

    /// <summary>When it was signalled last. For the thread that sleeps.</summary>
    public long LastSignalAt { get; private set; }

    internal override long SignalledAt => Volatile.Read(ref _signalledAt);

    internal override void Signal()
    {
        // Before the gate: the thread that sleeps behind it has that much less to wait for.
        long now = MachineClock.Now;
        using Gate.Held held = Gate.Hold(_gate);
        LastSignalAt = now;
        _signalled = true;
        Volatile.Write(ref _signalledAt, now);
        Monitor.Pulse(_gate);
    }

    /// <summary>Ends the current sleep, or the next one, without a signal of a cell (cancellation, an alarm).</summary>
    public void Wake()
    {
        using Gate.Held held = Gate.Hold(_gate);
        _woken = true;
        Monitor.Pulse(_gate);
    }

    /// <summary>Forgets a <see cref="Wake"/> that came after the wait had ended.</summary>
    public void ForgetWake()
    {
        using Gate.Held held = Gate.Hold(_gate);
        _woken = false;
    }

    /// <summary>Sleeps until signalled or woken, or for a time; returns whether a cell has signalled.</summary>
    /// <param name="milliseconds">Upper bound, or <see cref="Timeout.Infinite"/>.</param>
    /// <param name="interruptible">True for a producer: the interrupt goes to the caller. Pipeline threads count it.</param>
    public bool Park(int milliseconds, bool interruptible)
    {
        using Gate.Held held = Gate.Hold(_gate);
        while (!_signalled && !_woken)
        {
            try
            {
                if (!Monitor.Wait(_gate, milliseconds)) break;
            }
            catch (ThreadInterruptedException) when (!interruptible)
            {
                Interrupts++;
            }
        }

        // One sleep for each: the caller looks again at what it was woken for.
        _woken = false;
        return TakeSignal();
    }

    /// <summary>Waits for a signal that is on its way: its sender still holds this waiter's link.</summary>
    public void AwaitSignal()
    {
        bool interrupted = false;
        Gate.Enter(_gate);
        while (!_signalled)
        {
            try
            {
                Monitor.Wait(_gate);
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }

        TakeSignal();
        Gate.Exit(_gate);
        if (interrupted) Thread.CurrentThread.Interrupt();
    }

    private bool TakeSignal()
    {
        bool signalled = _signalled;
        _signalled = false;
        Volatile.Write(ref _signalledAt, 0);
        return signalled;
    }
}
