namespace Raceway.Rings;

/// <summary>One thread's waiting: told of every step that progressed, asked to wait when there was nothing to do.</summary>
internal abstract class Waiting
{
    private long _waits;
    private long _parks;
    private ThreadAccount? _account;

    /// <summary>Where the time has gone.</summary>
    public Stalls Stalls { get; } = new();

    /// <summary>The system's account of the thread that waits here, where it is always the same.</summary>
    public ThreadAccount? Account
    {
        get => Volatile.Read(ref _account);
        set => Volatile.Write(ref _account, value);
    }

    /// <summary>Waits entered; rounds of polling for the same are one.</summary>
    public long Waits => Volatile.Read(ref _waits);

    /// <summary>Times the thread went to sleep.</summary>
    public long Parks => Volatile.Read(ref _parks);

    /// <summary>Interrupts swallowed while asleep.</summary>
    public virtual long Interrupts => 0;

    /// <summary>All of that; a snapshot.</summary>
    /// <param name="now">When that is, in <see cref="MachineClock"/> ticks.</param>
    public WaitCounts CountsAt(long now) => new(Stalls.Read(now), Waits, Parks, Interrupts);

    /// <summary>A step handled <paramref name="count"/> items; <paramref name="more"/> are known to be there.</summary>
    public virtual void Progressed(int count, bool more)
    {
    }

    /// <summary>
    /// Waits a while for <paramref name="target"/>: until it is over, its deadline, a <see cref="Wake"/>, or some bounded
    /// time of polling. The caller looks again in any case.
    /// </summary>
    public void Idle(in WaitTarget target)
    {
        if (Stalls.Begin(target.Stall, target.MachineDeadline)) CountWait();
        if (WaitFor(target)) Stalls.End();
    }

    /// <summary>Ends a sleep from another thread (cancellation). Kept if it comes before the sleep.</summary>
    public virtual void Wake()
    {
    }

    /// <summary>Forgets a <see cref="Wake"/> that came late.</summary>
    public virtual void ForgetWake()
    {
    }

    /// <summary>Enters a wait, or goes on with it, in which the driver looks again soon.</summary>
    /// <param name="stall">What for.</param>
    /// <param name="since">When it began, where that is known; else 0.</param>
    /// <param name="goesOn">Whether it is counted already: nothing has been done since.</param>
    public void Stay(Stall stall, long since = 0, bool goesOn = false)
    {
        if (Stalls.Begin(stall, Clock.Never, since) && !goesOn) CountWait();
    }

    /// <summary>The same for a wait that holds no thread: a park.</summary>
    /// <inheritdoc cref="Stay"/>
    public void Rest(Stall stall, long since = 0, bool goesOn = false)
    {
        Stay(stall, since, goesOn);
        CountPark();
    }

    /// <summary>Waits a while; true where the target is over, or a sleep has ended: then that wait is over.</summary>
    protected abstract bool WaitFor(in WaitTarget target);

    private void CountWait() => Volatile.Write(ref _waits, _waits + 1);

    protected void CountPark() => Volatile.Write(ref _parks, _parks + 1);

    /// <summary>Polls <paramref name="times"/> times with <paramref name="pauses"/> pauses after each; true once over.</summary>
    protected static bool Poll(in WaitTarget target, int times, int pauses)
    {
        for (int i = 0; i < times; i++)
        {
            if (target.IsOver) return true;
            Cpu.Pause(pauses);
        }

        return false;
    }
}
