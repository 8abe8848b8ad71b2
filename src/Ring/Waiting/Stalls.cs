namespace Raceway.Rings;

/// <summary>Tells working time from waiting time, for one thread or unit. Written by the one that waits, read by any thread.</summary>
/// <remarks>
/// <para>A wait is entered where a step finds nothing to do, and lasts until what it waits for is there, or its sleep ends,
/// however many rounds of polling that takes. What is no wait is work: so nothing is written, and no clock read, while there
/// is something to do.</para>
/// <para>At most two clock reads a wait. One that polls: when it is entered, and when a poll has hit. One that sleeps: when it
/// is entered, and by the thread that signals it; that its sleep has ended is known from the strategy, which looks at the clock for
/// its own sake. Where a wait has ended and the step found nothing to do all the same, the next one begins when that one
/// ended.</para>
/// <para>A step may find what the last poll did not, some nanoseconds before: a wait in some hundred, where the wait polls. A
/// stage that finds items so ends the wait before it calls its handler; any other step counts as waiting to its end.</para>
/// <para>What is read is one of two copies: the writer fills the one that is not current, and makes it so. So a reader has
/// the times of one moment, and does not wait for a writer that is held up.</para>
/// </remarks>
internal sealed class Stalls
{
    private const int Kinds = (int)Stall.Own + 1;
    private const int CopySize = Kinds + 2; // and when the wait under way began, and what it is for

    private readonly long[] _ticks = new long[Kinds];
    private readonly long[] _copies = new long[2 * CopySize];
    private int _version; // the copy of its lowest bit is current
    private long _since;    // when the wait under way began; 0: there is none
    private long _endedAt;  // when the last wait ended, and nothing has been done since; 0: something has
    private long _deadline; // of the wait under way
    private Stall _stall;
    private long _started;
    private long _stopped;

    /// <summary>From here on there is time to account for.</summary>
    public void Start() => _started = MachineClock.Now;

    /// <summary>The end of that.</summary>
    public void Stop()
    {
        Work();
        _stopped = MachineClock.Now;
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
        _since = _endedAt != 0 ? _endedAt : since != 0 ? since : MachineClock.Now;
        Show();
        return true;
    }

    /// <summary>There is something to do from <paramref name="now"/> on, and no thread to do it yet.</summary>
    public void Queue(long now)
    {
        _stall = Stall.Waking;
        _since = now;
        Show();
    }

    /// <summary>The wait under way, if there is one, is over.</summary>
    public void End()
    {
        if (_since != 0) End(MachineClock.Now, 0);
    }

    /// <summary>The same at a time known already.</summary>
    /// <param name="now">That time.</param>
    /// <param name="signalled">When it was signalled; from then on it was waking. 0, or a time before the wait: never.</param>
    public void End(long now, long signalled)
    {
        long since = _since;
        if (since == 0) return;
        long woken = signalled > since && signalled < now ? signalled : now;
        _ticks[(int)_stall] += woken - since;
        _ticks[(int)Stall.Waking] += now - woken;
        _endedAt = now;
        _since = 0;
        Show();
    }

    /// <summary>The same, where the thread that ended it may have looked at the clock.</summary>
    public void EndAt(long ended)
    {
        if (_since != 0) End(ended > _since ? ended : MachineClock.Now, 0);
    }

    /// <summary>Something has been done: where a wait is under way, the step itself has found what ends it.</summary>
    public void Work()
    {
        if (_since != 0) End(Math.Min(MachineClock.Now, _deadline), 0);
        _endedAt = 0;
    }

    /// <summary>A snapshot, with the wait under way as if it lasted until now.</summary>
    /// <param name="at">When it is now, for two of them at the same moment.</param>
    public StallTimes Read(long? at = null)
    {
        Span<long> copy = stackalloc long[CopySize];
        long now;
        while (true)
        {
            int version = _version;
            // ORDER: acquire, twice; pairs with the release stores of Show: what is copied is that version's, and has not
            // been overwritten by the next but one if the version is still the same.
            Volatile.ReadBarrier();
            Copy(version).CopyTo(copy);
            now = at ?? MachineClock.Now;
            Volatile.ReadBarrier();
            if (version == _version) break;
            Thread.Yield();
        }

        long since = copy[Kinds];
        if (since != 0) copy[(int)copy[Kinds + 1]] += Math.Max(0, now - since);
        long total = _started == 0 ? 0 : (_stopped == 0 ? now : _stopped) - _started;
        long stalled = copy[(int)Stall.Starved] + copy[(int)Stall.Blocked] + copy[(int)Stall.Waking];
        return new StallTimes(
            Math.Max(0, total - stalled), copy[(int)Stall.Starved], copy[(int)Stall.Blocked], copy[(int)Stall.Waking]);
    }

    private void Show()
    {
        // ORDER: release, twice; pairs with the barriers of Read: the version before is seen before this copy is touched,
        // and the copy before its version.
        Volatile.WriteBarrier();
        Span<long> copy = Copy(_version + 1);
        _ticks.CopyTo(copy);
        copy[Kinds] = _since;
        copy[Kinds + 1] = (long)_stall;
        Volatile.WriteBarrier();
        _version++;
    }

    private Span<long> Copy(int version) => _copies.AsSpan((version & 1) * CopySize, CopySize);
}
