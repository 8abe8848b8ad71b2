namespace Raceway.Interop.Distributed;

/// <summary>When a frame that ends its workers is suspect, and when it is parked.</summary>
/// <remarks>
/// For transports, which each count in their own way: see <see cref="IFrameReceiver.BeginTrialAsync"/>.
/// Deliveries are counted by every broker, and lost connections count too. So the first half of a limit makes a frame suspect,
/// which costs an honest one a little time; in the second half only workers count that ended with the frame alone.
/// </remarks>
public static class TrialLimit
{
    /// <summary>After how many deliveries a frame is suspect.</summary>
    /// <param name="limit">The most deliveries of a frame, 1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is below 1.</exception>
    public static int SuspectAfter(int limit)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        return limit - (limit / 2);
    }

    /// <summary>With how many ended trials it is parked: together <paramref name="limit"/> more than the first delivery.</summary>
    /// <param name="limit">The most deliveries of a frame, 1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is below 1.</exception>
    public static int MostEnded(int limit)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        return (limit / 2) + 1;
    }
}
