namespace Raceway.Rings;

/// <summary>The end of an activation: armed, the unit holds no thread until what it waits for advances, or a deadline comes.</summary>
internal sealed partial class PoolDriver
{
    private readonly Activation _waiter;
    private Alarms? _alarms;
    private Progress? _armedOn;
    private long _readyAt; // when it was signalled; 0: it has been stepped since
    private bool _due;

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
        _waiting.Rest(target.Stall, now, goesOn: _staying.HasStayed);
        _staying.Ends();
        cell.Arm(_waiter, target.Awaited);
        // The time may have been up before the waiter was armed: then its alarm has found no waiter to take back.
        return !((target.IsOver || Volatile.Read(ref _due)) && cell.Disarm(_waiter));
    }

    // Late or early, it only makes the unit look again; the one that takes the waiter back queues.
    private void OnDeadline()
    {
        // Before the gate that disarming takes, as it is read after the gate that arming takes: one of the two sees the other.
        Volatile.Write(ref _due, true);
        if (Volatile.Read(ref _armedOn) is not { } cell || !cell.Disarm(_waiter)) return;
        Volatile.Write(ref _readyAt, MachineClock.Now);
        Queue();
    }

    private sealed class Activation(PoolDriver driver) : Waiter
    {
        internal override long SignalledAt => Volatile.Read(ref driver._readyAt);

        // A thread that steps units takes this one as well: another would not run sooner if the producer yielded.
        internal override bool AwaitsItsTurn => driver.Ready.HasThread;

        internal override void Signal()
        {
            PoolThread? thread = PoolThread.Current;
            if (thread is { Next: null, Stepped.Settles: true })
            {
                Volatile.Write(ref driver._readyAt, thread.Now);
                thread.Next = driver;
                return;
            }

            Volatile.Write(ref driver._readyAt, MachineClock.Now);
            driver.Queue();
        }
    }
}
