namespace Raceway.Rings.Tests;

/// <summary>The load that a <see cref="GroupChoice"/> sees in tests: steps of a millisecond, on a clock that only they move.</summary>
public abstract class GroupChoiceLoad
{
    private protected const int Full = 1000;
    private protected static readonly long s_step = Clock.Ticks(TimeSpan.FromMilliseconds(1));

    private protected static readonly long s_begun = Clock.Ticks(TimeSpan.FromSeconds(100));

    private protected readonly Func<GroupPosition> _read;
    private protected long _now = s_begun;
    private protected GroupChoice _choice = new(canGain: true, s_begun);
    private protected long _done; // by all stages
    private protected long _underWay; // so many more by the mean of them
    private protected int _stages = 3;
    private int _together; // steps

    private protected GroupChoiceLoad() => _read = () => new GroupPosition(_done, _done + _underWay, _stages);

    // A step of a millisecond together.
    private protected bool Together(
        bool othersWait = false, bool more = false, long took = 0, bool overlaps = true, int items = Full)
    {
        Assert.True(++_together < 100_000, "They never part.");
        long from = _now;
        _now += took == 0 ? s_step : took;
        _done += items;
        return _choice.PartsAfter(from, _now, _read, more, overlaps, othersWait);
    }

    // The last stage does many items of those that the others have done before.
    private protected void CatchUp() => (_done, _underWay) = (_done + (9 * Full), _underWay - (9 * Full));

    // Five milliseconds of work. True: they part.
    private protected bool Burst()
    {
        bool parts = false;
        for (int i = 0; i < 5 && !parts; i++) parts = Together();
        return parts;
    }

    // Nothing is found to do for so long; the first stage is ahead of the others by so many items.
    private protected void Rest(long time, int ahead = 0)
    {
        _choice.FoundNothing(_done + ahead, _now);
        _now += time / 2;
        _choice.FoundNothing(_done + ahead, _now);
        _now += time / 2;
    }

    // Steps together until they part.
    private protected void Part(int items = Full)
    {
        _choice.Begin(_read(), _now);
        PartWith(s_step, items);
        _choice.Begin(_read(), _now);
    }

    // Steps that take so long, until they part.
    private protected void PartWith(long took, int items = Full)
    {
        while (!Together(took: took, items: items))
        {
        }
    }

    // How long they work together until then.
    private protected long WorkUntilTheyPart(int items = Full)
    {
        long from = _now;
        Part(items);
        return _now - from;
    }

    // A step of a millisecond apart, in which all stages have done with some items.
    private protected bool Apart(int items, long took = 0)
    {
        long from = _now;
        _now += took == 0 ? s_step : took;
        _done += items;
        return _choice.JoinsAfter(from, _now, _read);
    }

    // How long they are apart, with so many items a millisecond.
    private protected long StaysApart(int items)
    {
        long from = _now;
        while (!Apart(items))
        {
        }

        return _now - from;
    }
}
