namespace Raceway.Rings;

/// <summary>Whether the stages of a <see cref="PoolGroup"/> are faster together or apart: by what both have done.</summary>
/// <remarks>
/// <para>Together is where they begin, and where they are while the load is low: nothing is handed over. While there is always something to do,
/// the items of each 2 ms are counted. Then the stages try to be apart, and the items of 4 ms and four steps are counted there.</para>
/// <para>They stay apart while that gives a tenth more items than together. Else they come together again, and the next try is later:
/// 20 ms, four times as long each time, a second at the most. Where the load falls, being apart gives no more either, and they come
/// together.</para>
/// <para>What has been faster may be so no more: stages that stay apart come together for a moment, after 20 ms, then after twice as
/// long each time, a minute at the most.</para>
/// <para>Times are in <see cref="MachineClock"/> ticks. Mutable: keep it in a field that is not readonly. One thread at a time uses it.</para>
/// </remarks>
/// <param name="canGain">Whether there is more than one processor.</param>
internal struct GroupChoice(bool canGain)
{
    /// <summary>Until the second try.</summary>
    public static readonly long FirstPause = Clock.Ticks(TimeSpan.FromMilliseconds(20));

    /// <summary>The longest time between two tries.</summary>
    public static readonly long MostPause = Clock.Ticks(TimeSpan.FromSeconds(1));

    private const double Gain = 1.1;
    private const int PauseGrowth = 4;
    private const int StepsTogether = 2;
    private const int StepsApart = 4;
    private static readonly long s_together = Clock.Ticks(TimeSpan.FromMilliseconds(2));
    private static readonly long s_apart = Clock.Ticks(TimeSpan.FromMilliseconds(4));
    private static readonly long s_idle = Clock.Ticks(TimeSpan.FromMilliseconds(20));
    private static readonly long s_mostStay = Clock.Ticks(TimeSpan.FromMinutes(1));

    private double _rate; // items a tick, together; 0: not known
    private long _since; // what is counted began; together 0: nothing is, there was nothing to do
    private long _items;
    private int _steps; // of those counted
    private int _crowded; // together: of those, the ones behind which other units waited
    private bool _counts; // apart: something is counted
    private long _last; // apart: when the first stage did something last
    private long _partedAt;
    private long _nextTry;
    private long _pause = FirstPause;
    private long _stay = FirstPause;
    private bool _gained; // apart, when it was counted last

    /// <summary>Together: a step has found nothing to do.</summary>
    public void FoundNothing() => _since = 0;

    /// <summary>Together: a step has handled <paramref name="count"/> items. True: the stages part.</summary>
    /// <param name="count">How many.</param>
    /// <param name="from">When it began.</param>
    /// <param name="now">When it ended.</param>
    /// <param name="more">Whether more items wait.</param>
    /// <param name="othersWait">Whether units of the pool that are no part of it wait for a thread.</param>
    public bool PartsAfter(int count, long from, long now, bool more, bool othersWait)
    {
        // A load like the last one, for all that is known: what was faster then is not tried, but done.
        if (_gained && more && !othersWait && now >= _nextTry) return true;
        if (_since == 0) (_since, _items, _steps, _crowded) = (from, 0, 0, 0);
        _items += count;
        _steps++;
        if (othersWait) _crowded++;
        long took = now - _since;
        // A single long step may be the machine's: a time slice lost. Two in a row are the handlers'.
        if (took < s_together || _steps < StepsTogether) return false;
        _rate = (double)_items / took;
        // Where others wait, more threads would only be taken from them.
        bool tries = canGain && now >= _nextTry && _crowded * 8 < _steps;
        _since = 0;
        return tries;
    }

    /// <summary>Together: they part for a reason of their own, and not to try.</summary>
    public void PartUnmeasured() => (_rate, _gained) = (0, false);

    /// <summary>They are apart from <paramref name="now"/> on.</summary>
    public void Part(long now) => (_partedAt, _last, _since, _steps, _counts) = (now, now, now, 0, false);

    /// <summary>Apart: the first stage has made a step. True: the stages come together.</summary>
    /// <param name="from">When it began.</param>
    /// <param name="now">When it ended.</param>
    /// <param name="done">How many items all stages have done with so far: the first one may only be ahead.</param>
    public bool JoinsAfter(long from, long now, Func<long> done)
    {
        // The load had ended, and another one begins.
        bool isNew = from - _last > s_idle;
        _last = now;
        if (isNew) return true;
        if (++_steps < StepsApart || now - _since < s_apart) return false;
        long items = done();
        // Before anything is counted, the threads have come, and the first stage has got ahead.
        bool gains = !_counts || items - _items >= (now - _since) * _rate * Gain;
        _gained = _counts && gains;
        if (gains && now - _partedAt < _stay)
        {
            (_counts, _since, _items, _steps) = (true, now, items, 0);
            return false;
        }

        if (gains)
        {
            // Another look at both: what was together is counted anew.
            (_nextTry, _pause, _gained) = (now, FirstPause, false);
            _stay = Math.Min(_stay * 2, s_mostStay);
        }
        else
        {
            (_nextTry, _stay) = (now + _pause, FirstPause);
            _pause = Math.Min(_pause * PauseGrowth, MostPause);
        }

        return true;
    }

    /// <summary>They are together from now on.</summary>
    public void Join() => _since = 0;
}
