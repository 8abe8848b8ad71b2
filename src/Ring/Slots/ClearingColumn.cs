namespace Raceway.Rings;

/// <summary>Clears released slots, so that they keep nothing alive.</summary>
internal sealed class ClearingColumn<T>(Slots<T> slots) : ISweepable
{
    public void Sweep(long first, long last)
    {
        while (first <= last)
        {
            long nowhere = -1;
            int count = (int)Math.Min(last - first + 1, Math.Min(slots.Capacity, slots.Left(first, ref nowhere)));
            foreach (ref T item in slots.View(first, count, null)) item = default!;
            first += count;
        }
    }
}
