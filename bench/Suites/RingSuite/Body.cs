using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// The work of the ring cases, the same for every contestant: what is published, and what a stage does with it.
/// </summary>
/// <remarks>
/// Producer <c>p</c> publishes <c>First(p) + i · Stride</c> as its item <c>i</c>. The stride is large and odd but for
/// its three lowest bits, which are zero: so the lowest three bits of an item name its producer, and no contestant gets an
/// item right by giving back a sequence number, a neighbour or an old lap.
/// </remarks>
public static class Body
{
    /// <summary>The most producers that an item can name.</summary>
    public const int MaxProducers = 8;

    /// <summary>The distance of a producer's items.</summary>
    public const long Stride = unchecked((long)0x9E37_79B9_7F4A_7C18);

    private const long Seed = 0x0123_4567_89AB_CDE0;

    /// <summary>The first item of a producer.</summary>
    public static long First(int producer) => Seed + producer;

    /// <summary>What a stage does with an item.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Work(ref long item, int increments) => item += increments;

    /// <summary>How many of all items one producer publishes.</summary>
    public static long ShareOf(int producer, int producers, long items) =>
        (items / producers) + (producer < items % producers ? 1 : 0);

    /// <summary>The sum of a producer's first <paramref name="items"/> items, modulo 2⁶⁴, by formula.</summary>
    public static long SumOf(int producer, long items)
    {
        // n(n-1)/2 is exact before it wraps: the even one of the two is halved first.
        long pairs = items % 2 == 0 ? items / 2 * (items - 1) : (items - 1) / 2 * items;
        return unchecked((items * First(producer)) + (pairs * Stride));
    }

    /// <summary>The sum of all producers' items as a stage sees them, modulo 2⁶⁴, by formula.</summary>
    public static long SumOf(RingShape shape, int stage, long items)
    {
        long sum = items * shape.IncrementsAt(stage);
        for (int p = 0; p < shape.Producers; p++) sum += SumOf(p, ShareOf(p, shape.Producers, items));
        return sum;
    }
}

/// <summary>
/// The items that one producer publishes, one after another: <c>while (feed.MoveNext()) … feed.Current …</c>
/// </summary>
/// <remarks>
/// To prove that the check finds it, one item can be made wrong. That costs the loop nothing: the item is a turning
/// point like the end, and only the count down to the next such point is tested for every item.
/// </remarks>
public struct Feed
{
    private readonly long _stride = Body.Stride; // not the constant: so it stays in a register, and is not loaded for each item
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
            Current += _stride;
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
