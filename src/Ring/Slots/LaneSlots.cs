namespace Raceway.Rings;

/// <summary>The items of a sharded ring: a column for each lane, found by the ring's sequences.</summary>
/// <param name="order">Which lane has which sequence.</param>
/// <param name="lanes">A column for each lane, in the lane's own sequences.</param>
internal sealed class LaneSlots<T>(Lanes order, Slots<T>[] lanes)
{
    /// <summary>The slots of a lane, in its own sequences.</summary>
    public Slots<T> this[int lane] => lanes[lane];

    /// <summary>The slot of <paramref name="sequence"/>.</summary>
    public ref T At(long sequence)
    {
        long nowhere = -1;
        return ref Find(ref sequence, ref nowhere)[sequence];
    }

    /// <summary>The run of <paramref name="count"/> slots from <paramref name="first"/>, which lie in one lane.</summary>
    public Batch<T> View(long first, int count, Stage? stage)
    {
        long own = first;
        long nowhere = -1;
        return Find(ref own, ref stage is null ? ref nowhere : ref stage.LaneRun).ViewAs(first, own, count, stage);
    }

    /// <summary>The lane that holds a sequence of the ring, which becomes the lane's own.</summary>
    public Slots<T> Find(ref long sequence, ref long run)
    {
        Lanes.LaneRun found = order.Find(sequence, ref run, out _);
        sequence += found.Offset;
        return lanes[found.Lane];
    }
}
