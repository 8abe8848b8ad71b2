namespace Raceway.Rings;

/// <summary>How many items a step on the thread pool may take: it follows from what the last steps took.</summary>
/// <remarks>
/// <para>A step is long if it takes more than half a slice. Cut, a long step makes the next ones smaller. Uncut, it may make them
/// larger: what takes long may be the call, and not its items.</para>
/// <para>Mutable: keep it in a field that is not readonly. The thread that steps the unit owns it.</para>
/// </remarks>
/// <param name="slice">For how long the unit is stepped at a time, in <see cref="MachineClock"/> ticks.</param>
/// <param name="cuts">Whether long steps are cut.</param>
internal struct Quantum(long slice, bool cuts)
{
    /// <summary>The most items of a cut step, and of an uncut one that is not long.</summary>
    public const int Most = 1024;

    private const int FirstCut = 16;
    private const int MostUncut = 1 << 30;

    private bool _growsNext; // uncut: the last step was full and long, and has not been answered yet

    /// <summary>The most items of the next step.</summary>
    public int Items { get; private set; } = cuts ? FirstCut : Most;

    /// <summary>A step has handled <paramref name="count"/> items, and <paramref name="took"/> so long.</summary>
    public void Adapt(int count, long took)
    {
        bool isLong = took > slice / 2;
        bool isFull = count >= Items;
        if (!cuts) AdaptUncut(isFull, isLong);
        else if (isLong && count > 0) Items = (int)Math.Clamp(count * slice / (took * 2), 1, Most);
        else if (isFull) Items = Math.Min(Items * 2, Most);
    }

    private void AdaptUncut(bool isFull, bool isLong)
    {
        if (!isLong)
        {
            // A call that is soon done gains nothing by more items, and the next stage would find them further from its cache.
            Items = Math.Max(Items / 2, Most);
            _growsNext = false;
        }
        else if (isFull)
        {
            // A single long step may be the machine's: a collection, a page fault, a time slice lost. Two are the handler's.
            if (_growsNext && Items < MostUncut) Items *= 2;
            _growsNext = !_growsNext;
        }
    }
}
