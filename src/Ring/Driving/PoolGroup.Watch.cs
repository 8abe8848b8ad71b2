namespace Raceway.Rings;

/// <content>The watch: it ends what lasts too long.</content>
internal sealed partial class PoolGroup
{
    // A thread that others keep from its processor is in the same step for some time slices, too.
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_gathering = TimeSpan.FromMilliseconds(10);
    private static readonly long s_firstPause = Clock.Ticks(TimeSpan.FromMilliseconds(20));
    private static readonly long s_mostPause = Clock.Ticks(TimeSpan.FromSeconds(1));

    // Under the gate.
    private bool _watched; // the watch's alarm is set; read by the thread of all too
    private long _seen; // steps of all, or gatherings, when the watch looked last

    private void SetWatch(TimeSpan time)
    {
        Gate.Enter(_gate);
        bool sets = !_watched;
        Volatile.Write(ref _watched, true);
        Gate.Exit(_gate);
        if (sets) _watch.TrySet(_watch.Clock.In(time));
    }

    // By the watch's timer.
    private void Look()
    {
        Gate.Enter(_gate);
        Volatile.Write(ref _watched, false);
        // ORDER: full; pairs with StepOnce: a step that has found the watch set is seen here.
        Interlocked.MemoryBarrier();
        PoolDriver[] resumed = [];
        bool again = false;
        if (_mode == (int)Mode.Together) again = LookAtTurn(out resumed);
        else if (_mode == (int)Mode.Gathering) again = LookAtGathering(out resumed);
        Gate.Exit(_gate);
        foreach (PoolDriver member in resumed) member.Resume();
        if (again) SetWatch(Gathers ? s_gathering : s_step);
    }

    private bool LookAtTurn(out PoolDriver[] resumed)
    {
        resumed = [];
        long steps = Volatile.Read(ref _steps);
        int turn = Volatile.Read(ref _turn);
        bool isSame = steps == _seen;
        _seen = steps;
        if (turn < 0) return !isSame;
        if (!isSame || Interlocked.CompareExchange(ref _turn, Taken, turn) != turn) return true;
        SetMode(Mode.Blocked);
        PoolDriver blocked = _drivers[turn];
        resumed = [.. _held.Where(member => member != blocked)];
        _held.RemoveAll(member => member != blocked);
        return false;
    }

    private bool LookAtGathering(out PoolDriver[] resumed)
    {
        resumed = [];
        bool isSame = _gatherings == _seen;
        _seen = _gatherings;
        if (!isSame) return true;
        // One of them is in a call that lasts.
        resumed = [.. _held];
        _held.Clear();
        Volatile.Write(ref _notBefore, MachineClock.Now + _pause);
        _pause = Math.Min(_pause * 2, s_mostPause);
        SetMode(Mode.Apart);
        return false;
    }
}
