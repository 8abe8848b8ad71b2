namespace Raceway.Rings;

/// <summary>The alarms of a waiter: for the deadline of what it waits for, and for its next look by the machine's clock.</summary>
/// <param name="ring">Ends the sleep.</param>
internal sealed class Alarms(Action ring) : IDisposable
{
    private Alarm? _machine;
    private Alarm? _other; // of the clock that was waited by last, if that was not the machine's

    /// <summary>Sets what ends the wait for <paramref name="target"/> by time; false if its time has come.</summary>
    public bool TrySet(in WaitTarget target)
    {
        TrySet(ref _machine, Clock.Machine, target.MachineDeadline);
        return TrySetOther(target.Clock, target.Deadline);
    }

    /// <summary>The same for a sleep that ends by the machine's clock anyway: only what another clock ends.</summary>
    public bool TrySetOther(Clock clock, long deadline)
    {
        if (!clock.IsMachine) return TrySet(ref _other, clock, deadline);
        _other?.Clear();
        return true;
    }

    /// <summary>For a thread that sleeps until <paramref name="deadline"/>: how many milliseconds at most. Infinite if an alarm
    /// ends the sleep, 0 if the time has come.</summary>
    public int SleepUntil(Clock clock, long deadline)
    {
        if (!TrySetOther(clock, deadline)) return 0;
        return clock.IsMachine ? MachineClock.MillisecondsUntil(deadline) : Timeout.Infinite;
    }

    /// <summary>The wait is over: no provider keeps its timer. One of the machine may ring once more.</summary>
    public void Clear() => _other?.Clear();

    public void Dispose()
    {
        _machine?.Dispose();
        _other?.Dispose();
    }

    private bool TrySet(ref Alarm? alarm, Clock clock, long deadline)
    {
        if (deadline != Clock.Never && alarm?.Clock != clock)
        {
            alarm?.Dispose();
            alarm = new Alarm(clock, ring);
        }

        return alarm is null || alarm.TrySet(deadline);
    }
}
