using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>The time for which an activation may keep its thread of the pool while others wait for one.</summary>
/// <remarks>
/// Bounded by time, not by a number of items: items may take nanoseconds or milliseconds. The clock is not read after every
/// item, which would cost as much as a small one, but after a stride of up to 64 of them, which grows while they take a small
/// part of the slice and falls back to one where they do not; and it is not read at all for a single item. So an
/// activation ends late by the length of one item, and by a stride or two where short items suddenly turn into long ones.
/// </remarks>
/// <param name="stride">What the last slice of the same work has come to; 1 where nothing is known.</param>
internal struct Slice(int stride)
{
    private const int MostAtFirst = 16;
    private const int Most = 64;
    private static readonly long s_length = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    private int _stride = stride;
    private long _end;
    private long _looked;
    private bool _begun;
    private int _left;

    /// <summary>Items between two looks at the clock, at the start of another slice.</summary>
    public readonly int Stride => Math.Clamp(_stride, 1, MostAtFirst);

    /// <summary>Asked before every item; false before the first one.</summary>
    public bool IsOver() => --_left < 0 && Look();

    /// <summary>How many items may be done before it is asked again, at most <paramref name="most"/>; none once it is over.</summary>
    public int Take(int most)
    {
        if (IsOver()) return 0;
        int run = Math.Min(most, 1 + _left);
        _left -= run - 1;
        return run;
    }

    private bool Look()
    {
        // A thread's own slice begins as zeros.
        int stride = Math.Max(_stride, 1);
        if (!_begun)
        {
            // Before the first item: nothing to measure yet, and often nothing follows.
            _begun = true;
        }
        else
        {
            long now = MachineClock.Now;
            bool isOver = _end != 0 && now >= _end;
            if (_end == 0) _end = now + s_length;
            else if (now - _looked > s_length / 4) stride = 1;
            else if (now - _looked < s_length / 16) stride = Math.Min(4 * stride, Most);
            _looked = now;
            _stride = stride;
            if (isOver) return true;
        }

        _left = stride - 1;
        return false;
    }
}
