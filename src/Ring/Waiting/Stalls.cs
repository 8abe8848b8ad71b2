namespace Raceway.Rings;

/// <summary>Tells the times of one that works and waits apart. Written by whoever waits, read by anyone.</summary>
/// <remarks>
/// <para>A wait is entered where a step finds nothing to do, and lasts until what it waits for is there, or its sleep ends,
/// however many rounds of polling that takes. What is no wait is work: so nothing is written, and no clock read, while there
/// is something to do.</para>
/// <para>At most two clock reads a wait. One that polls: when it is entered, and when a poll has hit. One that sleeps: when it
/// is entered, and by whoever signals it; that its sleep has ended is known from the strategy, which looks at the clock for
/// its own sake. Where a wait has ended and the step found nothing to do all the same, the next one begins when that one
/// ended.</para>
/// <para>A step that finds what the last poll did not, some nanoseconds before, is taken for waiting: a wait in some hundred,
/// where the wait polls.</para>
/// </remarks>
internal sealed class Stalls
{
    private const long Settling = -1;
    private const int MostLooks = 1_000;

    private readonly long[] _ticks = new long[(int)Stall.Own + 1];
    private long _since;    // when the wait under way began; 0: there is none
    private long _endedAt;  // when the last wait ended, and nothing has been done since; 0: something has
    private long _deadline; // of the wait under way
    private Stall _stall;
    private long _started;
    private long _stopped;

    /// <summary>From here on there is time to account for.</summary>
    public void Start() => _started = Clock.Now;

    /// <summary>The end of that.</summary>
    public void Stop()
    {
        Work();
        _stopped = Clock.Now;
    }

    /// <summary>Waits for <paramref name="stall"/>, or still does; true where a wait begins.</summary>
    /// <param name="stall">What for.</param>
    /// <param name="deadline">Until when at the latest.</param>
    /// <param name="since">When it begins, where that is known; else 0.</param>
    public bool Begin(Stall stall, long deadline, long since = 0)
    {
        _deadline = deadline;
        if (_since != 0)
        {
            if (stall == _stall) return false;
            End();
        }

        _stall = stall;
        Volatile.WriteBarrier();
        _since = _endedAt != 0 ? _endedAt : since != 0 ? since : Clock.Now;
        return true;
    }

    /// <summary>There is something to do from <paramref name="now"/> on, and no thread to do it yet.</summary>
    public void Queue(long now)
    {
        _stall = Stall.Waking;
        Volatile.WriteBarrier();
        _since = now;
    }

    /// <summary>The wait under way, if there is one, is over.</summary>
    public void End()
    {
        if (_since != 0) End(Clock.Now, 0);
    }

    /// <summary>The same at a time known already.</summary>
    /// <param name="now">That time.</param>
    /// <param name="signalled">When it was signalled; from then on it was waking. 0, or a time before the wait: never.</param>
    public void End(long now, long signalled)
    {
        long since = _since;
        if (since == 0) return;
        // ORDER: release, three times; pairs with the barriers of Read: who finds the same wait twice, or none, has what
        // belongs to it.
        _since = Settling;
        Volatile.WriteBarrier();
        long woken = signalled > since && signalled < now ? signalled : now;
        _ticks[(int)_stall] += woken - since;
        _ticks[(int)Stall.Waking] += now - woken;
        _endedAt = now;
        Volatile.WriteBarrier();
        _since = 0;
    }

    /// <summary>The same, where whoever ended it may have looked at the clock.</summary>
    public void EndAt(long ended)
    {
        if (_since != 0) End(ended > _since ? ended : Clock.Now, 0);
    }

    /// <summary>Something has been done: where a wait is under way, the step itself has found what ends it.</summary>
    public void Work()
    {
        if (_since != 0) End(Math.Min(Clock.Now, _deadline), 0);
        _endedAt = 0;
    }

    /// <summary>A snapshot, with the wait under way.</summary>
    public StallTimes Read()
    {
        Span<long> ticks = stackalloc long[_ticks.Length];
        for (int looks = 1; ; looks++)
        {
            long since = _since;
            Volatile.ReadBarrier();
            _ticks.CopyTo(ticks);
            Stall stall = _stall;
            Volatile.ReadBarrier();
            // Whoever writes may be held up for long: then one wait may be missing.
            if ((since == Settling || since != _since) && looks < MostLooks)
            {
                Thread.Yield();
                continue;
            }

            long now = Clock.Now;
            if (since > 0) ticks[(int)stall] += Math.Max(0, now - since);
            long total = _started == 0 ? 0 : (_stopped == 0 ? now : _stopped) - _started;
            long stalled = ticks[(int)Stall.Starved] + ticks[(int)Stall.Blocked] + ticks[(int)Stall.Waking];
            return new StallTimes(
                Math.Max(0, total - stalled), ticks[(int)Stall.Starved], ticks[(int)Stall.Blocked], ticks[(int)Stall.Waking]);
        }
    }
}
