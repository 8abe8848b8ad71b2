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
        // The timer outlives what its caller does now: it must not keep that context alive, nor call back in it.
        using AsyncFlowControl noFlow = ExecutionContext.SuppressFlow();
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
            Change(Clock.TimerSpan(Math.Max(0, deadline - now)));
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
        Change(Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();

    // Timers have a lock, and an interrupt would break the wait for it: an alarm that others rely on would not be set. As in Gate.
    private void Change(TimeSpan due)
    {
        bool interrupted = false;
        while (true)
        {
            try
            {
                _timer.Change(due, Timeout.InfiniteTimeSpan);
                break;
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }

        if (interrupted) Thread.CurrentThread.Interrupt();
    }
}
