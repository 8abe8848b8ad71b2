using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>One alarm for all that is looked at every so often: a round looks at each watch that is set.</summary>
/// <remarks>
/// <para>With an alarm of its own, each of 100 groups that have had an item would wake a thread of the pool up. One round looks at them
/// all.</para>
/// <para>A watch is off once a round has come to it, and set again where its look says so. The first one that is set behind a round sets
/// the alarm, and the others join it. So the first look may come at once, and the next one at the same watch about a period later.</para>
/// <para><b>Threads</b>: any sets a watch. A round comes on a thread of the pool. Where that is held up, the next one may begin beside
/// it, with the watches that were set since. Where none is set, there is no alarm.</para>
/// </remarks>
internal sealed class Watches
{
    private readonly object _gate = new();
    private readonly Alarm _alarm;
    private readonly TimeSpan _period;
    private Watch? _first; // of those that are set and wait for the next round; under the gate

    public Watches(Clock clock, TimeSpan period) => (_alarm, _period) = (new Alarm(clock, Round), period);

    private void Set(Watch watch)
    {
        Gate.Enter(_gate);
        bool joins = !watch.IsSet;
        // A thread that finds none there is the only one that sets the alarm until it has rung.
        bool begins = joins && _first is null;
        if (joins) watch.Join(ref _first);
        Gate.Exit(_gate);
        if (begins && !_alarm.TrySet(_alarm.Clock.In(_period))) Round();
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
    }

    /// <summary>What is looked at by the rounds while it is set.</summary>
    /// <param name="watches">Where the rounds come from.</param>
    /// <param name="look">The look; true: the next round looks again.</param>
    internal sealed class Watch(Watches watches, Func<bool> look)
    {
        private Watch? _next;
        private bool _isSet;

        /// <summary>Whether a round is to come. Where a caller that finds it set must be seen by the look, what it has stored before has
        /// a full fence behind it.</summary>
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
