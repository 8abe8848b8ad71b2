using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>One alarm for all that is looked at every so often: a round looks at each watch that is set.</summary>
/// <remarks>
/// <para>With an alarm of its own, each of 100 groups that have had an item would wake a thread of the pool up. One round looks at them
/// all.</para>
/// <para>A watch is off once a round has come to it, and set again if its look says so. The first one that is set sets the alarm, and
/// the others join it. So the first look at a watch may come at once. A watch set during a round waits for the next one, which comes a
/// period after the end of this one: two looks at the same watch are about a period apart, or more.</para>
/// <para><b>Threads</b>: any thread sets a watch. Rounds come on a thread of the pool, one after another. If none is set, there is no
/// alarm.</para>
/// </remarks>
internal sealed class Watches
{
    private readonly object _gate = new();
    private readonly Alarm _alarm;
    private readonly TimeSpan _period;
    // Under the gate.
    private Watch? _first; // of those that are set and wait for the next round
    private bool _isComing; // that round: the alarm is set or about to be, or the round before it is under way and sets it

    public Watches(Clock clock, TimeSpan period) => (_alarm, _period) = (new Alarm(clock, Round), period);

    private void Set(Watch watch)
    {
        Gate.Enter(_gate);
        if (!watch.IsSet) watch.Join(ref _first);
        bool begins = !_isComing;
        _isComing = true;
        Gate.Exit(_gate);
        if (begins) SetAlarm();
    }

    // Only by the thread that has found no round coming, or has ended one.
    private void SetAlarm()
    {
        if (!_alarm.TrySet(_alarm.Clock.In(_period))) Round();
    }

    private void Round()
    {
        Gate.Enter(_gate);
        Watch? watch = _first;
        _first = null;
        Gate.Exit(_gate);
        while (watch is not null)
        {
            // From its look on it may be set by another thread, and have another one behind it.
            Watch? next = watch.TakeNext();
            if (watch.Look()) Set(watch);
            watch = next;
        }

        Gate.Enter(_gate);
        _isComing = _first is not null;
        bool goesOn = _isComing;
        Gate.Exit(_gate);
        if (goesOn) SetAlarm();
    }

    /// <summary>What is looked at by the rounds while it is set.</summary>
    /// <param name="watches">Where the rounds come from.</param>
    /// <param name="look">The look; true: the next round looks again.</param>
    internal sealed class Watch(Watches watches, Func<bool> look)
    {
        private Watch? _next;
        private bool _isSet;

        /// <summary>Whether a round is to come. A caller passes a full fence between what it has stored for the look and this.</summary>
        public bool IsSet => Volatile.Read(ref _isSet);

        /// <summary>The next round looks at it.</summary>
        public void Set() => watches.Set(this);

        internal void Join(ref Watch? first)
        {
            Debug.Assert(!_isSet && _next is null, "A watch is among those that are set at most once.");
            _next = first;
            first = this;
            Volatile.Write(ref _isSet, true);
        }

        internal Watch? TakeNext()
        {
            Watch? next = _next;
            _next = null;
            return next;
        }

        internal bool Look()
        {
            Volatile.Write(ref _isSet, false);
            // ORDER: full; the watch is off, and then the look. Pairs with callers that store what is looked at and then load IsSet
            // (PoolGroup.StepOnce): one of the two sees the other.
            Interlocked.MemoryBarrier();
            return look();
        }
    }
}
