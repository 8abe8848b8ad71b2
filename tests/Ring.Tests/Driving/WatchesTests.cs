namespace Raceway.Rings.Tests;

/// <summary>One alarm for many watches: when a round looks at each of them, and that there is no alarm while none is set.</summary>
public sealed class WatchesTests
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(50);

    private readonly WatchedTime _time = new();
    private readonly Watches _watches;
    private readonly List<int> _looks = [];

    public WatchesTests() => _watches = new Watches(Clock.Of(_time), s_period);

    private Watches.Watch Of(int number, Func<bool>? again = null) => new(_watches, () =>
    {
        _looks.Add(number);
        return again?.Invoke() ?? false;
    });

    private int[] LooksWithin(TimeSpan span)
    {
        _looks.Clear();
        _time.Advance(span);
        return [.. _looks.Order()];
    }

    [Fact]
    public void Set_AHundred_OneAlarmAndOneLookAtEach()
    {
        Watches.Watch[] all = [.. Enumerable.Range(0, 100).Select(number => Of(number))];
        Assert.Equal(0, _time.SetTimers);
        int settings = 0;
        _time.BeforeSetting = () => settings++;

        foreach (Watches.Watch watch in all) watch.Set();
        foreach (Watches.Watch watch in all) watch.Set();

        Assert.Equal((1, 1), (settings, _time.SetTimers));
        Assert.All(all, static watch => Assert.True(watch.IsSet));
        Assert.Empty(LooksWithin(s_period - TimeSpan.FromTicks(1)));
        Assert.Equal(Enumerable.Range(0, 100), LooksWithin(TimeSpan.FromTicks(1)));
        Assert.All(all, static watch => Assert.False(watch.IsSet));
        Assert.Equal(0, _time.SetTimers);
        Assert.Empty(LooksWithin(s_period * 4));
    }

    [Fact]
    public void Look_SaysAgain_IsLookedAtByTheNextRoundWithTheOthers()
    {
        int more = 2;
        Of(1, () => more-- > 0).Set();
        Watches.Watch second = Of(2);

        Assert.Equal([1], LooksWithin(s_period));
        _time.Advance(s_period / 2);
        second.Set();
        Assert.Equal([1, 2], LooksWithin(s_period / 2));
        Assert.Equal([1], LooksWithin(s_period));
        Assert.Empty(LooksWithin(s_period * 4));
        Assert.Equal(0, _time.SetTimers);
    }

    [Fact]
    public void Set_DuringItsLook_IsLookedAtOnceMore()
    {
        Watches.Watch? own = null;
        Watches.Watch? other = null;
        bool sets = true;
        own = Of(1, () =>
        {
            Assert.False(own!.IsSet);
            if (!sets) return false;
            sets = false;
            own.Set();
            other!.Set();
            // Both by the look and by what it answers: once.
            return true;
        });
        other = Of(2);
        own.Set();

        Assert.Equal([1], LooksWithin(s_period));
        Assert.Equal([1, 2], LooksWithin(s_period));
        Assert.Empty(LooksWithin(s_period * 4));
    }

    // A round's thread may lose its processor between two looks.
    [Fact]
    public void Set_DuringALongRound_TheNextRoundIsAPeriodBehindItsEnd()
    {
        bool again = true;
        bool Long()
        {
            if (again) _time.Advance(s_period * 2);
            return again;
        }

        Of(1, Long).Set();
        Of(2, Long).Set();

        Assert.Equal([1, 2], LooksWithin(s_period));
        again = false;
        Assert.Empty(LooksWithin(s_period - TimeSpan.FromTicks(1)));
        Assert.Equal([1, 2], LooksWithin(TimeSpan.FromTicks(1)));
        Assert.Equal(0, _time.SetTimers);
    }

    [Fact]
    public void Set_TimePassesMeanwhile_TheRoundIsNotLost()
    {
        _time.BeforeSetting = () =>
        {
            _time.BeforeSetting = null;
            _time.Advance(s_period * 2);
        };

        Watches.Watch watch = Of(1);
        watch.Set();

        Assert.Equal([1], _looks);
        Assert.False(watch.IsSet);
    }
}
