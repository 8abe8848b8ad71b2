using Raceway.Testing;

namespace Raceway.Tests.Support;

/// <summary>Virtual time of which a test sees how it is used, and can move it in the middle of that.</summary>
/// <param name="frequency">Timestamps per second.</param>
internal sealed class WatchedTime(long frequency = TimeSpan.TicksPerSecond) : VirtualTime(frequency)
{
    private long _looks;

    /// <summary>Called by a thread that sets a timer, before the timer is set.</summary>
    public Action? BeforeSetting { get; set; }

    /// <summary>How often it has been looked at.</summary>
    public long Looks => Interlocked.Read(ref _looks);

    public override long GetTimestamp()
    {
        long now = base.GetTimestamp();
        Interlocked.Increment(ref _looks);
        return now;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, base.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class Timer(WatchedTime time, ITimer timer) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (dueTime >= TimeSpan.Zero) time.BeforeSetting?.Invoke();
            return timer.Change(dueTime, period);
        }

        public void Dispose() => timer.Dispose();

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}
