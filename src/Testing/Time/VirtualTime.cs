namespace Raceway.Testing;

/// <summary>Time that stands until a test moves it. No call of it sleeps.</summary>
/// <remarks>
/// <para>Give it to a pipeline (<c>RingOptions.Time</c>), to a mailbox, and to every class that takes a
/// <see cref="TimeProvider"/>. Their ages, retries and time-outs then pass when the test says so.</para>
/// <para><b>Timers</b> call back on the thread that moves the time, each at its own time, in the order in which they are due.
/// Two that are due together ring in the order in which they were set.</para>
/// <para><b>Threads</b>: every member by any thread. One thread at a time should move it.</para>
/// </remarks>
/// <param name="frequency">Timestamps per second.</param>
/// <example>
/// <code>
/// var time = new VirtualTime();
/// await using var ring = new RingBuffer&lt;Order>(64, new() { Time = time });
/// using var timeout = new CancellationTokenSource(TimeSpan.FromMinutes(5), time);
/// time.Advance(TimeSpan.FromHours(1));  // takes no time; timers ring on this thread
/// Assert.True(timeout.IsCancellationRequested);
/// </code>
/// </example>
public class VirtualTime(long frequency = TimeSpan.TicksPerSecond) : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Timer> _set = [];
    private long _ticks; // of a TimeSpan

    /// <inheritdoc/>
    public override long TimestampFrequency => frequency;

    /// <summary>UTC, so that a test says the same everywhere.</summary>
    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    /// <summary>How far it has been moved.</summary>
    public TimeSpan Elapsed => TimeSpan.FromTicks(Volatile.Read(ref _ticks));

    /// <summary>How many timers are set.</summary>
    public int SetTimers
    {
        get
        {
            lock (_gate) return _set.Count;
        }
    }

    /// <summary>How long until the next timer rings; null if none is set.</summary>
    public TimeSpan? NextTimer
    {
        get
        {
            lock (_gate) return _set.Count == 0 ? null : TimeSpan.FromTicks(Math.Max(0, _set.Min(static timer => timer.Due) - _ticks));
        }
    }

    /// <summary>Called by the thread that has set a timer.</summary>
    internal Action? TimerSet { get; set; }

    /// <inheritdoc/>
    public override long GetTimestamp() => (long)((Int128)Volatile.Read(ref _ticks) * frequency / TimeSpan.TicksPerSecond);

    /// <summary>The first of January 1970, and what has elapsed since.</summary>
    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + Elapsed;

    /// <summary>Moves the time on, and calls each timer that is due on the way, at its own time.</summary>
    /// <param name="by">Zero calls what is due already.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="by"/> is negative.</exception>
    public void Advance(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
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

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new Timer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class Timer(VirtualTime time, TimerCallback callback, object? state) : ITimer
    {
        private readonly ExecutionContext? _context = ExecutionContext.Capture();
        private bool _isDisposed; // behind the gate

        public long Due { get; set; }

        public long Period { get; private set; }

        public void Call()
        {
            if (_context is null) callback(state);
            else ExecutionContext.Run(_context, inner => callback(inner), state);
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._gate)
            {
                if (_isDisposed) return false;
                time._set.Remove(this);
                if (dueTime < TimeSpan.Zero) return true;
                Due = time._ticks + dueTime.Ticks;
                Period = Math.Max(0, period.Ticks);
                time._set.Add(this);
            }

            time.TimerSet?.Invoke();
            return true;
        }

        public void Dispose()
        {
            lock (time._gate)
            {
                _isDisposed = true;
                time._set.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
