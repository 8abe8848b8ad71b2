using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Clears released slots, so that they keep nothing alive.</summary>
internal sealed class ClearingColumn<T>(Slots<T> slots) : ISweepable
{
    public void Sweep(long first, long last)
    {
        // Kept over the walk: to find a run anew is a search.
        long run = -1;
        while (first <= last)
        {
            int most = (int)Math.Min(last - first + 1, Math.Min(slots.Capacity, slots.Left(first, ref run)));
            ref T item = ref slots.Run(first, most, ref run, out int length);
            first += length;
            for (; length > 0; length--)
            {
                item = default!;
                item = ref Unsafe.Add(ref item, slots.Step);
            }
        }
    }
}
