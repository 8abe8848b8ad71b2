namespace Raceway.Rings;

/// <summary>Whether the stages of a <see cref="PoolGroup"/> are faster together or apart: by what both have done.</summary>
/// <remarks>
/// <para>Together is where they begin, and where they are while the load is low: nothing is handed over. Where there was something to
/// do for most of 2 ms and two steps, it is known how many items they do together. Then they try to be apart: for four steps of the
/// first stage, until the threads have come and that stage is ahead of the others, and for eight more, which are counted; each for 2 ms
/// at the least.</para>
/// <para>They stay apart while that gives a tenth more items than together. Else they come together again, and the next try is later:
/// behind 20 ms of work, four times as much each time, 320 ms of it at the most. Work counts and time does not: so tries take no more of
/// a load in short bursts than of a steady one. Ten seconds after a try the next busy 2 ms have another one. Where the load falls,
/// being apart gives no more either, and they come together.</para>
/// <para>What has been faster may be so no more. So stages that stay apart come together and are counted anew: after 20 ms, then after
/// twice as long each time, a minute at the most. What was faster with one load is done at once with the next one, for ten seconds.</para>
/// <para>An item counts when all stages have done with it: apart, the first stage gets ahead of the others. So what was under way when
/// they came together is not counted: some stages had done with it before.</para>
/// <para>One count that is too low may be the machine's: where being apart has gained before, two in a row end it.</para>
/// <para>Times are in <see cref="MachineClock"/> ticks. Mutable: keep it in a field that is not readonly. One thread at a time uses it.</para>
/// </remarks>
/// <param name="canGain">Whether there is more than one processor.</param>
internal struct GroupChoice(bool canGain)
{
    /// <summary>The work until the second try.</summary>
    public static readonly long FirstPause = Clock.Ticks(TimeSpan.FromMilliseconds(20));

    /// <summary>The most work between two tries.</summary>
    public static readonly long MostPause = Clock.Ticks(TimeSpan.FromMilliseconds(320));

    private const double Gain = 1.1;
    private const int PauseGrowth = 4;
    private const int StepsTogether = 2;
    private const int StepsToSettle = 4;
    private const int StepsApart = 8;
    private static readonly long s_together = Clock.Ticks(TimeSpan.FromMilliseconds(2));
    private static readonly long s_apart = Clock.Ticks(TimeSpan.FromMilliseconds(2));
    private static readonly long s_newLoad = Clock.Ticks(TimeSpan.FromMilliseconds(20));
    private static readonly long s_remembered = Clock.Ticks(TimeSpan.FromSeconds(10));
    private static readonly long s_mostStay = Clock.Ticks(TimeSpan.FromMinutes(1));

    // What is counted.
    private bool _counts;
    private long _since; // when it began
    private long _items; // done by then
    private int _steps; // since then
    private int _crowded; // of those, the ones behind which other units waited
    private long _rested; // in between, together
    private long _restsSince; // nothing has been found to do since; 0: something has
    private long _ahead; // together: the position of the furthest stage when they came
    private long _restsAt; // apart: the position of the first stage then
    // What is known.
    private double _rate; // items a tick, together; 0: not known
    private long _measuredAt; // when it was found
    private long _partedAt; // or joined
    private bool _gained; // apart, when it was counted last
    private long _untilTry; // work together that is left until then
    private long _triedAt;
    private long _pause = FirstPause;
    private long _stay = FirstPause;

    /// <summary>A step of all, or of the first stage, has found nothing to do.</summary>
    /// <param name="position">Apart: how far the first stage is.</param>
    /// <param name="now">When that was.</param>
    public void FoundNothing(long position, long now)
    {
        if (_restsSince == 0) (_restsSince, _restsAt) = (now, position);
    }

