using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// The items that one producer publishes, one after another: <c>while (feed.MoveNext()) … feed.Current …</c>
/// </summary>
/// <remarks>
/// To prove that the check finds it, one item can be made wrong. That costs the loop nothing: the item is a turning
/// point like the end, and only the count down to the next such point is tested for every item.
/// </remarks>
public struct Feed
{
    private long _left;
    private long _afterwards;
    private long _skew;
    private int _turns;

    /// <summary>
    /// Creates the items of a producer; the item with index <paramref name="corrupt"/> will be wrong.
    /// </summary>
    public Feed(int producer, long items, long? corrupt = null)
    {
        Current = unchecked(Body.First(producer) - Body.Stride);
        _left = items;
        if (corrupt is not { } index || (ulong)index >= (ulong)items) return;
        _left = index;
        _afterwards = items - index - 1;
        _skew = Body.MaxProducers;
        _turns = _afterwards > 0 ? 2 : 1;
    }

    /// <summary>The item to publish.</summary>
    public long Current { readonly get; private set; }

    /// <summary>Goes on to the next item; <see langword="false"/> when there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        if (--_left >= 0)
        {
            Current += Body.Stride;
            return true;
        }

        if (_turns == 0) return false;

        // First turn: the wrong item alone. Second turn: right again, to the end.
        Current += Body.Stride + _skew;
        _skew = -_skew;
        _left = --_turns == 0 && _skew > 0 ? _afterwards - 1 : 0;
        return true;
    }
}
