namespace Raceway.Interop.Distributed;

/// <summary>When a frame that ends its workers is suspect, and when it is parked.</summary>
/// <remarks>
/// Deliveries are counted by every broker, and lost connections count too. So the first half of a limit makes a frame suspect,
/// which costs an honest one a little time; in the second half only workers count that ended with the frame alone.
/// </remarks>
internal static class TrialLimit
{
    /// <summary>After how many deliveries a frame is suspect.</summary>
    public static int SuspectAfter(int limit) => limit - (limit / 2);

    /// <summary>With how many ended trials it is parked: together <paramref name="limit"/> more than the first delivery.</summary>
    public static int MostEnded(int limit) => (limit / 2) + 1;
}
