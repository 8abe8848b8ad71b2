namespace Raceway.Rings;

/// <summary>Whether the stages of a <see cref="PoolGroup"/> are faster together or apart: by what both have done.</summary>
/// <remarks>
/// <para>Together is where they begin, and where they are while the load is low: nothing is handed over. Where there was something to
/// do for most of 2 ms and two steps, and more than one stage had something to do in most of the time of these steps, it is known how
/// many items they do together. (A step shorter than a wake-up shows that only if it leaves items, or has taken half of the ring. Else
/// larger batches would mostly do: they cost less an item. The longest step that shows it may have lost its processor meanwhile: it
/// counts for two of the next longest at the most.) Then they try to be apart: for four steps of the first stage, until the
/// threads have come and that stage is ahead of the others, and for eight more, which are counted; each for 2 ms at the least.</para>
/// <para>They stay apart while that gives a twentieth more items than together. Else they come together again.</para>
/// <para><b>What a try costs</b> is the time that the counted items would not have taken together, rests left out. What comes before
/// the count costs about as much again. The next try is behind two hundred times the cost, but behind 40 to 320 ms of work (cheap items:
/// see below). So tries take about a hundredth of a load, whether it is steady or comes in short bursts. Work counts and time does not,
/// but ten seconds after the last try in vain, or after they were made, the next busy 2 ms have another one. The same holds where steps
/// do not show that more than one stage had something to do: the next item may come while the last stage is stepped, where no step sees
/// it. A gain of the last ten seconds is kept then. Where the load falls, being apart gives no more either, and they come together.</para>
/// <para>What has been faster may be so no more. So stages that stay apart come together and are counted anew: after 80 ms, then after
/// twice as long each time, a minute at the most. It has a price, too: what they would have done more apart in that time. So it is behind two
/// hundred times that at least. What was faster with one load is done at once with the next one, for ten seconds.</para>
/// <para><b>Cheap items</b>, of less than 100 ns in all stages, are as fast as the caches of one core make them. A try moves part of what is
/// in these to another core. Behind it the items may be slow for 10 ms and longer, which the cost above leaves out. What they do at first,
/// while the caches fill, is too low to compare with as well. So any try of cheap items is behind 10 ms of work since they came together, or
/// since the load has paused for 20 ms. Behind the first one without a gain, the next is behind 320 ms of work, and each more doubles that,
/// but for a try of every ten seconds and the look at both behind a gain.</para>
/// <para>One count that is too low may be the machine's. So together the better one of the last two is what counts. Apart, two in a row
/// end it where being apart has gained before, and in a try if the first one is three quarters of what they do together or more. What
/// both have cost is what the try has cost.</para>
/// <para>Times are in <see cref="MachineClock"/> ticks. Mutable: keep it in a field that is not readonly. One thread at a time uses it.</para>
/// </remarks>
/// <param name="canGain">Whether there is more than one processor.</param>
/// <param name="begun">When the stages are made.</param>
internal struct GroupChoice(bool canGain, long begun)
{
    /// <summary>How much work is between two tries for each tick that the first one has cost.</summary>
    public const int WorkForCost = 200;

    /// <summary>The least work between two tries; and how long they stay apart where they did not part for one.</summary>
    public static readonly long LeastPause = Clock.Ticks(TimeSpan.FromMilliseconds(40));

    /// <summary>The most work between two tries, as what one has cost may be the machine's; cheap items: the work before the second one.</summary>
    public static readonly long MostPause = Clock.Ticks(TimeSpan.FromMilliseconds(320));

    /// <summary>How long they stay apart where they gain, at first.</summary>
    public static readonly long FirstStay = Clock.Ticks(TimeSpan.FromMilliseconds(80));

    private const double Gain = 1.05;
    private const double Near = 0.75; // of what they do together: a first count of less is not taken for the machine's
    private const int StepsTogether = 2;
    private const int StepsToSettle = 4;
    private const int StepsApart = 8;
    private static readonly long s_together = Clock.Ticks(TimeSpan.FromMilliseconds(2));
    private static readonly long s_apart = Clock.Ticks(TimeSpan.FromMilliseconds(2));
    private static readonly double s_costly = Clock.Ticks(TimeSpan.FromSeconds(1)) / 1e7; // 100 ns: what an item takes that is not cheap
    private static readonly long s_warm = Clock.Ticks(TimeSpan.FromMilliseconds(10));
    private static readonly long s_newLoad = Clock.Ticks(TimeSpan.FromMilliseconds(20));
    private static readonly long s_remembered = Clock.Ticks(TimeSpan.FromSeconds(10));
    private static readonly long s_mostStay = Clock.Ticks(TimeSpan.FromMinutes(1));