    /// <summary>Together: a step has handled items. True: the stages part.</summary>
    /// <param name="from">When the step began.</param>
    /// <param name="now">When it ended.</param>
    /// <param name="done">How many items all stages have done with so far.</param>
    /// <param name="more">Whether more items wait.</param>
    /// <param name="othersWait">Whether units of the pool that are no part of it wait for a thread.</param>
    public bool PartsAfter(long from, long now, Func<long> done, bool more, bool othersWait)
    {
        // A load like the last one, for all that is known: what was faster then is not tried, but done.
        if (_gained && more && !othersWait && now - _measuredAt < s_remembered) return true;
        long rested = _restsSince == 0 ? 0 : from - _restsSince;
        _restsSince = 0;
        _rested += rested;
        if (!_counts || rested > s_together)
        {
            long reached = done();
            if (reached >= _ahead) Count(reached, now);
            return false;
        }

        _steps++;
        if (othersWait) _crowded++;
        // A single long step may be the machine's: a time slice lost. More than one in a row are the handlers'.
        if (_steps < StepsTogether || now - _since < s_together) return false;
        long items = done();
        // Where there was often nothing to do, there is nothing to gain.
        bool busy = _rested * 4 < now - _since;
        _untilTry -= now - _since - _rested;
        if (busy) (_rate, _measuredAt, _gained) = ((double)(items - _items) / (now - _since), now, false);
        // Where others wait, more threads would only be taken from them.
        bool tries = busy && canGain && _crowded * 8 < _steps && (_untilTry <= 0 || now - _triedAt > s_remembered);
        Count(items, now);
        return tries;
    }

    /// <summary>Together: they part for a reason of their own, and not to try.</summary>
    public void PartUnmeasured() => (_rate, _gained, _stay) = (0, false, FirstPause);

    /// <summary>They are together, or apart, from <paramref name="now"/> on.</summary>
    /// <param name="done">How many items all stages have done with so far.</param>
    /// <param name="ahead">How many the furthest stage has done with.</param>
    /// <param name="now">When that was.</param>
    public void Begin(long done, long ahead, long now)
    {
        Count(done, now);
        (_partedAt, _ahead, _counts, _restsSince) = (now, ahead, false, 0);
    }

    /// <summary>Apart: the first stage has handled items. True: the stages come together.</summary>
    /// <param name="from">When its step began.</param>
    /// <param name="now">When it ended.</param>
    /// <param name="done">How many items all stages have done with so far.</param>
    public bool JoinsAfter(long from, long now, Func<long> done)
    {
        long rested = _restsSince == 0 ? 0 : from - _restsSince;
        _restsSince = 0;
        // The load had ended, and another one begins. Where the others are not done, the first stage has only waited for room.
        if (rested > s_newLoad && done() >= _restsAt)
        {
            // The try has taken its time from that load, whether it came to an end or not.
            if (!_gained && _rate > 0) (_untilTry, _triedAt) = (_pause, now);
            return true;
        }

        if (++_steps < (_counts ? StepsApart : StepsToSettle) || now - _since < s_apart) return false;
        long items = done();
        // A call that lasts: nothing can be said before it is over.
        if (items == _items) return false;
        // Nothing was counted before the threads had come.
        bool gains = !_counts || items - _items >= (now - _since) * _rate * Gain;
        bool doubts = _gained && !gains;
        if (_counts) _gained = gains && _rate > 0;
        if (doubts || !_counts || (gains && now - _partedAt < _stay))
        {
            Count(items, now);
            return false;
        }

        if (gains)
        {
            // Another look at both. Where they had parted for another reason, there is nothing to tell yet.
            if (_rate > 0) (_untilTry, _pause, _gained) = (0, FirstPause, false);
            _stay = Math.Min(_stay * 2, s_mostStay);
        }
        else
        {
            (_untilTry, _triedAt, _stay) = (_pause, now, FirstPause);
            _pause = Math.Min(_pause * PauseGrowth, MostPause);
        }

        return true;
    }

    private void Count(long done, long now) => (_counts, _since, _items, _steps, _crowded, _rested) = (true, now, done, 0, 0, 0);
}
