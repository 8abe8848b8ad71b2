namespace Raceway.Rings;

/// <summary>How many items a step on the thread pool may take: it follows from what the last steps took.</summary>
/// <remarks>
/// <para>A step is long if it takes more than half a slice. Cut, a long step makes the next ones smaller. Uncut, it may make them
/// larger: what takes long may be the call, and not its items.</para>
/// <para><b>The first steps</b> are small, as nothing is known of their items, and full ones double. So a step is over soon, and where
/// several stages are measured (<see cref="GroupChoice"/>), that begins soon. A step that is not long may become larger than the
/// others: what comes with each step is then paid less often. Full long ones grow faster, up to the usual limit: where the call takes
/// long, few items cost as much as many.</para>
/// <para><b>The price of a call.</b> To cut a call that writes to a disk makes more calls, and none of them shorter. So a full long step
/// is compared now and then with one of twice as many items. Where that takes about as long, it is the call that takes long. Its items
/// may then take as long as the call itself.</para>
/// <para>Mutable: keep it in a field that is not readonly. The thread that steps the unit owns it.</para>
/// </remarks>
/// <param name="slice">For how long the unit is stepped at a time, in <see cref="MachineClock"/> ticks.</param>
/// <param name="cuts">Whether long steps are cut.</param>
/// <param name="mostShort">Uncut: the most items of a step that is not long, see <see cref="MostShortOf"/>.</param>
internal struct Quantum(long slice, bool cuts, int mostShort = Quantum.Most)
{
    /// <summary>The most items of a cut step, and of an uncut one of which no more is known than that it was full.</summary>
    public const int Most = 1024;

    private const int FirstCut = 16;
    private const int FirstUncut = 64;
    private const int MostShort = 4096;
    private const int MostUncut = 1 << 30;
    private const int LongGrowth = 4; // uncut: of a full long step, up to Most
    private const int FirstComparison = 2;
    private const int StepsToCompare = 64;

    private bool _isShort; // uncut: it is larger than Most, as its steps were not long
    private bool _wasLong; // uncut: the last full step was long
    private long _price; // cut: what a call takes whatever it is given; 0 where nothing is known
    private int _untilCompared = FirstComparison; // cut: so many full long steps
    private (int Count, long Took) _compared; // cut: the step that the next one is compared with; 0 for none

    /// <summary>The most items of the next step.</summary>
    public int Items { get; private set; } = cuts ? FirstCut : FirstUncut;

    /// <summary>The most items of an uncut step that is not long, in a ring of that capacity. In a large ring what is before it can go on meanwhile.</summary>
    public static int MostShortOf(int capacity) => Math.Clamp(capacity / 4, Most, MostShort);

    /// <summary>A step has handled <paramref name="count"/> items, and <paramref name="took"/> so long.</summary>
    public void Adapt(int count, long took)
    {
        bool isLong = took > slice / 2;
        bool isFull = count >= Items;
        if (!cuts) AdaptUncut(took, isFull, isLong);
        else if (isLong && count > 0) AdaptCut(count, took, isFull);
        else if (isFull) (Items, _price) = (Math.Min(Items * 2, Most), 0);
    }

    private void AdaptCut(int count, long took, bool isFull)
    {
        if (isFull && _compared.Count != 0) Compare(count, took);
        _compared = default;
        long limit = Math.Max(slice / 2, 2 * _price);
        int next = Items;
        if (took > limit) next = (int)Math.Clamp(count * limit / took, 1, Most);
        else if (isFull) next = Math.Min(Items * 2, Most);
        if (isFull && --_untilCompared <= 0)
        {
            // A call that has no price yet by a larger one; one that has a price by a smaller one: it may have none any more.
            _compared = (count, took);
            next = _price == 0 || count == 1 ? count * 2 : count / 2;
        }

        Items = next;
    }

    private void Compare(int count, long took)
    {
        bool grew = count > _compared.Count;
        (int few, long fewTook) = grew ? _compared : (count, took);
        (int many, long manyTook) = grew ? (count, took) : _compared;
        if (many < few * 2) return;
        _price = manyTook <= fewTook * 3 / 2 ? Math.Min(fewTook, manyTook) : 0;
        _untilCompared = StepsToCompare;
    }

    private void AdaptUncut(long took, bool isFull, bool isLong)
    {
        if (isFull && Items < (isLong ? Most : mostShort))
        {
            Items = isLong ? Math.Min(Items * LongGrowth, Most) : Items * 2;
            (_isShort, _wasLong) = (Items > Most, isLong);
        }
        else if (!isLong)
        {
            // A call that is soon done gains nothing by more items, and the next stage would find them further from its cache.
            if (Items > mostShort) Items = Math.Max(Items / 2, mostShort);
            _wasLong = false;
        }
        else if (isFull && _isShort)
        {
            // Items that were cheap may be so no more.
            if (took > slice) (Items, _isShort) = (Most, false);
        }
        else if (isFull)
        {
            // A single long step may be the machine's: a collection, a page fault, a time slice lost. Two are the handler's.
            if (_wasLong && Items < MostUncut) Items *= 2;
            _wasLong = true;
        }
    }
}
