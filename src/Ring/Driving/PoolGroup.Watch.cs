namespace Raceway.Rings;

/// <content>The watch: it ends what lasts too long.</content>
internal sealed partial class PoolGroup
{
    private static readonly long s_firstPause = Clock.Ticks(TimeSpan.FromMilliseconds(20));
    private static readonly long s_mostPause = Clock.Ticks(TimeSpan.FromSeconds(1));

    private readonly Watches.Watch _stepping; // set while steps of all go on
    private readonly Watches.Watch _gathering;
    // Under the gate: what was there when the watches looked last.
    private long _seenSteps;
    private long _seenGatherings;

    // By a round of the watches.
    private bool Look(Mode mode)
    {
        Gate.Enter(_gate);
        (bool again, PoolDriver[] resumed) = _mode != (int)mode ? (false, []) : mode == Mode.Together ? LookAtTurn() : LookAtHeld();
        Gate.Exit(_gate);
        foreach (PoolDriver member in resumed) member.Resume();
        return again;
    }

    private (bool Again, PoolDriver[] Resumed) LookAtTurn()
    {
        // A step is counted before it takes its turn. So the count that is read behind a turn is not that of an earlier step.
        int turn = Volatile.Read(ref _turn);
        long steps = Volatile.Read(ref _steps);
        // Between two steps. The next one sets the watch again, if there is one.
        if (turn < 0) return (false, []);
        bool isSame = steps == _seenSteps;
        _seenSteps = steps;
        if (!isSame || Interlocked.CompareExchange(ref _turn, Taken, turn) != turn) return (true, []);
        SetMode(Mode.Blocked);
        PoolDriver blocked = _drivers[turn];
        PoolDriver[] resumed = [.. _held.Where(member => member != blocked)];
        _held.RemoveAll(member => member != blocked);
        return (false, resumed);
    }

    private (bool Again, PoolDriver[] Resumed) LookAtHeld()
    {
        bool isSame = _gatherings == _seenGatherings;
        _seenGatherings = _gatherings;
        if (!isSame) return (true, []);
        // One of them is in a call that lasts.
        PoolDriver[] resumed = [.. _held];
        _held.Clear();
        Volatile.Write(ref _notBefore, MachineClock.Now + _pause);
        _pause = Math.Min(_pause * 2, s_mostPause);
        SetMode(Mode.Apart);
        return (false, resumed);
    }
}
