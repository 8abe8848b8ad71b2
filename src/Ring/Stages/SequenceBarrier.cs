using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>What a stage may read: what producers have published, or what all stages before it have passed.</summary>
/// <param name="sequencer">The ring's.</param>
/// <param name="upstream">The progress of the stages that it follows; none for a stage that reads what producers publish.</param>
internal readonly struct SequenceBarrier(Sequencer sequencer, Progress[] upstream)
{
    /// <summary>Whether it reads what producers publish.</summary>
    public bool LeadsChain => upstream.Length == 0;

    /// <summary>The last sequence that may be read in one run from <paramref name="from"/> on (acquire).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadableEnd(long from)
    {
        Progress[] cells = upstream;
        // ORDER: what is published first, then where the end is; pairs with the barrier of Ring.Seal: a stage that sees what
        // was published behind the end sees that it is too late. What was known before was in time.
        if (cells.Length == 0) return Math.Max(from - 1, Math.Min(sequencer.ReadableEnd(from), sequencer.Final));
        long end = cells[0].ReadAcquire();
        for (int i = 1; i < cells.Length; i++) end = Math.Min(end, cells[i].ReadAcquire());
        return end;
    }

    /// <summary>Moves <paramref name="next"/> over claims that were given up, and cuts what is readable off before the next one.</summary>
    /// <param name="next">The next item to hand over.</param>
    /// <param name="seen">The last that is readable.</param>
    /// <param name="cut">Whether a claim that was given up follows.</param>
    /// <returns>The last that is readable from there on without such a claim between.</returns>
    public long PassTombstones(ref long next, long seen, out bool cut)
    {
        Availability stamps = sequencer.Availability!;
        long first = next;
        while ((LeadsChain || next <= seen) && stamps.IsTombstone(next)) next++;
        if (!LeadsChain)
        {
            long live = stamps.LastBeforeTombstone(next, seen);
            cut = live != seen;
            return live;
        }

        if (next != first) seen = sequencer.ReadableEnd(next);
        cut = seen >= next && stamps.IsTombstone(seen + 1);
        return seen;
    }

    /// <summary>What to wait for until <paramref name="wanted"/> can be read.</summary>
    /// <param name="next">The next item to hand over.</param>
    /// <param name="wanted">The item that is waited for.</param>
    public (Progress Cell, long Awaited) TargetOf(long next, long wanted)
    {
        Debug.Assert(wanted >= next, "What has been handed over is not waited for.");
        foreach (Progress cell in upstream)
            if (!cell.IsReached(wanted)) return (cell, wanted);
        if (!LeadsChain) return (upstream[0], wanted);

        // ORDER: the caller has read the control word before the end is read here; pairs with Ring.Seal, which changes the
        // word after it has set the end. A stage never reads what was published behind the end: only a change wakes it.
        if (wanted > sequencer.Final) return (sequencer.Cursor, Progress.Never);
        if (sequencer.Availability is not { } stamps || !stamps.IsPublished(wanted)) return (sequencer.Cursor, wanted);
        // The item is published, but an earlier claim is still open: wait for the earlier claim. Without one the target is
        // simply over, as items may have come since the step looked; it must not be moved behind them.
        long end = stamps.ReadableEnd(next);
        return (sequencer.Cursor, end < wanted ? end + 1 : wanted);
    }
}