    // What is counted.
    private bool _counts;
    private long _since; // when it began
    private GroupPosition _begun; // how far they were then
    private int _steps; // since it began
    private int _crowded; // of those, the ones behind which other units waited
    private long _stepped; // how long steps took
    private long _overlapped; // of that, how long those that show that another thread would have had something to do
    private long _longest, _secondLongest; // the two longest of these
    private long _rested; // in between
    private long _restsSince; // nothing has been found to do since; 0: something has
    private long _restsAt; // apart: the position of the first stage then
    // What is known.
    private double _rate; // items a tick, together; 0: not known
    private bool _wasCheap; // an item, in the last count together
    private long _warm; // their work since they came together, or since a pause of the load
    private long _untilCheapTry; // work together that is left until a try of cheap items
    private long _cheapPause = MostPause; // the same behind the next one of these, unless it gains
    private double _lastRate; // of the last count; 0: there was none of this load since they came together
    private long _measuredAt; // when they were counted together last, or have gained apart
    private long _partedAt; // or joined
    private double _done; // items, in the counts since they parted
    private double _togetherInstead; // what they would have done together in that time
    private bool _gained; // apart, when it was counted last
    private bool _doubted; // the last count apart showed no gain: one more without, and they come together
    private double _doubtedCost; // what that count has cost, in a try
    private long _untilTry; // work together that is left until then
    private long _triedAt = begun; // in vain
    private long _stay = FirstStay;

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
    /// <param name="position">How far the stages are.</param>
    /// <param name="more">Whether more items wait, or producers may: the step has taken half of the ring.</param>
    /// <param name="overlaps">Whether another thread would have had something to do, too.</param>
    /// <param name="othersWait">Whether units of the pool that are no part of it wait for a thread.</param>
    public bool PartsAfter(long from, long now, Func<GroupPosition> position, bool more, bool overlaps, bool othersWait)
    {
        // A load like the last one, for all that is known: what was faster then is not tried, but done.
        if (_gained && more && !othersWait && now - _measuredAt < s_remembered) return true;
        long rested = _restsSince == 0 ? 0 : from - _restsSince;
        _restsSince = 0;
        _rested += rested;
        if (!_counts || rested > s_together)
        {
            if (rested > s_newLoad) (_lastRate, _warm) = (0, 0);
            Count(position(), now);
            return false;
        }

        _steps++;
        if (othersWait) _crowded++;
        AddStep(now - from, more || (overlaps && now - from > ReadyQueue.WakeUp));
        // A single long step may be the machine's: a time slice lost, while items came. Two of them are the handlers'.
        long lost = Math.Max(0, _longest - (2 * _secondLongest));
        long counted = now - _since - lost;
        if (_steps < StepsTogether || counted < s_together) return false;
        GroupPosition reached = position();
        long worked = counted - _rested;
        bool isDue = now - _triedAt > s_remembered;
        // Where others wait, more threads would only be taken from them.
        bool mayTry = canGain && _crowded * 8 < _steps;
        double items = reached.Mean - _begun.Mean;
        (_untilTry, _untilCheapTry, _warm) = (_untilTry - worked, _untilCheapTry - worked, _warm + worked);
        // One count of items that take longer may be the machine's.
        bool isCheap = worked < items * s_costly;
        (isCheap, _wasCheap) = (isCheap || _wasCheap, isCheap);
        mayTry &= !isCheap || (_warm >= s_warm && (_untilCheapTry <= 0 || isDue));
        // Where one stage at a time has something to do, no step shows a gain. So a try is made only when it is due, and not while a gain
        // of the last ten seconds is remembered.
        bool asks = isDue && mayTry && !(_gained && now - _measuredAt < s_remembered);
        // Where there was often nothing to do, there is nothing to gain.
        bool busy = _rested * 4 < counted && ((_overlapped - lost) * 4 >= (_stepped - lost) * 3 || asks);
        double rate = items / counted;
        if (busy) (_rate, _lastRate, _measuredAt, _gained, _doubted) = (Math.Max(rate, _lastRate), rate, now, false, false);
        bool tries = busy && mayTry && (_untilTry <= 0 || isDue);
        // Ten seconds at the most: one is due by then. A gain sets both back.
        if (tries && isCheap) (_untilCheapTry, _cheapPause) = (_cheapPause, Math.Min(_cheapPause * 2, s_remembered));
        Count(reached, now);
        return tries;
    }

    /// <summary>Whether what they do together is known: then they are apart to do more, and come together where they do not.</summary>
    public readonly bool Compares => _rate > 0;

