using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>The clock that a user's limits go by: the machine's, or that of a <see cref="TimeProvider"/>.</summary>
/// <remarks>
/// <para>Ages, retries, time-outs and idle hooks read it. A point in time is a number of <see cref="Stopwatch"/> ticks,
/// whatever the provider counts in. A point of one clock means nothing to another; <see cref="Never"/> is the same for
/// all.</para>
/// <para>No clock is ever at 0, so a 0 can stand for "not seen yet".</para>
/// </remarks>
internal sealed class Clock
{
    /// <summary>A point in time that never comes.</summary>
    public const long Never = long.MaxValue;

    // Before the first tick of a provider, so that no point in time is 0.
    private static readonly long s_beginning = Stopwatch.Frequency;

    // The longest that timers can be set for is 49 days. An alarm that rings early is set again.
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(24);

    private readonly TimeProvider? _provider; // null: the machine's clock, which is read without it
    private readonly long _started;

    private Clock(TimeProvider? provider)
    {
        _provider = provider;
        _started = provider?.GetTimestamp() ?? 0;
    }

    /// <summary>The machine's, which spin budgets and stall times go by as well.</summary>
    public static Clock Machine { get; } = new(null);

    /// <summary>The clock of <paramref name="provider"/>. Only the system's is the machine's.</summary>
    public static Clock Of(TimeProvider provider) =>
        ReferenceEquals(provider, TimeProvider.System) ? Machine : new Clock(provider);

    /// <summary>Whether it is <see cref="Machine"/>.</summary>
    public bool IsMachine => _provider is null;

    public long Now => _provider is null ? MachineClock.Now : ReadProvider(_provider);

    /// <summary>The point <paramref name="span"/> from now; never if it is infinite.</summary>
    public long In(TimeSpan span) => span == Timeout.InfiniteTimeSpan ? Never : After(Now, span);

    /// <summary>How long it is until <paramref name="deadline"/>: zero once it has come, infinite if it never comes.</summary>
    public TimeSpan Until(long deadline)
    {
        if (deadline == Never) return Timeout.InfiniteTimeSpan;
        return Span(Math.Max(0, deadline - Now));
    }

    /// <summary>How long ago <paramref name="point"/> was.</summary>
    public TimeSpan Since(long point) => Span(Now - point);

    /// <summary>The ticks of <paramref name="span"/>; of whole ticks none is lost.</summary>
    public static long Ticks(TimeSpan span)
    {
        (long seconds, long rest) = Math.DivRem(span.Ticks, TimeSpan.TicksPerSecond);
        if (seconds >= long.MaxValue / 2 / Stopwatch.Frequency) return long.MaxValue;
        return (seconds * Stopwatch.Frequency) + (rest * Stopwatch.Frequency / TimeSpan.TicksPerSecond);
    }

    /// <summary>How long <paramref name="ticks"/> take, rounded down.</summary>
    public static TimeSpan Span(long ticks)
    {
        (long seconds, long rest) = Math.DivRem(ticks, Stopwatch.Frequency);
        return new TimeSpan((seconds * TimeSpan.TicksPerSecond) + (rest * TimeSpan.TicksPerSecond / Stopwatch.Frequency));
    }

    /// <summary>The point <paramref name="span"/> behind another; never if it is infinite or as good as that.</summary>
    public static long After(long start, TimeSpan span) =>
        span == Timeout.InfiniteTimeSpan ? Never : After(start, Ticks(span));

    /// <summary>The same in ticks.</summary>
    public static long After(long start, long ticks) => ticks > long.MaxValue / 2 ? Never : start + ticks;

    /// <summary>Waits for <paramref name="task"/> until <paramref name="deadline"/>; whether it has ended.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public async Task<bool> EndsBeforeAsync(Task task, long deadline, CancellationToken cancellation)
    {
        while (!task.IsCompleted)
        {
            cancellation.ThrowIfCancellationRequested();
            if (Now >= deadline) break;
            var due = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            using var alarm = new Alarm(this, () => due.TrySetResult());
            if (!alarm.TrySet(deadline)) break;
            // How the task ended is for the caller to find out.
            await Task.WhenAny(task, due.Task).WaitAsync(Timeout.InfiniteTimeSpan, cancellation).ConfigureAwait(false);
        }

        return task.IsCompleted;
    }

    /// <summary>A timer of this clock that is not set.</summary>
    internal ITimer CreateTimer(TimerCallback callback) =>
        (_provider ?? TimeProvider.System).CreateTimer(callback, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    /// <summary>What a timer is set for to ring <paramref name="ticks"/> from now.</summary>
    /// <remarks>The system's timers have millisecond grain: at least one, and the rest rounded down. Others are exact.</remarks>
    internal TimeSpan TimerSpan(long ticks)
    {
        TimeSpan span = Span(ticks);
        if (IsMachine) span = TimeSpan.FromMilliseconds(Math.Max(1, (long)span.TotalMilliseconds));
        else if (Ticks(span) < ticks) span += TimeSpan.FromTicks(1);
        return span < s_longest ? span : s_longest;
    }

    private long ReadProvider(TimeProvider provider)
    {
        Int128 ticks = (Int128)(provider.GetTimestamp() - _started) * Stopwatch.Frequency / provider.TimestampFrequency;
        return s_beginning + (long)ticks;
    }
}
