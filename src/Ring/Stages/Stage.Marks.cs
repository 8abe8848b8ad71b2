using System.Diagnostics;

namespace Raceway.Rings;

/// <content>What its handler says of single items within a call: done, dropped, or the one that fails.</content>
public abstract partial class Stage
{
    /// <summary>The handler says that everything before <paramref name="sequence"/> is done.</summary>
    internal void Mark(long sequence)
    {
        Debug.Assert(sequence <= CallEnd, "A handler marks what it was given.");
        if (sequence <= Reached) return;
        Reached = sequence;
        if (sequence - 1 - Done.ReadAcquire() >= Math.Max(1, Dispatch.ProgressInterval)) Done.Advance(sequence - 1);
    }

    /// <summary>The handler passes over everything before <paramref name="sequence"/> that is not done.</summary>
    internal void Drop(long sequence)
    {
        long dropped = sequence - Reached;
        if (dropped <= 0) return;
        _at.Dropped += (int)dropped;
        Counters.Add(Counter.Skipped, dropped);
        Counters.Add(Counter.Dropped, dropped);
        Mark(sequence);
    }

    /// <summary>See <see cref="Batch{T}.FailAt"/>.</summary>
    internal void FailAt(long sequence, int count)
    {
        Mark(sequence);
        CallEnd = Math.Min(CallEnd, sequence + count);
    }
}
