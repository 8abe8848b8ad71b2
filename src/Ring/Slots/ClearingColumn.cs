namespace Raceway.Rings;

/// <summary>Clears released slots, so that they keep nothing alive.</summary>
internal sealed class ClearingColumn<T>(Slots<T> slots) : ISweepable
{
    public void Sweep(long first, long last)
    {
        while (first <= last)
        {
            int count = (int)Math.Min(last - first + 1, slots.Capacity);
            Batch<T> released = slots.View(first, count, null);
            released.First.Clear();
            released.Second.Clear();
            first += count;
        }
    }
}