    /// <summary>Together: they part for a reason of their own, and not to try.</summary>
    public void PartUnmeasured() => (_rate, _gained, _stay) = (0, false, LeastPause);

    /// <summary>They are together, or apart, from <paramref name="now"/> on.</summary>
    /// <param name="position">How far the stages are.</param>
    /// <param name="now">When that was.</param>
    public void Begin(GroupPosition position, long now)
    {
        Count(position, now);
        (_partedAt, _counts, _restsSince, _lastRate, _warm, _done, _togetherInstead) = (now, false, 0, 0, 0, 0, 0);
    }

    /// <summary>Apart: the first stage has handled items. True: the stages come together.</summary>
    /// <param name="from">When its step began.</param>
    /// <param name="now">When it ended.</param>
    /// <param name="position">How far the stages are.</param>
    public bool JoinsAfter(long from, long now, Func<GroupPosition> position)
    {
        long rested = _restsSince == 0 ? 0 : from - _restsSince;
        _restsSince = 0;
        // Where the others were not done, the first stage has only waited for room.
        if (rested > 0 && position().Least >= _restsAt)
        {
            // The load had ended, and another one begins.
            if (rested > s_newLoad) return JoinsBehindLoad(position(), from - rested, now);
            _rested += rested;
        }

        if (++_steps < (_counts ? StepsApart : StepsToSettle) || now - _since < s_apart) return false;
        GroupPosition reached = position();
        // A call that lasts: nothing can be said before it is over.
        if (reached.Least == _begun.Least) return false;
        // Nothing was counted before the threads had come, and nothing can be said where a stage has left since.
        bool isAnswer = _counts && reached.Stages == _begun.Stages;
        bool joins = isAnswer && JoinsBy(reached, now);
        Count(reached, now);
        return joins;
    }

    private void AddStep(long took, bool overlapped)
    {
        _stepped += took;
        if (!overlapped) return;
        _overlapped += took;
        if (took > _longest) (_longest, _secondLongest) = (took, _longest);
        else if (took > _secondLongest) _secondLongest = took;
    }

    private bool JoinsBehindLoad(GroupPosition reached, long ended, long now)
    {
        if (!_gained)
        {
            NextTryLater(_restsAt, ended);
            _doubted = false;
        }

        Count(reached, now);
        return true;
    }

    private bool JoinsBy(GroupPosition reached, long now)
    {
        double done = reached.Mean - _begun.Mean;
        double together = (now - _since) * _rate;
        bool gains = done >= together * Gain;
        if (gains) (_measuredAt, _doubtedCost) = (now, 0);
        if (gains && _rate > 0) (_untilCheapTry, _cheapPause) = (0, MostPause);
        _doubted = !gains && !_doubted && (_gained || done >= together * Near);
        if (_doubted && !_gained) _doubtedCost = CostOfCount(reached.Mean, now);
        _gained = _rate > 0 && (gains || (_gained && _doubted));
        (_done, _togetherInstead) = (_done + done, _togetherInstead + together);
        if (_doubted || (gains && now - _partedAt < Math.Max(_stay, WorkForLook))) return false;
        if (gains)
        {
            // Another look at both. Where they had parted for another reason, there is nothing to tell yet.
            if (_rate > 0) (_untilTry, _gained) = (0, false);
            _stay = Math.Min(_stay * 2, s_mostStay);
        }
        else
        {
            NextTryLater(reached.Mean, now);
            _stay = FirstStay;
        }

        return true;
    }

    // What is before the next look at both. Without a rate they parted for another reason, and to come together costs nothing.
    private readonly double WorkForLook => _rate == 0 ? 0 : WorkForCost * (_wasCheap ? s_warm : s_together) * (1 - (_togetherInstead / _done));

    // A try ends, where they had parted for one. It has cost the time that its items would not have taken together.
    private void NextTryLater(double reached, long now)
    {
        if (_rate == 0) return;
        double cost = _doubtedCost + CostOfCount(reached, now);
        (_untilTry, _triedAt, _doubtedCost) = ((long)Math.Clamp(cost * WorkForCost, LeastPause, MostPause), now, 0);
    }

    private readonly double CostOfCount(double reached, long now) => now - _since - _rested - ((reached - _begun.Mean) / _rate);

    private void Count(GroupPosition position, long now)
    {
        (_counts, _since, _begun, _steps, _crowded) = (true, now, position, 0, 0);
        (_stepped, _overlapped, _longest, _secondLongest, _rested) = (0, 0, 0, 0, 0);
    }
}
