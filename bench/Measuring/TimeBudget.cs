namespace Raceway.Measuring;

/// <summary>A stretch of time on a clock, from its creation on. What runs within it asks how much of it is left.</summary>
/// <param name="clock">The clock; tests set their own.</param>
/// <param name="length">How long it is.</param>
public sealed class TimeBudget(TimeProvider clock, TimeSpan length)
{
    private readonly long _started = clock.GetTimestamp();

    /// <summary>A budget that does not end while a program runs.</summary>
    public static TimeBudget Endless => new(TimeProvider.System, TimeSpan.FromDays(20));

    /// <summary>The clock.</summary>
    public TimeProvider Clock => clock;

    /// <summary>How long it is.</summary>
    public TimeSpan Length => length;

    /// <summary>What has passed of it, or since.</summary>
    public TimeSpan Elapsed => clock.GetElapsedTime(_started);

    /// <summary>What is left; zero when it is over.</summary>
    public TimeSpan Left => length - Elapsed is { Ticks: > 0 } left ? left : TimeSpan.Zero;

    /// <summary>Whether nothing is left.</summary>
    public bool IsOver => Left == TimeSpan.Zero;

    /// <summary>Waits for a signal until the budget is over.</summary>
    /// <remarks>
    /// It holds its thread and needs no other one: a timer would fire on the thread pool, which a contestant may keep busy.
    /// </remarks>
    /// <param name="signal">The signal.</param>
    /// <param name="begin">Called when the waiting has begun: what it starts cannot pass the end unseen.</param>
    /// <returns>Whether the signal came.</returns>
    public bool Wait(EventWaitHandle signal, Action? begin = null)
    {
        if (clock == TimeProvider.System)
        {
            begin?.Invoke();
            return signal.WaitOne(Left);
        }

        // Only tests have such clocks, and move them on.
        using var woken = new ManualResetEvent(false);
        using ITimer timer = clock.CreateTimer(static state => ((ManualResetEvent)state!).Set(), woken, Left, Timeout.InfiniteTimeSpan);
        // A clock that was moved on before there was a timer has passed its time.
        if (IsOver) woken.Set();
        begin?.Invoke();
        return WaitHandle.WaitAny([signal, woken]) == 0;
    }

    /// <summary>A budget that begins now and takes a share of what is left.</summary>
    public TimeBudget Share(double share) => new(clock, Left * share);

    /// <summary>A budget that begins now, of a length, and ends no later than this one.</summary>
    public TimeBudget AtMost(TimeSpan part) => new(clock, part < Left ? part : Left);
}
