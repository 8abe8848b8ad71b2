using System.Runtime.InteropServices;

namespace Raceway.Pipelines;

/// <summary>What the workers of one share have taken between them: everything before one sequence.</summary>
/// <remarks>
/// <para>ORDER: the counter alone decides which worker handles an item, and an exchange gives each to one worker. It carries no
/// data: a worker takes only what it has seen upstream pass (the acquire in <c>Stage.Look</c>), and what it has done is
/// visible through its own progress (the release in <c>Progress.Advance</c>).</para>
/// <para>Chunks shrink as what is left does, so that workers finish together: guided self-scheduling (Polychronopoulos and
/// Kuck, 1987), at half of the share that would be fair.</para>
/// </remarks>
internal sealed class WorkShare
{
    private const int MostChunk = 256;

    private readonly int _divisor;
    private Place _place;

    /// <param name="workers">Between how many.</param>
    public WorkShare(int workers) => _divisor = 2 * workers;

    /// <summary>Takes the next items that no worker has; false where all before <paramref name="end"/> are taken.</summary>
    /// <param name="first">The first that the caller sees: all before it are taken, or are no items.</param>
    /// <param name="end">One past the last that it sees.</param>
    /// <param name="from">The first taken.</param>
    /// <param name="count">How many.</param>
    public bool TryTake(long first, long end, out long from, out int count)
    {
        long taken = Volatile.Read(ref _place.Taken);
        while (true)
        {
            from = Math.Max(taken, first);
            count = (int)Math.Clamp((end - from) / _divisor, 1, MostChunk);
            if (from >= end) return false;
            long seen = Interlocked.CompareExchange(ref _place.Taken, from + count, taken);
            if (seen == taken) return true;
            taken = seen;
        }
    }

    // Every worker writes it: away from what only reads.
    [StructLayout(LayoutKind.Explicit, Size = 264)]
    private struct Place
    {
        [FieldOffset(128)] public long Taken;
    }
}
