namespace Raceway.Rings;

/// <summary>Decides whether a call is worth splitting, by what the calls of the handler have taken.</summary>
/// <remarks>
/// <para>A call is split if it is expected to take ten times what handing a part to a thread costs, and if splitting has paid. (Stages
/// that are stepped together part for it. So there it must be expected to take much longer.) It has paid if the
/// parts together, divided by the threads that took them, took less than the whole call would have. That is not so if each call has
/// a fixed price, or if the threads wait for a lock of the handler. A thread that came late counts neither way.</para>
/// <para>Once splitting does not pay, the next calls are whole: twice as many each time.</para>
/// <para>Mutable: keep it in a field that is not readonly. The thread that steps the stage owns it.</para>
/// </remarks>
internal struct SplitGauge
{
    private const int LeastPause = 16;
    private const int MostPause = 4096;
    private const int AlwaysTimed = 64; // items of a call beside which reading the clock twice costs nothing
    private const int TimedCalls = 16; // of smaller ones, one in so many is timed
    private const double Forgotten = 1.0 / 16;
    private const double ForgottenShare = 1.0 / 8;
    private const double FirstShare = 0.75;
    private const double GoodShare = 0.7;
    private const int FirstCalls = 2; // each tells more than those before it: the first one includes what is done once, such as compilation
    private const int MostTimesLonger = 8; // a call may lose its processor: none counts for more than so many of its like
    private const int MostShare = 3;

    // What handing a part to a thread costs the one that does.
    private static readonly long s_handOver = Clock.Ticks(TimeSpan.FromMicroseconds(5));

    private double _items, _ticks; // of whole calls, those longer ago the less
    private double _share = FirstShare; // of what whole calls would have taken: what split ones did
    private int _pause, _nextPause = LeastPause;
    private int _untimed;
    private int _firstCalls; // timed, of the first few

    public SplitGauge()
    {
    }

    /// <summary>The least work of a call that is split, in <see cref="MachineClock"/> ticks.</summary>
    public static long Worth { get; } = 10 * s_handOver;

    /// <summary>The least work of a call that parts stages which are stepped together: they stay apart for 40 ms then, and may wait for
    /// each other's threads.</summary>
    public static long WorthParting { get; } = Clock.Ticks(TimeSpan.FromMilliseconds(1));

    /// <summary>What an item costs, in the same; 0 as long as that is not known.</summary>
    public readonly double Cost => _items == 0 ? 0 : _ticks / _items;

    /// <summary>Whether calls are split that are large enough.</summary>
    public readonly bool IsOpen => _pause == 0 && _ticks > 0;

    /// <summary>Whether a call of <paramref name="items"/> is split.</summary>
    /// <param name="items">Its items.</param>
    /// <param name="parts">Whether stages that are stepped together part for it: no first call is reason enough.</param>
    public readonly bool Pays(int items, bool parts = false) => IsOpen && items > 1
        && (parts ? _firstCalls == FirstCalls && items * Cost >= WorthParting : items * Cost >= Worth);

    /// <summary>Whether a whole call of <paramref name="items"/> is to be timed.</summary>
    public bool Times(int items)
    {
        if (_pause > 0) _pause--;
        if (_firstCalls == FirstCalls && items < AlwaysTimed && ++_untimed < TimedCalls) return false;
        _untimed = 0;
        return true;
    }

    /// <summary>A whole call of <paramref name="items"/> took <paramref name="ticks"/>.</summary>
    public void AddWhole(int items, long ticks)
    {
        double took = _items == 0 ? ticks : Math.Min(ticks, MostTimesLonger * Math.Max(items * Cost, s_handOver));
        if (_firstCalls < FirstCalls)
        {
            _firstCalls++;
            (_items, _ticks) = (items, took);
            return;
        }

        _items = (_items * (1 - Forgotten)) + items;
        _ticks = (_ticks * (1 - Forgotten)) + took;
    }

    /// <summary>The parts of a call took <paramref name="ticks"/> together.</summary>
    /// <param name="items">Items of the parts.</param>
    /// <param name="ticks">What they took.</param>
    /// <param name="threads">How many threads took parts.</param>
    public void AddSplit(long items, long ticks, int threads)
    {
        if (threads == 0) return;
        double whole = Cost * items;
        // No item gets cheaper by being split: the whole calls were too small to tell, or are too long ago.
        if (ticks < whole) (_items, _ticks) = (items, Math.Max(ticks, 1));
        if (threads == 1) return;
        _share += (Math.Min(MostShare, ticks / (whole * threads)) - _share) * ForgottenShare;
        if (_share < GoodShare) _nextPause = LeastPause;
        if (_share < 1) return;

        (_pause, _share) = (_nextPause, FirstShare);
        _nextPause = Math.Min(2 * _nextPause, MostPause);
    }
}
