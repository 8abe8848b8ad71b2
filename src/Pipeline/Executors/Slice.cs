using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The time for which an activation may keep its thread of the pool while others wait for one.</summary>
/// <remarks>
/// Bounded by time, not by a number of items: items may take nanoseconds or milliseconds. The clock is not read after every
/// item, which would cost as much as a small one: it is read after 1, 2, 4, … up to 64 items as long as those took a
/// small part of the slice, and it is not read at all by who has one item only. So an activation ends late by the length
/// of one item, and by up to 64 where short ones suddenly turn into long ones.
/// </remarks>
internal struct Slice
{
    private const int MaxStride = 64;
    private static readonly long s_length = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    private long _end;
    private long _looked;
    private int _stride;
    private int _left;

    /// <summary>Asked before every item; false before the first one.</summary>
    public bool IsOver() => --_left < 0 && Look();

    private bool Look()
    {
        if (_stride == 0)
        {
            // Before the first item: nothing to measure yet, and often nothing follows.
            _stride = 1;
            return false;
        }

        long now = Clock.Now;
        if (_end == 0) _end = now + s_length;
        else if (now >= _end) return true;
        else if (now - _looked > s_length / 4) _stride = 1;
        else if (now - _looked < s_length / 16 && _stride < MaxStride) _stride *= 2;
        _looked = now;
        _left = _stride - 1;
        return false;
    }
}
