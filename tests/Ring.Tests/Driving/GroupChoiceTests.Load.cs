namespace Raceway.Rings.Tests;

/// <content>The load that it sees: steps of a millisecond, on a clock that only they move.</content>
public sealed partial class GroupChoiceTests
{
    private const int Full = 1000;
    private static readonly long s_step = Clock.Ticks(TimeSpan.FromMilliseconds(1));

    private readonly Func<GroupPosition> _read;
    private GroupChoice _choice = new(canGain: true);
    private long _now = Clock.Ticks(TimeSpan.FromSeconds(1));
    private long _done; // by all stages
    private long _underWay; // so many more by the mean of them

    public GroupChoiceTests() => _read = () => new GroupPosition(_done, _done + _underWay);

    // A step of a millisecond together.
    private bool Together(bool othersWait = false, bool more = false, long took = 0)
    {
        long from = _now;
        _now += took == 0 ? s_step : took;
        _done += Full;
        return _choice.PartsAfter(from, _now, _read, more, othersWait);
    }

    // The last stage does many items of those that the others have done before.
    private void CatchUp() => (_done, _underWay) = (_done + (9 * Full), _underWay - (9 * Full));

    // Five milliseconds of work. True: they part.
    private bool Burst()
    {
        bool parts = false;
        for (int i = 0; i < 5 && !parts; i++) parts = Together();
        return parts;
    }

    // Nothing is found to do for so long; the first stage is ahead of the others by so many items.
    private void Rest(long time, int ahead = 0)
    {
        _choice.FoundNothing(_done + ahead, _now);
        _now += time / 2;
        _choice.FoundNothing(_done + ahead, _now);
        _now += time / 2;
    }

    // Steps together until they part.
    private void Part()
    {
        _choice.Begin(_read(), _now);
        PartWith(s_step);
        _choice.Begin(_read(), _now);
    }

    // Steps that take so long, until they part.
    private void PartWith(long took)
    {
        while (!Together(took: took))
        {
        }
    }

    private long WorkUntilTheyPart()
    {
        long from = _now;
        Part();
        return _now - from;
    }

    // A step of a millisecond apart, in which all stages have done with some items.
    private bool Apart(int items, long took = 0)
    {
        long from = _now;
        _now += took == 0 ? s_step : took;
        _done += items;
        return _choice.JoinsAfter(from, _now, _read);
    }

    // How long they are apart, with so many items a millisecond.
    private long StaysApart(int items)
    {
        long from = _now;
        while (!Apart(items))
        {
        }

        return _now - from;
    }
}
