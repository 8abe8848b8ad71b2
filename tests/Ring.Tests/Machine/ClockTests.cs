namespace Raceway.Rings.Tests;

/// <summary>The two clocks: how they count, and that nothing is lost between a provider's time and its timers.</summary>
public sealed class ClockTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    [Fact]
    public void Of_SystemsProvider_IsTheMachines()
    {
        Assert.Same(Clock.Machine, Clock.Of(TimeProvider.System));
        Assert.True(Clock.Machine.IsMachine);
        Assert.False(Clock.Of(new WatchedTime()).IsMachine);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1_000)]
    [InlineData(32_768)]
    [InlineData(10_000_000)]
    [InlineData(1_000_000_000)]
    public void Now_AnyFrequency_GoesAsTheProviderDoes(long frequency)
    {
        var time = new WatchedTime(frequency);
        var clock = Clock.Of(time);
        long start = clock.Now;
        Assert.NotEqual(0, start);
        time.Advance(TimeSpan.FromDays(30_000));
        Assert.Equal(TimeSpan.FromDays(30_000), clock.Since(start));
    }

    // A test moves its clock by the very time that it has set as a limit.
    [Theory]
    [InlineData(1)]
    [InlineData(50_000)]
    [InlineData(123_456_789)]
    [InlineData(36_000_000_001)]
    public void In_TimeHasPassedExactly_IsDue(long ticks)
    {
        var time = new WatchedTime();
        var clock = Clock.Of(time);
        time.Advance(TimeSpan.FromTicks(77));
        long deadline = clock.In(TimeSpan.FromTicks(ticks));
        time.Advance(TimeSpan.FromTicks(ticks - 1));
        Assert.True(clock.Now < deadline);
        Assert.Equal(TimeSpan.FromTicks(1), clock.Until(deadline));
        time.Advance(TimeSpan.FromTicks(1));
        Assert.True(clock.Now >= deadline);
        Assert.Equal(TimeSpan.Zero, clock.Until(deadline));
    }

    [Fact]
    public void In_Infinite_IsNever()
    {
        var clock = Clock.Of(new WatchedTime());
        Assert.Equal(Clock.Never, clock.In(Timeout.InfiniteTimeSpan));
        Assert.Equal(Clock.Never, clock.In(TimeSpan.MaxValue));
        Assert.Equal(Timeout.InfiniteTimeSpan, clock.Until(Clock.Never));
    }

    [Fact]
    public void TrySet_TimeComes_RingsOnce()
    {
        var time = new WatchedTime();
        var clock = Clock.Of(time);
        int rings = 0;
        using var alarm = new Alarm(clock, () => rings++);
        Assert.True(alarm.TrySet(clock.In(s_hour)));
        time.Advance(s_hour - TimeSpan.FromTicks(1));
        Assert.Equal(0, rings);
        time.Advance(s_hour);
        Assert.Equal(1, rings);
        Assert.True(alarm.TrySet(clock.In(s_hour)));
        alarm.Clear();
        Assert.Equal(0, time.SetTimers);
        time.Advance(s_hour);
        Assert.Equal(1, rings);
        Assert.False(alarm.TrySet(clock.Now));
        Assert.True(alarm.TrySet(Clock.Never));
        Assert.Equal(0, time.SetTimers);
    }

    [Fact]
    public void TrySet_TimePassesMeanwhile_IsTold()
    {
        var time = new WatchedTime();
        var clock = Clock.Of(time);
        using var alarm = new Alarm(clock, static () => { });
        time.BeforeSetting = () =>
        {
            time.BeforeSetting = null;
            time.Advance(s_hour);
        };
        Assert.False(alarm.TrySet(clock.In(s_hour)));
        Assert.Equal(0, time.SetTimers);
    }

    [Fact]
    public async Task TrySet_ThreadIsInterruptedMeanwhile_IsSetAndTheThreadInterruptedAfterwards()
    {
        var time = new WatchedTime();
        var clock = Clock.Of(time);
        int rings = 0;
        using var alarm = new Alarm(clock, () => rings++);
        time.BeforeSetting = () =>
        {
            time.BeforeSetting = null;
            throw new ThreadInterruptedException();
        };

        using var never = new ManualResetEvent(false);
        await Watchdog.Run(() =>
        {
            Assert.True(alarm.TrySet(clock.In(s_hour)));
            Assert.Throws<ThreadInterruptedException>(() => never.WaitOne());
        }).OrHang();

        time.Advance(s_hour);
        Assert.Equal(1, rings);
    }

    [Fact]
    public void TrySet_ClockMovesMeanwhile_RingsInTime()
    {
        var time = new WatchedTime();
        var clock = Clock.Of(time);
        int rings = 0;
        using var alarm = new Alarm(clock, () => rings++);
        time.BeforeSetting = () =>
        {
            time.BeforeSetting = null;
            time.Advance(s_hour / 2);
        };
        Assert.True(alarm.TrySet(clock.In(s_hour)));
        time.Advance(s_hour / 2);
        Assert.Equal(1, rings);
    }

    [Fact]
    public void TrySet_ClockNeverStands_Ends()
    {
        var time = new WatchedTime();
        var clock = Clock.Of(time);
        using var alarm = new Alarm(clock, static () => { });
        time.BeforeSetting = () => time.Advance(TimeSpan.FromTicks(1));
        Assert.True(alarm.TrySet(clock.In(s_hour)));
        Assert.Equal(1, time.SetTimers);
    }

    [Fact]
    public async Task EndsBefore_TaskOrTime_SaysWhichCameFirst()
    {
        var time = new WatchedTime();
        var clock = Clock.Of(time);
        var task = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<bool> waiting = clock.EndsBeforeAsync(task.Task, clock.In(s_hour), CancellationToken.None);
        time.Advance(s_hour);
        Assert.False(await Watchdog.Await(waiting));
        waiting = clock.EndsBeforeAsync(task.Task, clock.In(s_hour), CancellationToken.None);
        task.SetResult();
        Assert.True(await Watchdog.Await(waiting));
        Assert.Equal(0, time.SetTimers);
    }

    [Fact]
    public async Task EndsBefore_Cancelled_Throws()
    {
        using var cancellation = new CancellationTokenSource();
        var time = new WatchedTime();
        Task never = new TaskCompletionSource().Task;
        Task<bool> waiting = Clock.Of(time).EndsBeforeAsync(never, Clock.Never, cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Watchdog.Await(waiting));
    }

    // An alarm may live as long as the process: what its first user has in its context must not.
    [Fact]
    public async Task Alarm_MadeInAContext_RingsOutsideOfIt()
    {
        var local = new AsyncLocal<string?> { Value = "of the caller" };
        var seen = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var alarm = new Alarm(Clock.Machine, () => seen.TrySetResult(local.Value));
        Assert.True(alarm.TrySet(Clock.Machine.Now));

        Assert.Null(await seen.Task.OrHang());
        Assert.Equal("of the caller", local.Value);
        Assert.False(ExecutionContext.IsFlowSuppressed());
    }
}
