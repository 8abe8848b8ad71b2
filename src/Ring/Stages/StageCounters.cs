using System.Numerics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>What a stage has done. Written by its driving thread alone, read by anyone at any time.</summary>
internal sealed class StageCounters
{
    private const int Reasons = 6;
    private const int SizeClasses = 32;

    // One array, so that a reader sees whole 64-bit values, and the writer one line or two.
    private readonly long[] _values = new long[(int)Counter.First + Reasons + SizeClasses];

    public void Add(Counter counter, long count = 1) => _values[(int)counter] += count;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AddBatch(int items, CloseReason reason)
    {
        ref long values = ref _values[0];
        Unsafe.Add(ref values, (int)Counter.Batches)++;
        Unsafe.Add(ref values, (int)Counter.Items) += items;
        // SAFETY: Reasons counts the values of CloseReason, a test has both; Log2 of an int is below 32.
        Unsafe.Add(ref values, (int)Counter.First + (int)reason)++;
        Unsafe.Add(ref values, (int)Counter.First + Reasons + BitOperations.Log2((uint)items))++;
    }

    public long Read(Counter counter) => Volatile.Read(ref _values[(int)counter]);

    public long[] CloseReasons() => _values.AsSpan((int)Counter.First, Reasons).ToArray();

    public long[] Sizes() => _values.AsSpan((int)Counter.First + Reasons, SizeClasses).ToArray();
}

/// <summary>Places in <see cref="StageCounters"/>.</summary>
internal enum Counter
{
    Batches,
    Items,
    Faults,
    Skipped,
    DeadLettered,
    Dropped,
    Retries,
    Tombstones,
    Split,
    Parts,
    First,
}
