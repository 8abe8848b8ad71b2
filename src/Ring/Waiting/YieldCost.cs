namespace Raceway.Rings;

/// <summary>What yields cost a waiting thread, and so whether it should rather sleep.</summary>
/// <remarks>
/// <para>If there are more threads than processors, a yield lets the ring's other threads run, and is cheaper than a sleep: they soon
/// wait themselves. A thread that does not wait runs to the end of its time slice, which takes milliseconds. Linux takes the rest of
/// the yielding thread's own slice away as well, so that it comes last again and again. A thread that sleeps keeps its claim to
/// the processor. So a yield that took a slice is the last one for a while.</para>
/// <para>Mutable: keep it in a field that is not readonly. The thread that waits owns it.</para>
/// </remarks>
internal struct YieldCost
{
    // Alone a yield takes less than 1 µs.
    private static readonly long s_crowded = Clock.Ticks(TimeSpan.FromMicroseconds(3));

    // The shortest slices take longer; what the ring's own threads do between two waits takes less.
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMilliseconds(1));
    private static readonly long s_pause = Clock.Ticks(TimeSpan.FromMilliseconds(200));

    private long _worthItFrom;

    /// <summary>Whether a thread that can sleep should yield.</summary>
    public readonly bool IsWorthIt(long now) => now >= _worthItFrom;

    /// <summary>A yield began at <paramref name="from"/> and has ended <paramref name="now"/>; true if it has let another thread run:
    /// there are more threads than processors.</summary>
    public bool Add(long from, long now)
    {
        long took = now - from;
        if (took > s_slice) _worthItFrom = now + s_pause;
        return took > s_crowded;
    }
}
