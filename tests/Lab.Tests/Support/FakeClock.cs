namespace Raceway.Lab.Tests.Support;

/// <summary>A clock that stands still until it is told to go on; timers fire on the thread that tells it.</summary>
internal sealed class FakeClock : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<Timer> _timers = [];
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Volatile.Read(ref _now);

    /// <summary>Goes on by a time, but no further than to what something waits for.</summary>
    /// <returns>Whether a timer fired.</returns>
    public bool Advance(TimeSpan time)
    {
        Timer[] due;
        lock (_lock)
        {
            long next = _timers.Select(static timer => timer.Due).DefaultIfEmpty(long.MaxValue).Min();
            _now = Math.Min(_now + time.Ticks, Math.Max(_now, next));
            due = [.. _timers.Where(timer => timer.Due <= _now)];
            _timers.RemoveAll(timer => timer.Due <= _now);
        }

        foreach (Timer timer in due) timer.Fire();
        return due.Length > 0;
    }

    /// <summary>Waits until something waits for a time, and goes on to that.</summary>
    public void AdvanceToTimer()
    {
        while (true)
        {
            long? due;
            lock (_lock) due = _timers.Count == 0 ? null : _timers.Min(static timer => timer.Due);
            if (due is { } next)
            {
                Advance(TimeSpan.FromTicks(Math.Max(0, next - GetTimestamp())));
                return;
            }

            Thread.Yield();
        }
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class Timer(FakeClock clock, TimerCallback callback, object? state) : ITimer
    {
        public long Due { get; private set; }

        public void Fire() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            bool now = false;
            lock (clock._lock)
            {
                clock._timers.Remove(this);
                if (dueTime == Timeout.InfiniteTimeSpan) return true;
                Due = clock._now + dueTime.Ticks;
                now = dueTime <= TimeSpan.Zero;
                if (!now) clock._timers.Add(this);
            }

            if (now) Fire();
            return true;
        }

        public void Dispose()
        {
            lock (clock._lock) clock._timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
