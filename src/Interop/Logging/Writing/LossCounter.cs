using Microsoft.Extensions.Logging;

namespace Raceway.Interop.Logging.Writing;

/// <summary>Counts lost entries by level: those in all, and those that the file has not told yet.</summary>
/// <remarks>Any thread adds; the writer takes.</remarks>
internal sealed class LossCounter(LogLossReason reason)
{
    private LevelCounts _untold;
    private long _total;
    private long _behind;

    /// <summary>All that were lost.</summary>
    public long Total => Volatile.Read(ref _total);

    /// <summary>Counts lost entries.</summary>
    /// <param name="level">Their level.</param>
    /// <param name="count">How many.</param>
    /// <param name="behind">The last entry that came before them.</param>
    public void Add(LogLevel level, long count = 1, long behind = 0)
    {
        // The first of those that are told together says where.
        Interlocked.CompareExchange(ref _behind, behind, 0);
        Interlocked.Add(ref _untold[Math.Clamp((int)level, 0, LevelCounts.Levels - 1)], count);
        Interlocked.Add(ref _total, count);
    }

    /// <summary>Takes what has not been told; false if there is nothing, or entries before it are not written yet.</summary>
    public bool TryTake(long written, out LogLoss loss)
    {
        loss = default;
        if (Volatile.Read(ref _behind) > written) return false;
        Volatile.Write(ref _behind, 0);
        LevelCounts taken = default;
        for (int level = 0; level < LevelCounts.Levels; level++)
            if (Volatile.Read(ref _untold[level]) != 0) taken[level] = Interlocked.Exchange(ref _untold[level], 0);
        loss = new LogLoss(reason, taken);
        return loss.Total > 0;
    }

    /// <summary>What was taken could not be told: it is told later.</summary>
    public void GiveBack(LogLoss loss)
    {
        for (int level = 0; level < LevelCounts.Levels; level++)
            if (loss[(LogLevel)level] is > 0 and var count) Interlocked.Add(ref _untold[level], count);
    }
}
