using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>Timers of virtual time ring when the test moves it there, and no sooner.</summary>
public sealed class TimersTests
{
    private readonly VirtualTime _time = new();
    private readonly List<string> _rung = [];

    [Fact]
    public void Advance_SeveralTimers_RingInTheirOrderAndAtTheirTimes()
    {
        using ITimer late = Timer("late", 3);
        using ITimer first = Timer("first", 1);
        using ITimer second = Timer("second", 1);
        using ITimer each = Timer("each", 2, period: 2);
        Assert.Equal(TimeSpan.FromSeconds(1), _time.NextTimer);
        _time.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(["first at 1", "second at 1", "each at 2", "late at 3", "each at 4"], _rung);
        Assert.Equal((1, TimeSpan.FromSeconds(2)), (_time.SetTimers, _time.NextTimer));
        each.Dispose();
        Assert.Equal((0, null), (_time.SetTimers, _time.NextTimer));
    }

    [Fact]
    public void Change_ATimer_RingsAtTheNewTimeAlone()
    {
        using ITimer timer = Timer("timer", 5);
        Assert.True(timer.Change(TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan));
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.Equal(["timer at 1"], _rung);
    }

    [Fact]
    public void Change_ADisposedTimer_StaysSilent()
    {
        ITimer timer = Timer("timer", 5);
        timer.Dispose();
        Assert.False(timer.Change(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1)));
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.Empty(_rung);
        Assert.Equal(0, _time.SetTimers);
    }

    [Fact]
    public async Task Delay_AndTokens_GoByIt()
    {
        Task delay = Task.Delay(TimeSpan.FromDays(1), _time);
        using var limit = new CancellationTokenSource(TimeSpan.FromDays(2), _time);
        _time.Advance(TimeSpan.FromDays(1) - TimeSpan.FromTicks(1));
        Assert.False(delay.IsCompleted);
        _time.Advance(TimeSpan.FromTicks(1));
        await delay;
        Assert.False(limit.IsCancellationRequested);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.True(limit.IsCancellationRequested);
        Assert.Equal(new DateTimeOffset(1970, 1, 3, 0, 0, 0, TimeSpan.Zero), _time.GetLocalNow());
        Assert.Equal(TimeSpan.FromDays(2), _time.GetElapsedTime(0));
    }

    [Fact]
    public void Calls_WrongValues_AreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _time.Advance(TimeSpan.FromTicks(-1)));
        Assert.Throws<ArgumentNullException>(() => _time.CreateTimer(null!, null, TimeSpan.Zero, TimeSpan.Zero));
        Assert.Equal(TimeSpan.Zero, _time.Elapsed);
    }

    private ITimer Timer(string name, int seconds, int? period = null) => _time.CreateTimer(
        _ => _rung.Add($"{name} at {_time.Elapsed.TotalSeconds}"), null, TimeSpan.FromSeconds(seconds),
        period is { } each ? TimeSpan.FromSeconds(each) : Timeout.InfiniteTimeSpan);
}
