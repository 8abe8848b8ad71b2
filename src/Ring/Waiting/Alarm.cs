namespace Raceway.Rings;

/// <summary>Calls back when a clock has come to a point in time.</summary>
/// <remarks>
/// <para>The call may come early, or late for an earlier setting: the waiter that it wakes looks at the clock.</para>
/// <para><b>Threads</b>: one at a time sets it. The call comes on any thread, also on one that moves the clock.</para>
/// </remarks>
internal sealed class Alarm : IDisposable
{
    // A clock may move between a look at it and the setting of its timer, which then rings too late.
    private const int MostTries = 16;

    private readonly ITimer _timer;
    private bool _isSet;

    public Alarm(Clock clock, Action ring)
    {
        Clock = clock;
        _timer = clock.CreateTimer(_ => ring());
    }

    public Clock Clock { get; }

    /// <summary>Lets it ring at <paramref name="deadline"/>; false if another clock than the machine's is there already.</summary>
    /// <remarks>A clock that moves by itself passes the point that it was set for soon, so the tries end.</remarks>
    public bool TrySet(long deadline)
    {
        if (deadline == Clock.Never)
        {
            Clear();
            return true;
        }

        _isSet = true;
        long now = Clock.Now;
        for (int tries = 0; ; tries++)
        {
            if (!Clock.IsMachine && now >= deadline) break;
            _timer.Change(Clock.TimerSpan(Math.Max(0, deadline - now)), Timeout.InfiniteTimeSpan);
            if (Clock.IsMachine) return true;
            long after = Clock.Now;
            if (after == now || (tries == MostTries && after < deadline)) return true;
            now = after;
        }

        Clear();
        return false;
    }

    /// <summary>Lets it ring no more, except for a call that is under way.</summary>
    public void Clear()
    {
        if (!_isSet) return;
        _isSet = false;
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();
}

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
