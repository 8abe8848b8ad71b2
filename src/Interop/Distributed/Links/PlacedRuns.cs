namespace Raceway.Interop.Distributed;

/// <summary>Which items the slots of the ring hold, as long as the last stage has not passed them.</summary>
/// <remarks>It outlives sessions: what is in the ring is handled, whatever becomes of the delivery that brought it.</remarks>
internal sealed class PlacedRuns
{
    private Run[] _runs = new Run[64];
    private int _head;
    private int _count;

    /// <summary>Items from <paramref name="number"/> on go into the ring from <paramref name="sequence"/> on.</summary>
    public void Add(long sequence, int count, in LinkStream stream, long number, long session = 0, long term = 0)
    {
        if (_count == _runs.Length) Grow();
        At(_count++) = new Run(sequence, sequence + count - 1, stream, number, session, term);
    }

    public void RemoveThrough(long passed)
    {
        while (_count > 0 && At(0).Last <= passed)
        {
            _head = (_head + 1) & (_runs.Length - 1);
            _count--;
        }
    }

    public bool TryLocate(long sequence, out LinkPosition position, out int following)
    {
        return TryLocate(sequence, out position, out following, out _, out _);
    }

    /// <summary>Also in which session the item came, and in which term of its partition.</summary>
    public bool TryLocate(long sequence, out LinkPosition position, out int following, out long session, out long term)
    {
        int low = 0;
        int high = _count - 1;
        while (low <= high)
        {
            int middle = (low + high) >> 1;
            ref Run run = ref At(middle);
            if (sequence < run.First)
            {
                high = middle - 1;
            }
            else if (sequence > run.Last)
            {
                low = middle + 1;
            }
            else
            {
                position = new LinkPosition(run.Stream, run.Number + (sequence - run.First));
                following = (int)(run.Last - sequence);
                (session, term) = (run.Session, run.Term);
                return true;
            }
        }

        (position, following, session, term) = (default, 0, 0, 0);
        return false;
    }

    private ref Run At(int index) => ref _runs[(_head + index) & (_runs.Length - 1)];

    private void Grow()
    {
        var larger = new Run[_runs.Length * 2];
        for (int i = 0; i < _count; i++) larger[i] = At(i);
        (_runs, _head) = (larger, 0);
    }

    private readonly record struct Run(long First, long Last, LinkStream Stream, long Number, long Session, long Term);
}
