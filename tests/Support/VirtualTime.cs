namespace Raceway.Tests.Support;

/// <summary>Time that a test moves. Its timers call back on the thread that moves it, each at its own time.</summary>
/// <param name="frequency">Timestamps per second.</param>
internal sealed class VirtualTime(long frequency = TimeSpan.TicksPerSecond) : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Timer> _set = [];
    private long _ticks; // of a TimeSpan
    private long _looks;

    public override long TimestampFrequency => frequency;

    /// <summary>How many timers are set.</summary>
    public int SetTimers
    {
        get
        {
            lock (_gate) return _set.Count;
        }
    }

    /// <summary>Called by a thread that sets a timer, before the timer is set.</summary>
    public Action? BeforeSetting { get; set; }

    public override long GetTimestamp()
    {
        long ticks = Volatile.Read(ref _ticks);
        Interlocked.Increment(ref _looks);
        return (long)((Int128)ticks * frequency / TimeSpan.TicksPerSecond);
    }

    /// <summary>How often it has been looked at.</summary>
    public long Looks => Interlocked.Read(ref _looks);

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + TimeSpan.FromTicks(Volatile.Read(ref _ticks));

    public void Advance(TimeSpan by)
    {
        long end;
        lock (_gate) end = _ticks + by.Ticks;
        while (true)
        {
            Timer? next;
            lock (_gate)
            {
                next = _set.Where(timer => timer.Due <= end).MinBy(static timer => timer.Due);
                Volatile.Write(ref _ticks, next is null ? Math.Max(_ticks, end) : Math.Max(_ticks, next.Due));
                if (next is null) return;
                if (next.Period > 0) next.Due += next.Period;
                else _set.Remove(next);
            }

            next.Call();
        }
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class Timer(VirtualTime time, Action callback) : ITimer
    {
        public long Due { get; set; }

        public long Period { get; private set; }

        public void Call() => callback();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (dueTime >= TimeSpan.Zero) time.BeforeSetting?.Invoke();
            lock (time._gate)
            {
                time._set.Remove(this);
                if (dueTime < TimeSpan.Zero) return true;
                Due = time._ticks + dueTime.Ticks;
                Period = Math.Max(0, period.Ticks);
                time._set.Add(this);
                return true;
            }
        }

        public void Dispose()
        {
            lock (time._gate) time._set.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
