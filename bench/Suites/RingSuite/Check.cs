using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Checks count, sum and order of the items as a stage sees them, at the cost of a few additions an item. Keep
/// it in a local variable while items are handled; as a field of an object it is slower.
/// </summary>
/// <remarks>
/// An item must be the very one that follows: from a single producer the next of its sequence, from several the next of
/// the producer it names. Any loss, repetition, exchange or change of an item shows.
/// </remarks>
public struct Check
{
    // The place of the lanes in their array: away from what else lies near it in memory.
    private const int Margin = 16;

    private readonly long[]? _lanes;
    private long _expected;
    private long _sum;
    private long _errors;

    /// <summary>Creates the check of a stage.</summary>
    public Check(RingShape shape, int stage)
    {
        long increments = shape.IncrementsAt(stage);
        _expected = Body.First(0) + increments;
        if (shape.Producers == 1) return;

        // What the stages add moves the bits that name the producer, the same way for every item.
        _lanes = new long[(2 * Margin) + Body.MaxProducers];
        for (int p = 0; p < shape.Producers; p++)
        {
            long first = Body.First(p) + increments;
            _lanes[LaneOf(first)] = first;
        }
    }

    /// <summary>Takes the next item in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(long item)
    {
        _sum += item;
        if (_lanes is null)
        {
            _errors |= item ^ _expected;
            _expected += Body.Stride;
        }
        else
        {
            ref long expected = ref _lanes[LaneOf(item)];
            _errors |= item ^ expected;
            expected += Body.Stride;
        }
    }

    /// <summary>
    /// Whether exactly these items were taken in, in order, and their sum is the one computed by formula.
    /// </summary>
    public readonly bool Agrees(RingShape shape, int stage, long items)
    {
        long increments = shape.IncrementsAt(stage);
        bool ended = true;
        for (int p = 0; p < shape.Producers; p++)
        {
            long share = Body.ShareOf(p, shape.Producers, items);
            long first = Body.First(p) + increments;
            ended &= (_lanes is null ? _expected : _lanes[LaneOf(first)]) == first + (share * Body.Stride);
        }

        return _errors == 0 && ended && _sum == Body.SumOf(shape, stage, items);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int LaneOf(long item) => Margin + ((int)item & (Body.MaxProducers - 1));
}
