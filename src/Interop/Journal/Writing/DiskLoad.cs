namespace Raceway.Interop.Journal.Writing;

/// <summary>Says whether the disk is busy with items, so that whatever else is written makes them wait.</summary>
/// <remarks>
/// A sync has a price of its own and a price for each byte. One of few bytes costs as much beside other writes; one of many
/// costs more. So what counts is how much of the time the disk has spent on syncs of many bytes
/// (docs/decisions/0026-journal.md has the figures).
/// <para><b>Threads</b>: told of syncs by one thread at a time, asked by another one at a time.</para>
/// </remarks>
internal sealed class DiskLoad(TimeProvider time)
{
    // Zeros save a sync the price of noting blocks, and cost it as many bytes again. From here on they cost more than they save.
    private const int Many = 256 << 10;

    private const int HighShare = 4;

    // Shorter than this, a look may meet one long sync, or the gap between two.
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(10);

    private long _busyTicks;
    private long _since; // when the last sync of many bytes began
    private bool _isUnderWay;
    private long _seenBusyTicks;
    private long _seen = time.GetTimestamp();
    private bool _isHigh;

    /// <summary>A sync begins.</summary>
    /// <param name="bytes">What it is to make durable.</param>
    /// <returns>When: for <see cref="End"/>.</returns>
    public long Begin(long bytes)
    {
        long now = time.GetTimestamp();
        if (bytes < Many) return now;
        Volatile.Write(ref _since, now);
        // ORDER: release, pairs with the read in IsHigh: a sync that is seen under way has its own beginning.
        Volatile.Write(ref _isUnderWay, true);
        return now;
    }

    /// <summary>It has returned.</summary>
    /// <param name="since">What <see cref="Begin"/> has returned.</param>
    /// <returns>How long it took.</returns>
    public TimeSpan End(long since)
    {
        TimeSpan took = time.GetElapsedTime(since);
        if (!_isUnderWay) return took;
        // A look between these two lines counts the sync twice, and the next look that much less: an error of one look.
        Volatile.Write(ref _busyTicks, _busyTicks + took.Ticks);
        Volatile.Write(ref _isUnderWay, false);
        return took;
    }

    /// <summary>Whether more than a quarter of the time since the last look went to syncs of many bytes.</summary>
    public bool IsHigh()
    {
        long now = time.GetTimestamp();
        TimeSpan passed = time.GetElapsedTime(_seen, now);
        if (passed < s_look) return _isHigh;
        long busy = Volatile.Read(ref _busyTicks);
        // ORDER: acquire, pairs with Begin.
        if (Volatile.Read(ref _isUnderWay)) busy += time.GetElapsedTime(Volatile.Read(ref _since), now).Ticks;
        _isHigh = (busy - _seenBusyTicks) * HighShare > passed.Ticks;
        (_seenBusyTicks, _seen) = (busy, now);
        return _isHigh;
    }
}
